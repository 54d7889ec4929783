"""The pcluster command line, in this process."""

from typing import Any

import pcluster.cli.model
from pcluster.cli.entrypoint import run
from pcluster.cli.exceptions import APIOperationException, ParameterException

from pcluster_judge.session import fresh


class Command:
    """The command line with its model of all commands."""

    def __init__(self) -> None:
        self._model = pcluster.cli.model.load_model(pcluster.cli.model.package_spec())

    def run(self, argv: list[str]) -> Any:
        """What the command would print; a dry run that passes is one of its errors."""
        with fresh():
            try:
                return run(argv, self._model)
            except (APIOperationException, ParameterException) as error:
                return error.data
