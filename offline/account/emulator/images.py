"""Machine images with an architecture, tags and a root volume size of their own."""

from typing import Any

from moto.ec2.models.amis import Ami

from emulator.world import ACCOUNT, Item, current, ec2

AMAZON = "247102896272"  # the account that owns ParallelCluster's official images


def _block_device_mappings(ami: Ami) -> list[dict[str, Any]]:
    """moto gives every image a root volume of 15 GiB."""
    sizes = {image["id"]: image["rootSize"] for image in current().items("images")}
    volume = {
        "SnapshotId": ami.ebs_snapshot.id,
        "VolumeSize": sizes.get(ami.id, 15),
        "DeleteOnTermination": True,
        "VolumeType": "gp3",
    }
    return [{"DeviceName": ami.root_device_name, "Ebs": volume}]


def install() -> None:
    Ami.block_device_mappings = property(_block_device_mappings)


def add_image(image: Item) -> None:
    """An available image. Its owner is an account id, or amazon."""
    amazon = image["owner"] == "amazon"
    made = Ami(
        ec2(),
        image["id"],
        name=image["name"],
        description=image["name"],
        owner_id=AMAZON if amazon else image["owner"] or ACCOUNT,
        owner_alias="amazon" if amazon else None,
        public=amazon,
        virtualization_type="hvm",
        architecture=image["architecture"],
        hypervisor="xen",
        root_device_type="ebs",
        root_device_name="/dev/xvda" if image["os"].startswith(("alinux", "amzn")) else "/dev/sda1",
        region_name=ec2().describe_availability_zones()[0].name,
        tags=image.get("tags") or {},
    )
    made.ena_support = True
    ec2().amis[image["id"]] = made
