"""Capacity blocks by the clock: what is for sale, what was bought, what state it is in, and when it ends.

Nothing here speaks EC2. A reservation, an offering and an extension are items of the world document; what is bought is
added to it.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from emulator import clock, faults
from emulator.world import Item, current, ec2

PAYMENT = timedelta(hours=12)  # EC2 releases what was not paid by then (API reference, CapacityReservation)
LAST_PAYMENT = timedelta(minutes=35)  # before the end, for an extension (EC2 User Guide, capacity-blocks-extend)
TERMINATION = timedelta(minutes=30)  # before the end EC2 begins to terminate instances, of UltraServers twice as long
LIMIT = 256  # instances in all blocks of an account

DAY, WEEK, LAST_DAY, LAST_WEEK = 24, 168, 336, 4368  # hours
DURATIONS = tuple(range(DAY, LAST_DAY + 1, DAY)) + tuple(range(LAST_DAY + WEEK, LAST_WEEK + 1, WEEK))

PENDING, FAILED, SUCCEEDED = "payment-pending", "payment-failed", "payment-succeeded"
ALIVE = (PENDING, "scheduled", "active")


def moment(item: Item, key: str) -> datetime | None:
    """A moment of an item, as the document has it or as it was written here."""
    value = item.get(key)
    return value if isinstance(value, datetime) else clock.parse(value)


def check(item: Item) -> None:
    """Refuse a window that is none, and write down until when a payment may come."""
    start, last, created = moment(item, "start"), moment(item, "end"), moment(item, "created")
    if start and last and start >= last:
        raise ValueError("it ends before it starts")
    if "fee" in item and not (start and last):
        raise ValueError("an offering needs a start and an end")
    if created:
        item["payBy"] = created + PAYMENT


def is_block(reservation: Item) -> bool:
    return reservation["kind"] == "block"


def payment(item: Item) -> str:
    """What has become of a payment: of a block, or of an extension."""
    paid, due = moment(item, "paidAt"), item.get("payBy")
    if paid and clock.now() >= paid and (not due or paid <= due):
        return SUCCEEDED
    return FAILED if due and clock.now() >= due else PENDING


def state(reservation: Item) -> str:
    """The state now. What a world gives stays as it is until a test puts the clock somewhere."""
    given: str = reservation["state"]
    if not reservation.get("bought") and not clock.is_put():
        return given
    if given == PENDING:
        paid = payment(reservation)
        if paid != SUCCEEDED:
            return paid
        given = "scheduled"
    return _by_window(reservation, given) if given in ("scheduled", "active") else given


def _by_window(reservation: Item, given: str) -> str:
    start, last = moment(reservation, "start"), end(reservation)
    if last and clock.now() >= last:
        return "expired"
    return "active" if start and clock.now() >= start else given


def end(reservation: Item, action: str | None = None) -> datetime | None:
    """When the reservation ends, with the extensions that are paid; for an action, with those of them that it shows."""
    paid = [e["end"] for e in extensions(reservation["id"], action) if payment(e) == SUCCEEDED]
    return max(paid) if paid else moment(reservation, "end")


def extensions(reservation_id: str, action: str | None = None) -> list[Item]:
    """The extensions that were bought, oldest first; for an action, those that it shows."""
    return [
        e
        for e in current().extensions
        if e["reservation"] == reservation_id and (not action or faults.sees(action, e["written"]))
    ]


def terminates(reservation: Item) -> datetime | None:
    """When EC2 begins to terminate the instances of a block."""
    last = end(reservation)
    ahead = 2 * TERMINATION if reservation.get("interconnect") else TERMINATION
    return last - ahead if last and is_block(reservation) else None


def instances(reservation_id: str) -> list[Any]:
    """The instances of EC2's backend that hold a place of the reservation."""
    return [
        instance
        for launched in ec2().reservations.values()
        for instance in launched.instances
        if getattr(instance, "capacity_reservation_id", None) == reservation_id and instance.state != "terminated"
    ]


