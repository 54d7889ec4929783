"""Capacity reservations, capacity blocks and placement groups: EC2 calls that moto does not have."""

from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response

from emulator.world import ACCOUNT, Item, current, ec2

TAG = "aws:ec2capacityreservation:"


def arn(reservation_id: str) -> str:
    return f"arn:aws:ec2:{current().region}:{ACCOUNT}:capacity-reservation/{reservation_id}"


def _item(reservation: Item) -> Item:
    """A DescribeCapacityReservations item.

    EC2 shows no instances for a block that has not started or is over; the size that was bought is in a tag.
    """
    block = reservation["kind"] == "block"
    total = reservation["count"] if reservation["state"] == "active" or not block else 0
    item = {
        "CapacityReservationId": reservation["id"],
        "CapacityReservationArn": arn(reservation["id"]),
        "OwnerId": ACCOUNT,
        "AvailabilityZone": reservation["zone"],
        "AvailabilityZoneId": reservation.get("zoneId") or _zone_id(reservation["zone"]),
        "InstanceType": reservation["type"],
        "InstancePlatform": reservation.get("platform") or "Linux/UNIX",
        "Tenancy": reservation.get("tenancy") or "default",
        "TotalInstanceCount": total,
        "AvailableInstanceCount": max(total - (reservation.get("used") or 0), 0),
        "EbsOptimized": False,
        "EphemeralStorage": False,
        "State": reservation["state"],
        "StartDate": reservation.get("start"),
        "EndDate": reservation.get("end"),
        "EndDateType": "limited" if reservation.get("end") else "unlimited",
        "InstanceMatchCriteria": "targeted",
        "ReservationType": "capacity-block" if block else "default",
        "PlacementGroupArn": reservation.get("placementGroupArn"),
        "Tags": _tags(reservation) if block else [],
    }
    if block:
        item["CapacityBlockId"] = reservation.get("blockId")
    return {key: value for key, value in item.items() if value not in (None, "")}


def _tags(reservation: Item) -> list[Item]:
    return [
        {"Key": TAG + "incrementalRequestedQuantity", "Value": str(reservation["count"])},
        {"Key": TAG + "capacityReservationType", "Value": "capacity-block"},
    ]


def _zone_id(zone: str) -> str:
    return next((z.zone_id for z in ec2().describe_availability_zones() if z.name == zone), "")


def _matches(item: Item, filters: dict[str, list[str]]) -> bool:
    """EC2 names its filters after the fields: instance-type is InstanceType."""
    fields = {name: "".join(word.capitalize() for word in name.split("-")) for name in filters}
    return all(str(item.get(fields[name], "")) in values for name, values in filters.items())


def describe_capacity_reservations(self: EC2Response) -> ActionResult:
    wanted = self._get_param("CapacityReservationIds", [])
    items = [_item(reservation) for reservation in current().items("reservations")]
    known = {item["CapacityReservationId"] for item in items}
    for missing in [i for i in wanted if i not in known]:
        raise EC2ClientError(
            "InvalidCapacityReservationId.NotFound", f"The capacity reservation '{missing}' does not exist."
        )
    filters = self._filters_from_querystring()
    chosen = [i for i in items if (not wanted or i["CapacityReservationId"] in wanted) and _matches(i, filters)]
    return ActionResult({"CapacityReservations": chosen})


def describe_capacity_block_status(self: EC2Response) -> ActionResult:
    wanted = self._get_param("CapacityBlockIds", [])
    blocks: dict[str, list[Item]] = {}
    for reservation in current().items("reservations"):
        if reservation.get("interconnect") and (not wanted or reservation["blockId"] in wanted):
            blocks.setdefault(reservation["blockId"], []).append(reservation)
    return ActionResult({"CapacityBlockStatuses": [_block_status(i, parts) for i, parts in blocks.items()]})


def _block_status(block_id: str, parts: list[Item]) -> Item:
    statuses = [{"CapacityReservationId": part["id"], **_capacity(part["count"])} for part in parts]
    return {
        "CapacityBlockId": block_id,
        "InterconnectStatus": parts[0]["interconnect"],
        **_capacity(sum(part["count"] for part in parts)),
        "CapacityReservationStatuses": statuses,
    }


def _capacity(count: int) -> dict[str, Any]:
    return {"TotalCapacity": count, "TotalAvailableCapacity": count, "TotalUnavailableCapacity": 0}


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
    EC2Response.describe_capacity_block_status = describe_capacity_block_status
    EC2Response.describe_placement_groups = describe_placement_groups
