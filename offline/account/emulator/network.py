"""VPCs, subnets, security groups, key pairs and launch templates, made in moto's own models."""

from typing import Any

from moto.ec2.models import EC2Backend, launch_templates, security_groups, subnets, vpcs
from moto.ec2.models.availability_zones_and_regions import Zone
from moto.ec2.models.key_pairs import KeyPair
from moto.ec2.models.launch_templates import LaunchTemplate
from moto.ec2.models.security_groups import SecurityGroup, SecurityGroupRule

from emulator.given import given_id
from emulator.world import Item, ec2

_moto_create_default_vpc = EC2Backend.create_default_vpc


def _create_default_vpc(self: EC2Backend) -> vpcs.VPC:
    """A world names every VPC that it has, so the one that moto makes in each region goes."""
    made = _moto_create_default_vpc(self)
    for kind in (self.vpcs, self.subnets, self.groups, self.route_tables, self.network_acls):
        kind.clear()
    return made


def install() -> None:
    EC2Backend.create_default_vpc = _create_default_vpc


def add_vpc(vpc: Item) -> None:
    """A VPC with its two DNS attributes and, as in AWS, a main route table and a group named default."""
    with given_id(vpcs, "random_vpc_id", vpc["id"]):
        made = ec2().create_vpc(vpc["cidr"], tags=vpc.get("tags") or [])
    made.enable_dns_support = vpc["dnsSupport"]
    made.enable_dns_hostnames = vpc["dnsHostnames"]


def add_subnet(subnet: Item) -> None:
    """A subnet in its zone with as many free addresses as the world says (null: what the CIDR leaves)."""
    with given_id(subnets, "random_subnet_id", subnet["id"]):
        made = ec2().create_subnet(subnet["vpc"], subnet["cidr"], availability_zone=subnet["zone"])
    if subnet.get("zoneId"):
        made._availability_zone = Zone(subnet["zone"], ec2().region_name, subnet["zoneId"])
    if subnet.get("freeAddresses") is not None:
        made._available_ip_addresses = subnet["freeAddresses"]
    made.map_public_ip_on_launch = subnet["mapPublicIp"]
    made.default_for_az = False


def add_security_group(group: Item) -> None:
    """A group with exactly the given rules: moto's default rule that lets everything out is dropped."""
    with given_id(security_groups, "random_security_group_id", group["id"]):
        name = group.get("name") or group["id"]
        made = ec2().create_security_group(name, group.get("description") or name, vpc_id=group["vpc"])
    made.ingress_rules = _rules(made, group.get("ingress") or [], egress=False)
    made.egress_rules = _rules(made, group.get("egress") or [], egress=True)


def _rules(group: SecurityGroup, permissions: list[Item], egress: bool) -> list[SecurityGroupRule]:
    """One moto rule for each source or target of each permission."""
    return [
        SecurityGroupRule(
            group.ec2_backend,
            permission["protocol"],
            group.id,
            permission.get("fromPort") or 0,
            permission.get("toPort") or 0,
            is_egress=egress,
            **target,
        )
        for permission in permissions
        for target in _targets(permission)
    ]


def _targets(permission: Item) -> list[dict[str, Any]]:
    account = ec2().account_id
    return [
        *({"ip_range": {"CidrIp": cidr}} for cidr in permission.get("cidrs") or []),
        *({"ip_range": {"CidrIpv6": cidr}} for cidr in permission.get("ipv6Cidrs") or []),
        *({"ip_range": None, "prefix_list_id": {"PrefixListId": p}} for p in permission.get("prefixLists") or []),
        *(
            {"ip_range": None, "source_group": {"GroupId": group, "UserId": account}}
            for group in permission.get("groups") or []
        ),
    ]


def add_key_pair(pair: Item) -> None:
    """A key pair whose key material nobody has: only its name and type are ever asked for."""
    ec2().key_pairs[pair["name"]] = KeyPair(
        pair["name"], pair["type"], fingerprint="", material=b"", material_public=b"", tags={}, ec2_backend=ec2()
    )


def add_launch_template(template: Item) -> None:
    """A template with all its versions, oldest first, each as EC2's API takes it."""
    first, *later = template["versions"]
    with given_id(launch_templates, "random_launch_template_id", template["id"]):
        made: LaunchTemplate = ec2().create_launch_template(template.get("name") or template["id"], "", first, {})
    for data in later:
        made.create_version(data, "")