def used(reservation: Item) -> int:
    return (reservation.get("used") or 0) + len(instances(reservation["id"]))


def find(reservation_id: str, action: str | None = None) -> Item | None:
    """A reservation by its id; for an action, if it shows it."""
    return next((r for r in reservations(action) if r["id"] == reservation_id), None)


def reservations(action: str | None = None) -> list[Item]:
    return [r for r in current().items("reservations") if not action or faults.sees(action, r.get("written"))]


def held() -> int:
    """How many instances the account's blocks hold that are not over."""
    return sum(r["count"] for r in reservations() if is_block(r) and state(r) in ALIVE)


def is_for_sale(offering: Item, action: str | None = None) -> bool:
    """Whether an offering is for sale: neither withdrawn nor begun, and not sold, unless it may be bought again."""
    until, start = moment(offering, "until"), moment(offering, "start")
    if (until and clock.now() >= until) or (start and clock.now() >= start):
        return False
    return bool(offering.get("again")) or not _is_sold(offering["id"], action)


def _is_sold(offering_id: str, action: str | None) -> bool:
    return any(
        sale["offering"] == offering_id and (not action or faults.sees(action, sale["written"]))
        for sale in current().purchases
    )


def asked_hours(offering: Item) -> int:
    """The duration that an offering answers to: given, or the least that is sold and not below the real one."""
    if offering.get("hours"):
        return int(offering["hours"])
    lasts = duration(offering)
    return next((h for h in DURATIONS if timedelta(hours=h) >= lasts), LAST_WEEK)


def duration(offering: Item) -> timedelta:
    start, last = moment(offering, "start"), moment(offering, "end")
    assert start and last, "the loader refuses an offering without both"
    return last - start


def buy(offering: Item, platform: str, tags: dict[str, str]) -> Item:
    """Sell a block: from now on it is a reservation of the account, and the money has moved."""
    name = _digest(f"{offering['id']}/{len(current().purchases)}")
    reservation = {
        "id": f"cr-{name}",
        "blockId": f"cb-{name}",
        "kind": "block",
        "state": PENDING,
        "bought": True,
        "platform": platform,
        "offering": offering["id"],
        "created": clock.now(),
        "interconnect": "ok" if offering.get("ultraServer") else "",
        "tags": tags,
        **{
            key: offering.get(key)
            for key in ("type", "zone", "zoneId", "count", "start", "end", "tenancy", "places", "ultraServer")
        },
        **_terms(offering, clock.now() + PAYMENT),
    }
    current().add("reservations", reservation)
    _record(offering, reservation["id"], tags, reservation["written"])
    return reservation


def extend(offering: Item, reservation: Item) -> Item:
    """Sell an extension. The end moves when it is paid."""
    start = end(reservation)
    assert start, "a block has an end"
    extension = {
        "reservation": reservation["id"],
        "offering": offering["id"],
        "hours": offering["hours"],
        "start": start,
        "end": start + timedelta(hours=offering["hours"]),
        "fee": offering["fee"],
        "currency": offering["currency"],
        **_terms(offering, min(clock.now() + PAYMENT, start - LAST_PAYMENT)),
    }
    current().extensions.append(extension)
    _record(offering, reservation["id"], {}, extension["written"])
    return extension


def _terms(offering: Item, due: datetime) -> Item:
    paid = None if offering.get("paymentFails") else clock.now() + clock.span(offering.get("paysAfter"))
    return {"paidAt": paid, "payBy": due, "written": faults.stamp()}


def _record(offering: Item, reservation_id: str, tags: dict[str, str], written: Item) -> None:
    current().purchases.append(
        {
            "offering": offering["id"],
            "reservation": reservation_id,
            "fee": offering["fee"],
            "currency": offering["currency"],
            "tags": tags,
            "written": written,
        }
    )


def _digest(text: str) -> str:
    return "0" + hashlib.sha256(text.encode()).hexdigest()[:16]
