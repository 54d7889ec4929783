"""All changes to moto in one place, in the order in which they are made."""

from emulator import (
    blocks,
    commands,
    extensions,
    filesystems,
    groups,
    identity,
    images,
    instances,
    launches,
    network,
    offerings,
    quotas,
    reservations,
    stacks,
    storage,
    topology,
)

CHANGES = (
    network,
    reservations,
    blocks,
    offerings,
    extensions,
    topology,
    instances,
    launches,
    images,
    filesystems,
    storage,
    identity,
    stacks,
    groups,
    quotas,
    commands,
)


def install() -> None:
    """Change moto once, before the first request."""
    for module in CHANGES:
        module.install()
