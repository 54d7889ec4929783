"""All changes to moto in one place, in the order in which they are made."""

from emulator import filesystems, groups, identity, images, instances, network, quotas, reservations, stacks, storage


def install() -> None:
    """Change moto once, before the first request."""
    for module in (network, reservations, instances, images, filesystems, storage, identity, stacks, groups, quotas):
        module.install()
