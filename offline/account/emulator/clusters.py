"""A ParallelCluster cluster that runs: what `pcluster update-cluster` and `describe-cluster` read of it."""

import hashlib
import json

from moto.dynamodb.models import dynamodb_backends
from moto.ec2.models import instances, security_groups

from emulator import stacks, storage
from emulator.given import given_id
from emulator.world import ACCOUNT, Item, current, ec2

IMAGE = "ami-00000000000000000"  # of the head node, which nobody looks up

TEMPLATE = json.dumps(
    {
        "Parameters": {
            name: {"Type": "String"}
            for name in (
                "ArtifactS3RootDirectory",
                "ClusterUser",
                "ConfigVersion",
                "OfficialAmi",
                "ResourcesS3Bucket",
                "Scheduler",
            )
        },
        "Resources": {
            "HeadNodeSecurityGroup": {"Type": "AWS::EC2::SecurityGroup"},
            "ComputeSecurityGroup": {"Type": "AWS::EC2::SecurityGroup"},
        },
    }
)


def put_cluster(cluster: Item) -> None:
    """Create the cluster, in place of one of the same name.

    Its parts: the stack, the configuration in S3, a running head node and the fleet status in DynamoDB.
    """
    bucket = _bucket()
    directory = f"parallelcluster/{cluster['version']}/clusters/{cluster['name']}"
    version = storage.put_object(bucket, f"{directory}/configs/cluster-config.yaml", cluster["configuration"])
    parameters = {
        "ArtifactS3RootDirectory": directory,
        "ClusterUser": "ubuntu",
        "ConfigVersion": version or "",
        "OfficialAmi": "",  # ParallelCluster then looks for it, as for a new cluster
        "ResourcesS3Bucket": bucket,
        "Scheduler": "slurm",
    }
    tags = {"parallelcluster:version": cluster["version"], "parallelcluster:cluster-name": cluster["name"]}
    stack = stacks.put_stack(cluster["name"], TEMPLATE, parameters, tags)
    group = stacks.physical_ids(stack)["HeadNodeSecurityGroup"]
    _put_head_node(cluster, group)
    _put_fleet_status(cluster)


def _bucket() -> str:
    """The bucket that ParallelCluster makes in each region, named as it names it, marked as set up."""
    region = current().region
    name = f"parallelcluster-{hashlib.sha256((ACCOUNT + region).encode()).hexdigest()[:16]}-v1-do-not-delete"
    if not storage.has_bucket(name):
        storage.add_bucket({"name": name, "versioning": True})
        features = json.dumps({"bootstrapped_features": ["basic", "export-logs"]})
        storage.put_object(name, "parallelcluster/.bootstrapped", features)
    return name


def _put_head_node(cluster: Item, group: str) -> None:
    for reservation in list(ec2().reservations.values()):
        if any(_tag(i, "parallelcluster:cluster-name") == cluster["name"] for i in reservation.instances):
            del ec2().reservations[reservation.id]
    subnet = ec2().get_subnet(cluster["subnet"])
    if not ec2().get_security_group_from_id(group):
        with given_id(security_groups, "random_security_group_id", group):
            ec2().create_security_group(f"{cluster['name']}-head-node", "head node", vpc_id=subnet.vpc_id)
    with given_id(instances, "random_instance_id", _instance_id(cluster["name"])):
        ec2().run_instances(
            IMAGE,
            1,
            None,
            [],
            instance_type=cluster["instanceType"],
            is_instance_type_default=False,
            region_name=current().region,
            subnet_id=subnet.id,
            security_group_ids=[group],
            tags={"instance": _tags(cluster)},
        )


def _instance_id(name: str) -> str:
    return "i-" + hashlib.sha256(name.encode()).hexdigest()[:17]


def _tags(cluster: Item) -> dict[str, str]:
    return {
        "Name": "HeadNode",
        "parallelcluster:cluster-name": cluster["name"],
        "parallelcluster:node-type": "HeadNode",
        "parallelcluster:version": cluster["version"],
    }


def _tag(instance: instances.Instance, key: str) -> str | None:
    return next((tag["value"] for tag in instance.get_tags() if tag["key"] == key), None)


def _put_fleet_status(cluster: Item) -> None:
    backend = dynamodb_backends[ACCOUNT][current().region]
    table = f"parallelcluster-{cluster['name']}"
    if table not in backend.tables:
        backend.create_table(
            table,
            schema=[{"AttributeName": "Id", "KeyType": "HASH"}],
            throughput=None,
            attr=[{"AttributeName": "Id", "AttributeType": "S"}],
            global_indexes=None,
            indexes=None,
            streams=None,
            billing_mode="PAY_PER_REQUEST",
            sse_specification=None,
            tags=[],
            deletion_protection_enabled=False,
            warm_throughput=None,
        )
    status = {"status": {"S": cluster["fleet"].upper()}, "lastStatusUpdatedTime": {"S": "2026-01-01 00:00:00+00:00"}}
    backend.put_item(table, {"Id": {"S": "COMPUTE_FLEET"}, "Data": {"M": status}}, overwrite=True)
