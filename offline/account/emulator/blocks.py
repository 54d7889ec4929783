"""DescribeCapacityBlocks and DescribeCapacityBlockStatus: blocks, and the reservations that they are made of."""

from typing import Any, NoReturn

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from emulator import market, reservations
from emulator.answers import alone, chosen, filtered, page, refuse
from emulator.world import Item

FILTERS = (
    "capacity-block-id",
    "ultraserver-type",
    "availability-zone",
    "start-date",
    "end-date",
    "create-date",
    "state",
    "tags",
)


def _parts(action: str) -> dict[str, list[Item]]:
    """The reservations of each block that an action shows."""
    parts: dict[str, list[Item]] = {}
    for reservation in market.reservations(action):
        if market.is_block(reservation) and reservation.get("blockId"):
            parts.setdefault(reservation["blockId"], []).append(reservation)
    return parts


def _unknown(block_id: str) -> NoReturn:
    # EC2's list of error codes has none for this; the code is made as its others are.
    refuse("InvalidCapacityBlockId.NotFound", f"The Capacity Block '{block_id}' does not exist.")


def item(parts: list[Item], action: str | None = None) -> Item:
    """A DescribeCapacityBlocks item."""
    first = reservations.item(parts[0], action)
    return {
        "CapacityBlockId": parts[0]["blockId"],
        "UltraserverType": parts[0].get("ultraServer") or None,
        "CapacityReservationIds": [part["id"] for part in parts],
        **{
            key: first.get(key)
            for key in ("AvailabilityZone", "AvailabilityZoneId", "StartDate", "EndDate", "CreateDate", "State", "Tags")
        },
    }


def describe_capacity_blocks(self: EC2Response) -> ActionResult:
    self.error_on_dryrun()
    action = "DescribeCapacityBlocks"
    items = [item(parts, action) for parts in _parts(action).values()]
    items = filtered(self, chosen(items, "CapacityBlockId", alone(self, "CapacityBlockIds"), _unknown), FILTERS)
    items, token = page(self, items)
    return ActionResult({"CapacityBlocks": items, "NextToken": token})


def describe_capacity_block_status(self: EC2Response) -> ActionResult:
    """Only blocks of UltraServers have an interconnect, so only they are shown."""
    self.error_on_dryrun()
    all_parts = _parts("DescribeCapacityBlockStatus").items()
    items = [_status(block_id, parts) for block_id, parts in all_parts if parts[0].get("interconnect")]
    wanted = alone(self, "CapacityBlockIds")
    items = filtered(self, [i for i in items if not wanted or i["CapacityBlockId"] in wanted], ("interconnect-status",))
    items, token = page(self, items)
    return ActionResult({"CapacityBlockStatuses": items, "NextToken": token})


def _status(block_id: str, parts: list[Item]) -> Item:
    return {
        "CapacityBlockId": block_id,
        "InterconnectStatus": parts[0]["interconnect"],
        **_capacity(parts),
        "CapacityReservationStatuses": [{"CapacityReservationId": part["id"], **_capacity([part])} for part in parts],
    }


def _capacity(parts: list[Item]) -> dict[str, Any]:
    total, broken = sum(part["count"] for part in parts), sum(part.get("unavailable") or 0 for part in parts)
    return {"TotalCapacity": total, "TotalAvailableCapacity": total - broken, "TotalUnavailableCapacity": broken}


def install() -> None:
    EC2Response.describe_capacity_blocks = describe_capacity_blocks
    EC2Response.describe_capacity_block_status = describe_capacity_block_status
