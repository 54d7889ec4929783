"""What a document of Systems Manager runs: AWS-RunShellScript, and the account's own ones that run shell scripts."""

import json
import re
from typing import Any, NamedTuple, NoReturn

from moto.ssm.exceptions import SSMException

from emulator.world import Item

SHELL = "AWS-RunShellScript"
PLUGIN = "aws:runShellScript"
KNOWN = ("commands", "workingDirectory", "executionTimeout")
TOKEN = re.compile(r"\{\{\s*(\w+)\s*\}\}")
LONGEST = 172800  # seconds that a script may run


class Script(NamedTuple):
    """A script with its folder and its time limit in seconds; empty and 0 are the agent's own."""

    text: str
    folder: str
    limit: int


def _bad(message: str) -> NoReturn:
    raise SSMException("InvalidParameters", message)


def script(backend: Any, name: str, version: str | None, parameters: dict[str, list[str]]) -> Script:
    """The script that a document makes of its parameters."""
    if name.rpartition("/")[2] == SHELL:
        return _shell(parameters)
    if name not in backend._documents:
        raise SSMException("InvalidDocument", f"Document with name {name} does not exist.")
    content = backend.get_document(name, version, None, "JSON")["Content"]
    return _own(json.loads(content), parameters)


def _shell(parameters: dict[str, list[str]]) -> Script:
    for name in parameters:
        if name not in KNOWN:
            _bad(f"Parameter {name} is not defined in document {SHELL}.")
    if not parameters.get("commands"):
        _bad(f"Parameter commands is required by document {SHELL}.")
    return Script("\n".join(parameters["commands"]), _first(parameters, "workingDirectory"), _seconds(parameters))


def _first(parameters: dict[str, list[str]], name: str) -> str:
    return next(iter(parameters.get(name) or []), "")


def _seconds(parameters: dict[str, list[str]]) -> int:
    text = _first(parameters, "executionTimeout")
    if text and not (text.isdigit() and 1 <= int(text) <= LONGEST):
        _bad(f"Parameter executionTimeout must be a number from 1 to {LONGEST}.")
    return int(text or 0)


def _own(document: Item, parameters: dict[str, list[str]]) -> Script:
    """The steps of a document one after the other, with its parameters put in."""
    values = _values(document.get("parameters") or {}, parameters)
    steps = [step["inputs"] for step in document.get("mainSteps", []) if step.get("action") == PLUGIN]
    if not steps:
        raise SSMException("InvalidDocument", f"The document has no step {PLUGIN}.")
    lines = [line for step in steps for line in _lines(step["runCommand"], values)]
    folder, limit = (_put(str(steps[0].get(key) or ""), values) for key in ("workingDirectory", "timeoutSeconds"))
    return Script("\n".join(lines), folder, int(limit or 0))


def _values(declared: Item, given: dict[str, list[str]]) -> dict[str, list[str]]:
    for name in given:
        if name not in declared:
            _bad(f"Parameter {name} is not defined in the document.")
    values = {}
    for name, about in declared.items():
        default = about.get("default")
        if name not in given and default is None:
            _bad(f"Parameter {name} is required by the document.")
        values[name] = given.get(name) or [str(d) for d in (default if isinstance(default, list) else [default])]
        allowed = about.get("allowedPattern")
        if allowed and not all(re.search(allowed, value) for value in values[name]):
            _bad(f"Parameter {name} does not match the pattern {allowed}.")
    return values


def _lines(commands: list[str] | str, values: dict[str, list[str]]) -> list[str]:
    return [_put(line, values) for line in ([commands] if isinstance(commands, str) else commands)]


def _put(line: str, values: dict[str, list[str]]) -> str:
    return TOKEN.sub(lambda found: "\n".join(values.get(found.group(1), [found.group(0)])), line)
