"""DescribeCapacityBlockExtensionOfferings, PurchaseCapacityBlockExtension and DescribeCapacityBlockExtensionHistory.

EC2's list of error codes has none for an extension's offering; the codes are made as those of a block's offering are.
"""

import re
from datetime import timedelta

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from emulator import clock, market, reservations
from emulator.answers import alone, filtered, missing, page, refuse
from emulator.offerings import check_hours, offered
from emulator.world import Item, current

DESCRIBE, HISTORY = "DescribeCapacityBlockExtensionOfferings", "DescribeCapacityBlockExtensionHistory"
ID = re.compile(r"^cb[a-z]*-[0-9a-z]{8,}$")
EARLIEST, LATEST = timedelta(days=56), timedelta(hours=1)  # before the end (EC2 User Guide, capacity-blocks-extend)
FILTERS = (
    "availability-zone",
    "availability-zone-id",
    "capacity-block-extension-offering-id",
    "capacity-block-extension-status",
    "capacity-reservation-id",
    "instance-type",
)


def _extensible(self: EC2Response) -> Item:
    """The reservation of the call, which must be one that EC2 extends."""
    wanted = self._get_param("CapacityReservationId") or missing("CapacityReservationId")
    reservation = market.find(wanted) or reservations.unknown(wanted)
    if not market.is_block(reservation):
        refuse("InvalidParameterValue", f"The Capacity Reservation '{wanted}' is not a Capacity Block.")
    if market.state(reservation) not in ("active", "scheduled"):
        refuse(
            "InvalidCapacityReservationState",
            f"The Capacity Block '{wanted}' is {market.state(reservation)}. "
            "Only an active or scheduled Capacity Block can be extended.",
        )
    if any(market.payment(e) == market.PENDING for e in market.extensions(wanted)):
        refuse(
            "InvalidCapacityReservationState", f"The Capacity Block '{wanted}' has an extension that is not paid yet."
        )
    _check_time(reservation)
    return reservation


def _check_time(reservation: Item) -> None:
    last = market.end(reservation)
    assert last, "a block has an end"
    if not last - EARLIEST <= clock.now() <= last - LATEST:
        refuse("InvalidParameterValue", "A Capacity Block can be extended from 56 days to 1 hour before its end.")


def _market(reservation: Item) -> list[Item]:
    """The offerings of extensions that fit a block."""
    return [
        offering
        for offering in current().items("extensionMarket")
        if (offering.get("reservation") or reservation["id"]) == reservation["id"]
        and (offering.get("type") or reservation["type"]) == reservation["type"]
        and (offering.get("zone") or reservation["zone"]) == reservation["zone"]
    ]


def _place(reservation: Item) -> Item:
    shown = reservations.item(reservation)
    return {
        "InstanceType": reservation["type"],
        "InstanceCount": reservation["count"],
        "AvailabilityZone": shown["AvailabilityZone"],
        "AvailabilityZoneId": shown.get("AvailabilityZoneId"),
        "ZoneType": "availability-zone",
    }


def describe_capacity_block_extension_offerings(self: EC2Response) -> ActionResult:
    hours = self._get_param("CapacityBlockExtensionDurationHours")
    check_hours(hours, "CapacityBlockExtensionDurationHours")
    reservation = _extensible(self)
    self.error_on_dryrun()
    last = market.end(reservation)
    start = market.moment(reservation, "start")
    assert last and start, "a block has a start and an end"
    fits = last + timedelta(hours=hours) - start <= timedelta(hours=market.LAST_WEEK + market.DAY)
    found = [o for o in _market(reservation) if fits and o["hours"] == hours and market.is_for_sale(o, DESCRIBE)]
    items = [
        {
            **_place(reservation),
            "CapacityBlockExtensionOfferingId": offering["id"],
            "StartDate": start,
            "CapacityBlockExtensionStartDate": last,
            "CapacityBlockExtensionEndDate": last + timedelta(hours=hours),
            "CapacityBlockExtensionDurationHours": hours,
            "UpfrontFee": offering["fee"],
            "CurrencyCode": offering["currency"],
            "Tenancy": reservation.get("tenancy") or "default",
        }
        for offering in sorted(found, key=lambda o: (float(o["fee"]), o["id"]))
    ]
    items, token = page(self, items)
    return ActionResult({"CapacityBlockExtensionOfferings": items, "NextToken": token})


def purchase_capacity_block_extension(self: EC2Response) -> ActionResult:
    """Sell an extension. The answer says payment-pending, also where the payment takes no time."""
    wanted = self._get_param("CapacityBlockExtensionOfferingId") or missing("CapacityBlockExtensionOfferingId")
    reservation = _extensible(self)
    offering = offered(_market(reservation), wanted, ID, "CapacityBlockExtensionOffering")
    self.error_on_dryrun()
    bought = _item(market.extend(offering, reservation), reservation)
    return ActionResult({"CapacityBlockExtensions": [{**bought, "CapacityBlockExtensionStatus": market.PENDING}]})


def _item(extension: Item, reservation: Item) -> Item:
    return {
        **_place(reservation),
        "CapacityReservationId": extension["reservation"],
        "CapacityBlockExtensionOfferingId": extension["offering"],
        "CapacityBlockExtensionDurationHours": extension["hours"],
        "CapacityBlockExtensionStatus": market.payment(extension),
        "CapacityBlockExtensionPurchaseDate": extension["written"]["at"],
        "CapacityBlockExtensionStartDate": extension["start"],
        "CapacityBlockExtensionEndDate": extension["end"],
        "UpfrontFee": extension["fee"],
        "CurrencyCode": extension["currency"],
    }


def describe_capacity_block_extension_history(self: EC2Response) -> ActionResult:
    wanted = alone(self, "CapacityReservationIds")
    self.error_on_dryrun()
    known = market.reservations(HISTORY)
    for missing_id in [i for i in wanted if i not in {r["id"] for r in known}]:
        reservations.unknown(missing_id)
    items = [
        _item(extension, reservation)
        for reservation in known
        if not wanted or reservation["id"] in wanted
        for extension in market.extensions(reservation["id"], HISTORY)
    ]
    items, token = page(self, filtered(self, items, FILTERS))
    return ActionResult({"CapacityBlockExtensions": items, "NextToken": token})


def install() -> None:
    EC2Response.describe_capacity_block_extension_offerings = describe_capacity_block_extension_offerings
    EC2Response.purchase_capacity_block_extension = purchase_capacity_block_extension
    EC2Response.describe_capacity_block_extension_history = describe_capacity_block_extension_history
