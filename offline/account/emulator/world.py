"""The world: what the account holds. It is replaced as a whole."""

import json
from typing import Any

from moto.cloudformation.models import cloudformation_backends
from moto.core import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.ec2.models import ec2_backends
from moto.efs.models import efs_backends
from moto.fsx.models import fsx_backends
from moto.iam.models import iam_backends
from moto.logs.models import logs_backends
from moto.s3.models import s3_backends
from moto.ssm.models import ssm_backends

from emulator import clock

ACCOUNT = DEFAULT_ACCOUNT_ID

Item = dict[str, Any]


_answers: dict[str, dict[str, Any]] = {}


class World:
    """The document that fills the account, for the answers that have no model in moto."""

    def __init__(self, document: Item):
        self.document = document
        self.region: str = document.get("region") or "us-east-1"
        # What was paid for, and the extensions among it, oldest first.
        self.purchases: list[Item] = []
        self.extensions: list[Item] = []
        # Commands of Systems Manager, oldest first.
        self.commands: list[Any] = []
        # Answers that take long to make. They depend on region and offerings only, so worlds that agree on these share them.
        self.answers = _answers.setdefault(json.dumps([self.region, self.mapping("offerings")], sort_keys=True), {})

    def items(self, kind: str) -> list[Item]:
        """The list under a key of the document; a key left out or null is an empty list."""
        return self.document.get(kind) or []

    def add(self, kind: str, item: Item) -> None:
        """Add to the list under a key of the document."""
        self.document[kind] = [*self.items(kind), item]

    def mapping(self, kind: str) -> Item:
        """The mapping under a key of the document; a key left out or null is an empty one."""
        return self.document.get(kind) or {}


_current = World({})


def current() -> World:
    """The world in force."""
    return _current


def enter(world: World) -> None:
    """Forget everything the account held and let the answers come from this world."""
    global _current
    for backends in (
        ec2_backends,
        s3_backends,
        fsx_backends,
        efs_backends,
        iam_backends,
        cloudformation_backends,
        dynamodb_backends,
        logs_backends,
        ssm_backends,
    ):
        backends.reset()
    clock.put(clock.parse(world.document.get("now")))
    _current = world


def ec2() -> Any:
    """EC2's backend in the region of the world."""
    return ec2_backends[ACCOUNT][_current.region]
