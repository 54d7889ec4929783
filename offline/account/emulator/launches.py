"""RunInstances into a reservation, and the end of what runs in a block.

Codes of refusals are those of EC2's list of error codes, or were reported by users; a comment marks the others.
"""

from datetime import datetime
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2 import utils
from moto.ec2.models import instances
from moto.ec2.models.instances import Instance
from moto.ec2.responses import EC2Response

from emulator import clock, market, reservations
from emulator.answers import refuse
from emulator.world import Item, current, ec2

BLOCK = "capacity-block"
MARKET = "The market type (purchasing) option is not valid. Choose a different market type and try again"

_moto_run_instances = EC2Response.run_instances


def run_instances(self: EC2Response) -> ActionResult:
    """Launch; into the reservation that the call or its template targets, as many as fit of what is asked for.

    A dry run asks for permission. It says nothing of the reservation: ParallelCluster makes clusters for blocks that wait.
    """
    asked = _Asked(self)
    _refuse_type(asked)
    target = None if self._get_param("DryRun") else _target(asked)
    if target:
        _check_fit(asked, target)
        _check_state(target)
        self.params["MinCount"] = _count(asked, target)
    result = _moto_run_instances(self)
    for instance in result.result.instances:  # type: ignore[attr-defined]
        instance.placement.group_name = asked.get("Placement.GroupName") or ""
        if target:
            _mark(instance, target)
    return result


class _Asked:
    """What a launch asks for: the call's own word, or that of its launch template."""

    def __init__(self, response: EC2Response):
        self._call = response
        given = response._get_param("LaunchTemplate")
        self._template: Item = ec2()._get_template_from_args(given).data if given else {}

    def get(self, path: str) -> Any:
        own = self._call._get_param(path)
        return own if own not in (None, "") else _dig(self._template, path)

    def zone(self) -> str | None:
        """Where the instances would run, None where the call leaves it to EC2."""
        nics = self.get("NetworkInterfaces") or []
        subnet = self.get("SubnetId") or next((nic["SubnetId"] for nic in nics if "SubnetId" in nic), None)
        zone: str | None = (
            ec2().get_subnet(subnet).availability_zone if subnet else self.get("Placement.AvailabilityZone")
        )
        return zone


def _dig(document: Any, path: str) -> Any:
    for key in path.split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _refuse_type(asked: _Asked) -> None:
    """Refuse where the world says that EC2 refuses this type."""
    error = current().mapping("runInstancesErrors").get(asked.get("InstanceType"))
    if error:
        refuse(error["code"], error["message"])


def _target(asked: _Asked) -> Item | None:
    """The reservation that a launch targets. A block needs its own market type, and that market type needs a block."""
    to_block = asked.get("InstanceMarketOptions.MarketType") == BLOCK
    wanted = asked.get("CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId")
    group = asked.get("CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationResourceGroupArn")
    if not wanted and not group:
        if to_block:
            # Assumed: EC2 documents that the target is needed, and no code.
            refuse(
                "InvalidParameterCombination", "The market type capacity-block requires a Capacity Reservation target."
            )
        return None
    target = (market.find(wanted) or reservations.unknown(wanted)) if wanted else _of_group(group, asked)
    if target and market.is_block(target) != to_block:
        refuse("InvalidParameterValue", MARKET)
    return target


def _of_group(group_arn: str, asked: _Asked) -> Item | None:
    """The first reservation of a group with room for one instance, or the first one."""
    group = next((g for g in current().items("reservationGroups") if g["arn"] == group_arn), {"reservations": []})
    members = [
        r for r in market.reservations() if r["id"] in group["reservations"] and r["type"] == asked.get("InstanceType")
    ]
    return next((r for r in members if market.state(r) == "active" and _free(r) > 0), members[0] if members else None)


def _check_fit(asked: _Asked, target: Item) -> None:
    zone = asked.zone()
    for attribute, wanted, own in (
        ("InstanceType", asked.get("InstanceType"), target["type"]),
        ("AvailabilityZone", zone, target["zone"]),
    ):
        if wanted and wanted != own:
            # The text is EC2's, as reported; the code with it is assumed.
            refuse(
                "InvalidParameterValue",
                "Capacity Reservation's attribute does not match with requested instance parameter. "
                f"Attribute: {attribute}",
            )
    if market.is_block(target) and (asked.get("Placement.GroupName") or asked.get("Placement.GroupId")):
        # EC2 documents that a block takes no placement group, and no code.
        refuse("InvalidParameterCombination", "Placement groups are not supported for Capacity Blocks.")


def _check_state(target: Item) -> None:
    state = market.state(target)
    if state in (market.PENDING, "scheduled"):
        refuse(
            "InvalidCapacityReservationState.PendingActivation",
            f"Your Capacity Block reservation {target['id']} is not active yet.",
        )
    if state != "active":
        # The code is known of reservations that are being taken back; for one that is over it is assumed.
        refuse("InvalidCapacityReservationState.Unavailable", f"The Capacity Reservation {target['id']} is {state}.")


def _free(target: Item) -> int:
    """Nothing is free any more once EC2 has begun to terminate the instances of a block."""
    ends = market.terminates(target)
    return 0 if ends and clock.is_put() and clock.now() >= ends else target["count"] - market.used(target)


def _count(asked: _Asked, target: Item) -> int:
    least, most = int(asked.get("MinCount") or 1), int(asked.get("MaxCount") or 1)
    if _free(target) < least:
        refuse(
            "ReservationCapacityExceeded",
            "The requested reservation does not have sufficient compatible and available capacity for this request.",
        )
    return min(most, _free(target))


def _mark(instance: Instance, target: Item) -> None:
    instance.capacity_reservation_id = target["id"]
    instance.capacity_reservation_specification = {"CapacityReservationTarget": {"CapacityReservationId": target["id"]}}
    if market.is_block(target):
        instance.lifecycle = instance.instance_lifecycle = BLOCK  # moto takes every market for the spot market
        instance.capacity_block_id = target.get("blockId")


def settle() -> None:
    """End what runs in blocks that are near their end: before each call of AWS, and when the clock is moved."""
    for reservation in market.reservations():
        ends = market.terminates(reservation)
        if not ends or clock.now() < ends or not (reservation.get("bought") or clock.is_put()):
            continue
        for instance in market.instances(reservation["id"]):
            _terminate(instance)
        reservation["used"] = 0


def _terminate(instance: Instance) -> None:
    instance.terminate()
    # EC2 tells whose doing an end was; the words for the end of a block are assumed.
    instance._reason = f"Server.CapacityBlockExpired ({clock.now():%Y-%m-%d %H:%M:%S} UTC)"
    instance.state_reason = instances.StateReason(
        "Server.CapacityBlockExpired: the Capacity Block has reached its end", "Server.CapacityBlockExpired"
    )


def _launched() -> datetime:
    """moto keeps moments without their time zone."""
    return clock.now().replace(tzinfo=None)


def install() -> None:
    EC2Response.run_instances = run_instances
    instances.utcnow = _launched
    # A filter of DescribeInstances that moto does not have (EC2 API reference).
    utils.filter_dict_attribute_mapping["capacity-reservation-id"] = "capacity_reservation_id"
