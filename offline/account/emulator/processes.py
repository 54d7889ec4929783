"""Processes that scripts have started, also those that have left their script: none outlives the account."""

import ctypes
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux

_lock = threading.Lock()
_own: set[int] = set()  # processes that somebody waits for


def adopt_orphans() -> None:
    """Become the parent of what a script leaves behind, so that it can be found. It works on Linux only."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def start(command: list[str], folder: str | None, environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    """Start a program as the leader of a process group, without input, its output in pipes."""
    with _lock:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        _own.add(process.pid)
    return process


def finish(process: "subprocess.Popen[bytes]") -> None:
    """Take leave of a started program that was waited for, and of adopted processes that have ended."""
    with _lock:
        _own.discard(process.pid)
        for pid, state in _children(os.getpid()):
            if state == "Z" and pid not in _own:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def end_group(leader: int) -> None:
    """End a process and its group."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def end_all() -> None:
    """End everything that descends from this process."""
    with _lock:
        for pid in _descendants(os.getpid()):
            _signal(pid, signal.SIGKILL)


def _descendants(root: int) -> Iterator[int]:
    """Each is stopped before its children are listed, so that it can't start another one meanwhile."""
    for pid, _ in list(_children(root)):
        _signal(pid, signal.SIGSTOP)
        yield from _descendants(pid)
        yield pid


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _children(parent: int) -> Iterator[tuple[int, str]]:
    """Pid and state of each child, as /proc has them."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, above = _fields(stat)
            if above == parent:
                yield int(stat.parent.name), state


def _fields(stat: Path) -> tuple[str, int]:
    """State and parent: they follow the name, which may hold anything."""
    fields: list[Any] = stat.read_text(errors="replace").rpartition(")")[2].split()
    return fields[0], int(fields[1])
