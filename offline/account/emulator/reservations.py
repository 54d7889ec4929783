"""Capacity reservations with their tags, and placement groups: EC2 calls that moto does not have."""

import re
from typing import NoReturn

from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response

from emulator import market
from emulator.answers import alone, chosen, filtered, page, refuse
from emulator.world import ACCOUNT, Item, current, ec2

DESCRIBE = "DescribeCapacityReservations"
TAG = "aws:ec2capacityreservation:"
ID = re.compile(r"^cr-[0-9a-zA-Z-]+$")
FILTERS = (
    "instance-type",
    "owner-id",
    "instance-platform",
    "availability-zone",
    "tenancy",
    "outpost-arn",
    "state",
    "start-date",
    "end-date",
    "end-date-type",
    "instance-match-criteria",
    "placement-group-arn",
)

_moto_create_tags = EC2Response.create_tags
_moto_delete_tags = EC2Response.delete_tags


def arn(reservation_id: str) -> str:
    return f"arn:aws:ec2:{current().region}:{ACCOUNT}:capacity-reservation/{reservation_id}"


def unknown(reservation_id: str) -> NoReturn:
    """Refuse an id that no reservation has."""
    reason = "NotFound" if ID.match(reservation_id) else "Malformed"
    refuse(f"InvalidCapacityReservationId.{reason}", f"The capacity reservation '{reservation_id}' does not exist.")


def item(reservation: Item, action: str | None = None) -> Item:
    """A DescribeCapacityReservations item; for an action, without what it does not show yet.

    EC2 shows no instances for a block that has not started or is over; the size that was bought is in a tag.
    """
    block, state, last = market.is_block(reservation), market.state(reservation), market.end(reservation, action)
    total = reservation["count"] if state == "active" or not block else 0
    shown = {
        "CapacityReservationId": reservation["id"],
        "CapacityReservationArn": arn(reservation["id"]),
        "OwnerId": reservation.get("owner") or ACCOUNT,
        "AvailabilityZone": reservation["zone"],
        "AvailabilityZoneId": reservation.get("zoneId") or _zone_id(reservation["zone"]),
        "InstanceType": reservation["type"],
        "InstancePlatform": reservation.get("platform") or "Linux/UNIX",
        "Tenancy": reservation.get("tenancy") or "default",
        "TotalInstanceCount": total,
        "AvailableInstanceCount": max(total - market.used(reservation), 0),
        "EbsOptimized": False,
        "EphemeralStorage": False,
        "State": state,
        "StartDate": market.moment(reservation, "start"),
        "EndDate": last,
        "CreateDate": market.moment(reservation, "created"),
        "EndDateType": "limited" if last else "unlimited",
        "InstanceMatchCriteria": "targeted",
        "ReservationType": "capacity-block" if block else "default",
        "PlacementGroupArn": reservation.get("placementGroupArn"),
        "Tags": _tags(reservation, block),
    }
    if block:
        shown["CapacityBlockId"] = reservation.get("blockId")
    return {key: value for key, value in shown.items() if value not in (None, "")}


def _tags(reservation: Item, block: bool) -> list[Item]:
    """EC2's own tags of a block, then those of its owner."""
    own = {
        TAG + "incrementalRequestedQuantity": str(reservation["count"]),
        TAG + "capacityReservationType": "capacity-block",
    }
    tags = {**(own if block else {}), **(reservation.get("tags") or {})}
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def _zone_id(zone: str) -> str:
    return next((z.zone_id for z in ec2().describe_availability_zones() if z.name == zone), "")


def describe_capacity_reservations(self: EC2Response) -> ActionResult:
    wanted = alone(self, "CapacityReservationIds")
    self.error_on_dryrun()
    items = [item(reservation, DESCRIBE) for reservation in market.reservations(DESCRIBE)]
    items, token = page(self, filtered(self, chosen(items, "CapacityReservationId", wanted, unknown), FILTERS))
    return ActionResult({"CapacityReservations": items, "NextToken": token})


def _split_off(self: EC2Response) -> list[Item]:
    """The reservations that a call on tags names; the other resources stay in the call, for moto."""
    named = self._get_param("Resources", [])
    mine = [r for r in market.reservations() if r["id"] in named or r.get("blockId") in named]
    ids = {r["id"] for r in mine} | {r.get("blockId") for r in mine}
    for reservation_id in [i for i in named if i.startswith("cr-") and i not in ids]:
        unknown(reservation_id)
    self.params["Resources"] = [i for i in named if i not in ids]
    return mine


def create_tags(self: EC2Response) -> ActionResult:
    mine = _split_off(self)
    result = _moto_create_tags(self) if self._get_param("Resources", []) else EmptyResult()
    self.error_on_dryrun()
    for reservation in mine:
        given = {tag["Key"]: tag.get("Value", "") for tag in self._get_param("Tags", [])}
        reservation["tags"] = {**(reservation.get("tags") or {}), **given}
    return result


def delete_tags(self: EC2Response) -> ActionResult:
    mine = _split_off(self)
    result = _moto_delete_tags(self) if self._get_param("Resources", []) else EmptyResult()
    self.error_on_dryrun()
    for reservation in mine:
        gone = {tag["Key"]: tag.get("Value") for tag in self._get_param("Tags", [])}
        kept = (reservation.get("tags") or {}).items()
        reservation["tags"] = {k: v for k, v in kept if k not in gone or gone[k] not in (None, v)}
    return result


def describe_placement_groups(self: EC2Response) -> ActionResult:
    names, ids = self._get_param("GroupNames", []), self._get_param("GroupIds", [])
    groups = current().items("placementGroups")
    known = {group["name"] for group in groups} | {group["id"] for group in groups}
    for missing in [wanted for wanted in names + ids if wanted not in known]:
        raise EC2ClientError("InvalidPlacementGroup.Unknown", f"The Placement Group '{missing}' is unknown.")
    chosen = [g for g in groups if not names + ids or g["name"] in names or g["id"] in ids]
    return ActionResult({"PlacementGroups": [_placement_group(group) for group in chosen]})


def _placement_group(group: Item) -> Item:
    return {
        "GroupName": group["name"],
        "GroupId": group["id"],
        "GroupArn": f"arn:aws:ec2:{current().region}:{ACCOUNT}:placement-group/{group['name']}",
        "State": "available",
        "Strategy": group["strategy"],
    }


def install() -> None:
    EC2Response.describe_capacity_reservations = describe_capacity_reservations
    EC2Response.create_tags = create_tags
    EC2Response.delete_tags = delete_tags
    EC2Response.describe_placement_groups = describe_placement_groups
