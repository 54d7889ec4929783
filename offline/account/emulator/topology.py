"""DescribeInstanceTopology and DescribeCapacityReservationTopology: where instances sit in the network."""

import hashlib
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models.instances import Instance
from moto.ec2.responses import EC2Response

from emulator import market, reservations
from emulator.answers import alone, chosen, few, filtered, page
from emulator.world import Item, current, ec2

# Types of which EC2 tells the topology, with the number of nodes (EC2 User Guide, how-ec2-instance-topology-works).
FOUR = ("p6-b200.", "p6-b300.")
THREE = (
    "g6e.",
    "g7e.",
    "p4d.",
    "p4de.",
    "p5.48xlarge",
    "p5e.",
    "p5en.",
    "p6e-gb200.",
    "trn1.",
    "trn1n.",
    "trn2.",
    "trn2u.",
)
MOST_IDS, MOST_RESERVATIONS = 100, 10
LEAF = 8  # instances below one node of the lowest layer, where the world does not say


def _depth(kind: str) -> int:
    return 4 if kind.startswith(FOUR) else 3 if kind.startswith(THREE) else 0


def nodes(instance: Instance) -> list[str]:
    """The nodes above an instance, from the top down.

    The world gives them for the instance, or for the places of its reservation, in the order of launch; else those of
    one reservation have all but the lowest node in common.
    """
    given: list[str] | None = current().mapping("topology").get(instance.id)
    if given:
        return given
    reservation = market.find(getattr(instance, "capacity_reservation_id", ""))
    index = _index(instance, reservation)
    places = (reservation or {}).get("places") or []
    if places:
        return list(places[index % len(places)])
    where = reservation["id"] if reservation else "none"
    keys = [current().region, instance.availability_zone, where, f"{where}/{index // LEAF}"]
    return [_node(key) for key in keys[len(keys) - _depth(instance.instance_type) :]]


def _index(instance: Instance, reservation: Item | None) -> int:
    """The place of the instance among those of its reservation, ended ones among them, so that it never changes."""
    if not reservation:
        return 0
    launched = [i for r in ec2().reservations.values() for i in r.instances]
    mates = [i for i in launched if getattr(i, "capacity_reservation_id", None) == reservation["id"]]
    return mates.index(instance)


def _node(key: Any) -> str:
    return "nn-0" + hashlib.sha256(str(key).encode()).hexdigest()[:16]


def _zone_id(name: str | None) -> str | None:
    return next((z.zone_id for z in ec2().describe_availability_zones() if z.name == name), None)


def _instance_item(instance: Instance) -> Item:
    reservation = market.find(getattr(instance, "capacity_reservation_id", ""))
    return {
        "InstanceId": instance.id,
        "InstanceType": instance.instance_type,
        "GroupName": instance.placement.group_name or None,
        "NetworkNodes": nodes(instance) if instance.state == "running" else [],
        "AvailabilityZone": instance.availability_zone,
        "ZoneId": (reservation or {}).get("zoneId") or _zone_id(instance.availability_zone),
        # Only blocks of UltraServers are told (API reference, InstanceTopology).
        "CapacityBlockId": reservation["blockId"] if reservation and reservation.get("interconnect") else None,
    }


def describe_instance_topology(self: EC2Response) -> ActionResult:
    wanted, groups = alone(self, "InstanceIds", MOST_IDS), few(self, "GroupNames", MOST_IDS)
    self.error_on_dryrun()
    for instance_id in wanted:
        ec2().get_instance(instance_id)
    launched = [i for r in ec2().reservations.values() for i in r.instances if _depth(i.instance_type)]
    items = [_instance_item(i) for i in launched if not wanted or i.id in wanted]
    items = [i for i in items if not groups or i["GroupName"] in groups]
    items, token = page(
        self, filtered(self, items, ("availability-zone", "instance-type", "zone-id")), len(wanted) or 20, 100
    )
    return ActionResult({"Instances": items, "NextToken": token})


def describe_capacity_reservation_topology(self: EC2Response) -> ActionResult:
    """Only reservations that are active or pending, and not always all nodes (API reference)."""
    action = "DescribeCapacityReservationTopology"
    wanted = alone(self, "CapacityReservationIds", MOST_RESERVATIONS)
    self.error_on_dryrun()
    items = [_reservation_item(r) for r in market.reservations(action) if _depth(r["type"])]
    known = chosen(items, "CapacityReservationId", wanted, reservations.unknown)
    items = [
        i for i in filtered(self, known, ("availability-zone", "instance-type")) if i["State"] in ("active", "pending")
    ]
    items, token = page(self, items, 10, MOST_RESERVATIONS)
    return ActionResult({"CapacityReservations": items, "NextToken": token})


def _reservation_item(reservation: Item) -> Item:
    """The nodes that all places of the reservation have in common."""
    shown = reservations.item(reservation)
    places = reservation.get("places") or [
        [_node(key) for key in (current().region, reservation["zone"], reservation["id"])]
    ]
    common = [column[0] for column in zip(*places, strict=False) if len(set(column)) == 1]
    return {
        **{
            key: shown.get(key)
            for key in ("CapacityReservationId", "State", "InstanceType", "AvailabilityZone", "AvailabilityZoneId")
        },
        "CapacityBlockId": reservation.get("blockId") if reservation.get("interconnect") else None,
        "NetworkNodes": common[: min(3, _depth(reservation["type"]))],
    }


def install() -> None:
    EC2Response.describe_instance_topology = describe_instance_topology
    EC2Response.describe_capacity_reservation_topology = describe_capacity_reservation_topology
