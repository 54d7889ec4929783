"""Answer one JSON line for each JSON line on stdin, until stdin closes: python -m pcluster_judge.

    {"argv": ["create-cluster", ...]}             what the pcluster command line answers: {"answer": {...}}
    {"interfaces": {"config": ..., "name": ...}}  what its templates hold: {"answer": {...}}

A request that ParallelCluster does not answer at all is {"failure": "..."}. The first line is {"ready": version}.
"""

import json
import os
import sys
import traceback
from typing import Any

# ParallelCluster prints; answers go to a copy of stdout, and all that is printed to stderr.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

from pcluster.utils import get_installed_version  # noqa: E402

from pcluster_judge import session  # noqa: E402
from pcluster_judge.command import Command  # noqa: E402
from pcluster_judge.templates import interfaces  # noqa: E402


def answer(command: Command, request: dict[str, Any]) -> dict[str, Any]:
    try:
        if "argv" in request:
            return {"answer": command.run(request["argv"])}
        return {"answer": interfaces(**request["interfaces"])}
    except Exception as error:  # whatever it is, the one who asked shall see it
        return {"failure": f"{type(error).__name__}: {error}\n{traceback.format_exc()}"}


def say(line: dict[str, Any]) -> None:
    answers.write(json.dumps(line) + "\n")
    answers.flush()


def main() -> None:
    session.share()
    command = Command()
    say({"ready": get_installed_version()})
    for line in sys.stdin:
        say(answer(command, json.loads(line)))


main()
