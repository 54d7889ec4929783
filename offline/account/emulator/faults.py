"""Faults that a test has asked for: calls that are refused, lost or never answered, and answers that lag behind."""

from collections import Counter
from datetime import timedelta

from emulator import clock
from emulator.world import Item

# What strikes before a call is carried out leaves the account as it was; what strikes after it does not.
BEFORE = ("refuse", "reset", "hang")
AFTER = ("fail", "lose", "mute")
LAG = "lag"

_given: list[Item] = []
_calls: Counter[str] = Counter()


def replace(given: list[Item]) -> None:
    """These faults, in place of all earlier ones."""
    _given[:] = [{**fault, "struck": 0} for fault in given]


def strike(action: str, dry_run: bool) -> Item | None:
    """Count a call, and give the fault that strikes it."""
    if not dry_run:
        _calls[action] += 1
    for fault in _given:
        if _meets(fault, action, dry_run) and _takes(fault):
            return fault
    return None


def _meets(fault: Item, action: str, dry_run: bool) -> bool:
    return fault["kind"] != LAG and fault["action"] == action and bool(fault.get("dryRun")) == dry_run


def _takes(fault: Item) -> bool:
    """Whether the fault strikes now: it lets some calls pass, then strikes some; no number strikes all."""
    fault["struck"] += 1
    turn = fault["struck"] - (fault.get("skip") or 0)
    times = fault.get("times") or 0
    return turn > 0 and (times == 0 or turn <= times)


def stamp() -> Item:
    """When something was written: by the clock, and by the calls of each action before it."""
    return {"at": clock.now(), "calls": dict(_calls)}


def sees(action: str, written: Item | None) -> bool:
    """Whether an action shows what was written at a stamp. What a world began with has none: it is always shown."""
    lag = next((fault for fault in _given if fault["kind"] == LAG and fault["action"] == action), None)
    if not lag or not written:
        return True
    passed: timedelta = clock.now() - written["at"]
    answered = _calls[action] - written["calls"].get(action, 0)
    return passed >= clock.span(lag.get("lag")) and answered > (lag.get("lagCalls") or 0)
