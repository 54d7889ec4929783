"""Make moto hand out an id that was given instead of a random one."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from unittest import mock


@contextmanager
def given_id(module: ModuleType, generator: str, value: str) -> Iterator[None]:
    """Within the block the id generator of a moto module returns this value.

    The block must create one resource of that kind. Callers hold the emulator's lock.
    """
    with mock.patch.object(module, generator, lambda *_: value):
        yield
