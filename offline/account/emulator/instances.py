"""Instance types and their offerings."""

import json
from importlib import resources
from typing import Any

from moto.core.responses import TYPE_RESPONSE, ActionContext, ActionResult
from moto.ec2.models import instance_types
from moto.ec2.responses import EC2Response

from emulator.world import Item, current, ec2

LOCATION_TYPES = ("region", "availability-zone", "availability-zone-id")

_moto_offerings_answer = EC2Response.describe_instance_type_offerings
_moto_offerings = instance_types.InstanceTypeOfferingBackend.describe_instance_type_offerings


class Remembered(ActionResult):
    """A result that is made and serialized once: the offerings of a region are a thousand items."""

    def __init__(self, key: str, result: ActionResult):
        super().__init__(result.result)
        self._key = key

    def execute_result(self, context: ActionContext) -> TYPE_RESPONSE:
        answers = current().answers
        if self._key not in answers:
            answers[self._key] = super().execute_result(context)
        return answers[self._key]


def offerings_answer(self: EC2Response) -> ActionResult:
    asked = {key: value for key, value in self.querystring.items() if key not in ("Action", "Version")}
    key = f"{self.region} {json.dumps(asked, sort_keys=True)}"
    return Remembered(key, ActionResult({}) if key in current().answers else _moto_offerings_answer(self))


def describe_instance_type_offerings(
    self: Any, location_type: str | None = None, filters: Item | None = None
) -> list[Item]:
    """moto's recorded offerings, corrected by the world.

    A type that the world offers in some zone is offered in exactly the zones that the world names for it.
    """
    location_type = location_type or "region"
    zones = current().mapping("offerings")
    ruled = {name for names in zones.values() for name in names}
    recorded = [o for o in _moto_offerings(self, location_type, filters) if o["InstanceType"] not in ruled]
    given = {
        (name, location): {"InstanceType": name, "Location": location, "LocationType": location_type}
        for zone, names in zones.items()
        for location in [_location(self, location_type, zone)]
        for name in names
    }
    return recorded + [o for o in given.values() if self.matches_filters(o, filters or {}, location_type)]


def _location(backend: Any, location_type: str, zone: str) -> str:
    if location_type == "region":
        return backend.region_name
    if location_type == "availability-zone":
        return zone
    return next((z.zone_id for z in ec2().describe_availability_zones() if z.name == zone), zone)


def _add_newer_types() -> None:
    """Types that moto's recorded list does not have; the file says which of their fields are assumed."""
    source = resources.files("emulator").joinpath("instance_types.json")
    for item in json.loads(source.read_text(encoding="utf-8"))["types"]:
        name = item["InstanceType"]
        if name not in instance_types.INSTANCE_TYPES:
            instance_types.INSTANCE_TYPES[name] = item
            instance_types.InstanceTypeBackend.instance_types.append(instance_types.InstanceType(name))


def install() -> None:
    _add_newer_types()
    EC2Response.describe_instance_type_offerings = offerings_answer
    # moto wants Ebs and a size in every mapping; EC2 takes ephemeral volumes, and a root volume of the image's size.
    EC2Response._validate_block_device_mapping = staticmethod(lambda mapping: None)
    instance_types.InstanceTypeOfferingBackend.describe_instance_type_offerings = describe_instance_type_offerings
