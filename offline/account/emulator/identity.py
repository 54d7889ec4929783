"""IAM policies, roles and instance profiles."""

import json

from moto.iam.models import AWSManagedPolicy, IAMBackend, iam_backends

from emulator.world import ACCOUNT, Item

_moto_aws_policies = IAMBackend._init_aws_policies
_parsed: dict[tuple[str, str], list[AWSManagedPolicy]] = {}


def _aws_policies(self: IAMBackend) -> list[AWSManagedPolicy]:
    """AWS's own policies never change; parsing them anew, for each partition, takes most of the time of a reset.

    A reset makes new backends, so what is kept is not kept by backend.
    """
    key = (self.account_id, self.region_name)
    if key not in _parsed:
        _parsed[key] = _moto_aws_policies(self)
    return _parsed[key]


def install() -> None:
    IAMBackend._init_aws_policies = _aws_policies


def _backend() -> IAMBackend:
    return iam_backends[ACCOUNT]["aws"]


def _split(arn: str) -> tuple[str, str]:
    """Path and name of arn:aws:iam::123456789012:policy/path/name."""
    path, _, name = arn.split(":", 5)[5].partition("/")[2].rpartition("/")
    return (f"/{path}/" if path else "/"), name


def add_policy(policy: Item) -> None:
    """A policy of the account itself; AWS's managed ones are there already."""
    path, name = _split(policy["arn"])
    document = policy.get("document") or _document("s3:ListAllMyBuckets")
    _backend().create_policy("", path, document, name, [])


def _document(action: str) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": "*"}]})


def add_role(role: Item) -> None:
    """A role that EC2 may take, in an instance profile of the same name."""
    path, name = _split(role["arn"])
    trust = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    _backend().create_role(name, document, path, None, "", [], "3600")
    _backend().create_instance_profile(name, path, [name])
