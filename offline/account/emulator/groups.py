"""resource-groups: groups of capacity reservations."""

import json

from moto.resourcegroups import urls
from moto.resourcegroups.responses import ResourceGroupsResponse

from emulator.reservations import arn
from emulator.world import Item, current


def _group(self: ResourceGroupsResponse) -> Item | None:
    wanted = json.loads(self.body)["Group"]
    groups = current().items("reservationGroups")
    return next((group for group in groups if wanted in (group["arn"], group["arn"].split("/")[-1])), None)


def get_group_configuration(self: ResourceGroupsResponse) -> str:
    pool = [{"Type": "AWS::EC2::CapacityReservationPool"}]
    return json.dumps({"GroupConfiguration": {"Configuration": pool if _group(self) else []}})


def list_group_resources(self: ResourceGroupsResponse) -> str:
    group = _group(self)
    resources = [
        {"Identifier": {"ResourceType": "AWS::EC2::CapacityReservation", "ResourceArn": arn(reservation)}}
        for reservation in (group["reservations"] if group else [])
    ]
    return json.dumps({"Resources": resources})


def install() -> None:
    ResourceGroupsResponse.get_group_configuration = get_group_configuration
    ResourceGroupsResponse.list_group_resources = list_group_resources
    urls.url_paths["{0}/list-group-resources$"] = ResourceGroupsResponse.dispatch
