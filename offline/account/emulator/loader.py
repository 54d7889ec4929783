"""Fill the account from a world document, in an order in which everything finds what it refers to."""

from collections.abc import Callable

from emulator import market
from emulator.clusters import put_cluster
from emulator.filesystems import add_file_system
from emulator.identity import add_policy, add_role
from emulator.images import add_image
from emulator.network import add_key_pair, add_launch_template, add_security_group, add_subnet, add_vpc
from emulator.storage import add_bucket
from emulator.world import Item, World, current, enter

MAKERS: dict[str, Callable[[Item], None]] = {
    "vpcs": add_vpc,
    "subnets": add_subnet,
    "securityGroups": add_security_group,
    "images": add_image,
    "keyPairs": add_key_pair,
    "launchTemplates": add_launch_template,
    "buckets": add_bucket,
    "fileSystems": add_file_system,
    "policies": add_policy,
    "roles": add_role,
    "clusters": put_cluster,
}


class BadWorld(Exception):
    """A document that cannot be loaded; the message says which item, and why."""


def load(document: Item) -> None:
    """Replace what the account holds. After BadWorld the account is empty."""
    world = World(document)
    enter(world)
    for kind in ("reservations", "market"):
        for index, item in enumerate(world.items(kind)):
            _make(market.check, item, f"{kind}[{index}]")
    for kind, make in MAKERS.items():
        for index, item in enumerate(world.items(kind)):
            _make(make, item, f"{kind}[{index}]")


def load_market(document: Item) -> None:
    """Put what is for sale in place of what was."""
    for index, item in enumerate(document.get("market") or []):
        _make(market.check, item, f"market[{index}]", keep=True)
    for kind in ("market", "extensionMarket"):
        current().document[kind] = document.get(kind) or []


def load_cluster(document: Item) -> None:
    """Put one more cluster into the account."""
    _make(put_cluster, document, "cluster", keep=True)


def _make(make: Callable[[Item], None], item: Item, place: str, keep: bool = False) -> None:
    try:
        make(item)
    except Exception as error:  # moto raises many kinds; every one of them means that the document does not fit
        if not keep:
            enter(World({}))
        name = item.get("id") or item.get("name") or item.get("arn") or ""
        reason = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
        raise BadWorld(f"{place} {name}: {reason}") from error
