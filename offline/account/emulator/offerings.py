"""DescribeCapacityBlockOfferings and PurchaseCapacityBlock.

Codes of refusals are those of EC2's list of error codes; a comment marks one that the list does not settle.
"""

import re
from datetime import datetime
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models import instance_types
from moto.ec2.responses import EC2Response

from emulator import blocks, market, reservations
from emulator.answers import missing, page, refuse, utc
from emulator.world import Item, current

DESCRIBE = "DescribeCapacityBlockOfferings"
SHOWN = 6  # EC2 answers with the offerings that it recommends (EC2 User Guide, capacity-blocks-purchase)
MOST = 64  # instances of a block
ID = re.compile(r"^cb[a-z]?-[0-9a-z]{8,}$")
TAGGABLE = ("capacity-reservation", "capacity-block")


def describe_capacity_block_offerings(self: EC2Response) -> ActionResult:
    wanted = _wanted(self)
    hours = self._get_param("CapacityDurationHours")
    check_hours(hours, "CapacityDurationHours")
    first, last = utc(self._get_param("StartDateRange")), utc(self._get_param("EndDateRange"))
    if first and last and first >= last:
        refuse("InvalidParameterValue", "The end date range must be after the start date range.")
    _check_limit(wanted.get("count") or 0)
    self.error_on_dryrun()
    found = [
        offering
        for offering in current().items("market")
        if all(offering.get(key) == value for key, value in wanted.items())
        and market.asked_hours(offering) == hours
        and _is_shown(self, offering, first, last)
    ]
    found.sort(key=lambda o: (market.moment(o, "start"), float(o["fee"]), o["id"]))
    items, token = page(self, [_item(offering) for offering in found[:SHOWN]])
    return ActionResult({"CapacityBlockOfferings": items, "NextToken": token})


def _wanted(self: EC2Response) -> Item:
    """What the offerings must be: a number of instances of a type, or of UltraServers."""
    kind, count = self._get_param("InstanceType"), self._get_param("InstanceCount")
    server, servers = self._get_param("UltraserverType"), self._get_param("UltraserverCount")
    if (kind or count) and (server or servers):
        refuse("InvalidParameterCombination", "Specify either an instance type or an UltraServer type, not both.")
    if server or servers:
        return {
            "ultraServer": server or missing("UltraserverType"),
            "ultraServerCount": servers or missing("UltraserverCount"),
        }
    if not kind:
        missing("InstanceType")
    if count is None:
        missing("InstanceCount")
    if not 1 <= count <= MOST:
        refuse(
            "InvalidParameterValue", f"The instance count '{count}' is not valid. Specify a value between 1 and {MOST}."
        )
    if not _is_sold_as_block(kind):
        refuse(
            "InvalidParameterValue",
            f"The instance type '{kind}' is not supported for Capacity Blocks in '{current().region}'. "
            "Specify a compatible instance type and try again.",
        )
    return {"type": kind, "count": count}


def _is_sold_as_block(kind: str) -> bool:
    described = instance_types.INSTANCE_TYPES.get(kind, {})
    offered = {offering["type"] for offering in current().items("market")}
    return kind in offered or "capacity-block" in described.get("SupportedUsageClasses", [])


def check_hours(hours: int, parameter: str) -> None:
    """A duration that is sold."""
    if hours not in market.DURATIONS:
        refuse(
            "InvalidParameterValue",
            f"Invalid value '{hours}' for {parameter}. "
            "Durations are 1 to 14 days in 1-day steps, then up to 182 days in 7-day steps.",
        )


def _check_limit(count: int) -> None:
    limit = current().document.get("blockLimit") or market.LIMIT
    if market.held() + count > limit:
        refuse(
            "CapacityBlockDescribeLimitExceeded",
            f"You have {market.held()} instances in Capacity Blocks, {count} more exceed the limit of {limit}.",
        )


def _is_shown(self: EC2Response, offering: Item, first: datetime | None, last: datetime | None) -> bool:
    start, end = market.moment(offering, "start"), market.moment(offering, "end")
    if not market.is_for_sale(offering, DESCRIBE) or start is None or end is None:
        return False
    if offering.get("optedOut") and not self._get_param("AllAvailabilityZones"):
        return False
    return not (first and start < first) and not (last and end > last)


def _item(offering: Item) -> Item:
    lasts = market.duration(offering)
    return {
        "CapacityBlockOfferingId": offering["id"],
        "InstanceType": offering["type"],
        "AvailabilityZone": offering["zone"],
        "InstanceCount": offering["count"],
        "StartDate": market.moment(offering, "start"),
        "EndDate": market.moment(offering, "end"),
        "CapacityBlockDurationHours": int(lasts.total_seconds()) // 3600,
        "CapacityBlockDurationMinutes": int(lasts.total_seconds()) % 3600 // 60,
        "UpfrontFee": offering["fee"],
        "CurrencyCode": offering["currency"],
        "Tenancy": offering.get("tenancy") or "default",
        "UltraserverType": offering.get("ultraServer") or None,
        "UltraserverCount": offering.get("ultraServerCount") or None,
        "ZoneType": offering.get("zoneType") or "availability-zone",
    }


def purchase_capacity_block(self: EC2Response) -> ActionResult:
    """Sell a block. The answer says payment-pending, also where the payment takes no time."""
    offering = offered(
        current().items("market"),
        self._get_param("CapacityBlockOfferingId") or missing("CapacityBlockOfferingId"),
        ID,
        "CapacityBlockOffering",
    )
    platform = self._get_param("InstancePlatform") or missing("InstancePlatform")
    tags = _tags(self)
    self.error_on_dryrun()
    bought = market.buy(offering, platform, tags)
    answer: Item = {"CapacityReservation": {**reservations.item(bought), "State": market.PENDING}}
    if offering.get("ultraServer"):
        answer["CapacityBlocks"] = [{**blocks.item([bought]), "State": market.PENDING}]
    return ActionResult(answer)


def offered(items: list[Item], offering_id: str, form: re.Pattern[str], kind: str) -> Item:
    """The offering of an id that can be bought."""
    if not form.match(offering_id):
        refuse(f"Invalid{kind}IdMalformed", f"The {_spaced(kind)} ID '{offering_id}' is malformed.")
    found = next((item for item in items if item["id"] == offering_id), None)
    if found is None:
        refuse(f"Invalid{kind}IdNotFound", f"The {_spaced(kind)} ID '{offering_id}' cannot be found for this account.")
    if not market.is_for_sale(found):
        refuse(f"Invalid{kind}IdExpired", f"The {_spaced(kind)} ID '{offering_id}' is no longer available.")
    return found


def _spaced(kind: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r" \1", kind).replace("Offering", "offering")


def _tags(self: EC2Response) -> dict[str, str]:
    tags: dict[str, Any] = {}
    for given in self._get_param("TagSpecifications", []):
        if given.get("ResourceType") not in TAGGABLE:
            refuse(
                "InvalidParameterValue",
                f"'{given.get('ResourceType')}' is not a valid taggable resource type for this operation.",
            )
        tags.update({tag["Key"]: tag.get("Value", "") for tag in given.get("Tags", [])})
    reserved = next((key for key in tags if key.startswith("aws:")), None)
    if reserved:
        refuse("InvalidParameterValue", f"Tag keys starting with 'aws:' are reserved for internal use: {reserved}")
    if len(tags) > 50:
        refuse("TagLimitExceeded", "The maximum number of Tags for a resource has been reached.")
    return tags


def install() -> None:
    EC2Response.describe_capacity_block_offerings = describe_capacity_block_offerings
    EC2Response.purchase_capacity_block = purchase_capacity_block
