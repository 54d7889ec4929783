"""The account's clock. It stands where a test puts it; until then it is the machine's."""

from datetime import datetime, timedelta, timezone

_put: datetime | None = None


def now() -> datetime:
    """The time in the account, in UTC."""
    return _put or datetime.now(timezone.utc)


def is_put() -> bool:
    """Whether a test has put the clock somewhere."""
    return _put is not None


def put(moment: datetime | None) -> None:
    """Put the clock somewhere, where it stands from then on; None gives it back to the machine."""
    global _put
    _put = moment


def parse(text: str | None) -> datetime | None:
    """A moment of a world document, in RFC 3339; None where the document has none."""
    if not text:
        return None
    whole, zone = (text[:-1], "+00:00") if text.endswith("Z") else (text[:-6], text[-6:])
    seconds, _, fraction = whole.partition(".")
    micro = (fraction + "000000")[:6]
    return datetime.fromisoformat(f"{seconds}.{micro}{zone}").astimezone(timezone.utc)


def span(nanoseconds: int | None) -> timedelta:
    """A duration of a world document, which counts nanoseconds."""
    return timedelta(microseconds=(nanoseconds or 0) / 1000)
