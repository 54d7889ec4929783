"""What EC2's describing calls have in common: refusals, filters and pages."""

import base64
import binascii
import fnmatch
from collections.abc import Callable, Collection
from datetime import datetime, timezone
from typing import NoReturn

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response

from emulator.world import Item

MOST = 1000  # items of a page


def refuse(code: str, message: str) -> NoReturn:
    """Answer with an error of EC2."""
    raise EC2ClientError(code, message)


def utc(moment: datetime | None) -> datetime | None:
    """A moment of a request, whose time zone moto drops."""
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def missing(parameter: str) -> NoReturn:
    """Refuse a call that lacks a parameter."""
    refuse("MissingParameter", f"The request must contain the parameter {parameter}")


def filtered(self: EC2Response, items: list[Item], known: Collection[str]) -> list[Item]:
    """The items that match every filter of the call. Filters are named after fields: instance-type is InstanceType."""
    filters = self._filters_from_querystring()
    for name in filters:
        if name not in known:
            refuse("InvalidParameterValue", f"The filter '{name}' is invalid")
    return [item for item in items if all(_match(item, name, values) for name, values in filters.items())]


def _match(item: Item, name: str, patterns: Collection[str]) -> bool:
    value = item.get("".join(word.capitalize() for word in name.split("-")))
    text = value.strftime("%Y-%m-%dT%H:%M:%S.000Z") if isinstance(value, datetime) else str(value or "")
    return any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns)


def page(self: EC2Response, items: list[Item], default: int = MOST, most: int = MOST) -> tuple[list[Item], str | None]:
    """The page of the items that the call asks for, and the token of the next one."""
    size = self._get_param("MaxResults")
    if size is not None and not 1 <= size <= most:
        refuse(
            "InvalidParameterValue",
            f"Value ( {size} ) for parameter maxResults is invalid. Expecting a value between 1 and {most}.",
        )
    start = _offset(self._get_param("NextToken"), len(items))
    end = start + (size or default)
    return items[start:end], _token(end) if end < len(items) else None


def _token(offset: int) -> str:
    return base64.urlsafe_b64encode(f"weft:{offset}".encode()).decode()


def _offset(token: str | None, count: int) -> int:
    if not token:
        return 0
    try:
        name, _, number = base64.urlsafe_b64decode(token).decode().partition(":")
    except (binascii.Error, ValueError):
        name, number = "", ""
    if name != "weft" or not number.isdigit() or int(number) > count:
        refuse("InvalidNextToken", "The specified nextToken is invalid")
    return int(number)


def alone(self: EC2Response, ids: str, most: int | None = None) -> list[str]:
    """The ids that the call names, which exclude a page size."""
    named = few(self, ids, most)
    if named and self._get_param("MaxResults") is not None:
        refuse("InvalidParameterCombination", f"The parameter {ids} cannot be used with the parameter maxResults")
    return named


def few(self: EC2Response, names: str, most: int | None) -> list[str]:
    """The names that the call gives, of which there must not be too many."""
    named: list[str] = self._get_param(names, [])
    if most and len(named) > most:
        refuse("InvalidParameterValue", f"At most {most} values may be given for {names}")
    return named


def chosen(items: list[Item], key: str, wanted: list[str], unknown: Callable[[str], NoReturn]) -> list[Item]:
    """The wanted items, or all where none is named; one that is not there is refused."""
    known = {item[key] for item in items}
    for name in wanted:
        if name not in known:
            unknown(name)
    return [item for item in items if not wanted or item[key] in wanted]
