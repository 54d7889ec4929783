"""S3 buckets and their objects."""

from moto.iam.access_control import PermissionResult
from moto.s3.models import FakeBucket, s3_backends

from emulator.world import ACCOUNT, Item, current


def _allow(self: FakeBucket, action: str, resource: str) -> PermissionResult:
    """ParallelCluster's bucket policy denies plain http, which is what a server on 127.0.0.1 speaks."""
    return PermissionResult.NEUTRAL


def install() -> None:
    FakeBucket.get_permission = _allow


def add_bucket(bucket: Item) -> None:
    """A bucket in the world's region with its objects (key to text)."""
    backend = s3_backends[ACCOUNT]["aws"]
    made = backend.create_bucket(bucket["name"], current().region)
    if bucket["versioning"]:
        made.versioning_status = "Enabled"
    for key, text in (bucket.get("objects") or {}).items():
        put_object(bucket["name"], key, text)


def put_object(bucket: str, key: str, text: str) -> str | None:
    """Store an object and return its version, None where the bucket keeps no versions."""
    made = s3_backends[ACCOUNT]["aws"].put_object(bucket, key, text.encode())
    return made.version_id


def has_bucket(bucket: str) -> bool:
    return bucket in s3_backends[ACCOUNT]["aws"].buckets
