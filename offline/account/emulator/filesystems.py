"""FSx for Lustre and EFS file systems, each with the network interfaces through which it is reached."""

from moto.ec2.models.elastic_network_interfaces import NetworkInterface
from moto.efs import models as efs
from moto.fsx import models as fsx
from moto.fsx.models import FileSystem

from emulator.given import given_id
from emulator.world import ACCOUNT, Item, current, ec2

_moto_to_dict = FileSystem.to_dict


def _to_dict(self: FileSystem) -> Item:
    """moto's answer has no VPC and no interfaces, without which nobody can check the security groups."""
    return {**_moto_to_dict(self), **getattr(self, "placed", {})}


def install() -> None:
    FileSystem.to_dict = _to_dict


def add_file_system(file_system: Item) -> None:
    """A file system of kind lustre or efs."""
    makers = {"lustre": _add_lustre, "efs": _add_efs}
    makers[file_system["kind"]](file_system)


def _add_lustre(given: Item) -> None:
    backend = fsx.fsx_backends[ACCOUNT][current().region]
    made = FileSystem(
        account_id=ACCOUNT,
        region_name=current().region,
        file_system_type="LUSTRE",
        storage_capacity=given["capacity"],
        storage_type="SSD",
        subnet_ids=given["subnets"],
        security_group_ids=given["securityGroups"],
        tags=None,
        kms_key_id=None,
        windows_configuration=None,
        lustre_configuration={"DeploymentType": given["deployment"], "MountName": given["mountName"]},
        ontap_configuration=None,
        open_zfs_configuration=None,
        backend=backend,
    )
    made.file_system_id = given["id"]
    made.dns_name = f"{given['id']}.fsx.{current().region}.amazonaws.com"
    made.resource_arn = f"arn:aws:fsx:{current().region}:{ACCOUNT}:file-system/{given['id']}"
    interfaces = [_interface(subnet, given["securityGroups"]) for subnet in given["subnets"]]
    made.placed = {
        "Lifecycle": "AVAILABLE",
        "VpcId": interfaces[0].subnet.vpc_id,
        "NetworkInterfaceIds": [interface.id for interface in interfaces],
    }
    backend.file_systems[given["id"]] = made


def _interface(subnet_id: str, groups: list[str]) -> NetworkInterface:
    return ec2().create_network_interface(ec2().get_subnet(subnet_id), "", group_ids=groups)


def _add_efs(given: Item) -> None:
    backend = efs.efs_backends[ACCOUNT][current().region]
    with given_id(efs.mock_random, "get_random_hex", given["id"].removeprefix("fs-")):
        backend.create_file_system(
            creation_token=given["id"],
            performance_mode="generalPurpose",
            encrypted=True,
            kms_key_id="",
            throughput_mode="elastic",
            provisioned_throughput_in_mibps=0,
            availability_zone_name="",
            backup=False,
            tags=[],
        )
    for subnet in given["subnets"]:
        backend.create_mount_target(given["id"], subnet, security_groups=given["securityGroups"])
