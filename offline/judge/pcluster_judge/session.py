"""A clean ParallelCluster for each request, without paying for what does not change."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import boto3.session
import pcluster.api.util
import pcluster.aws.common
import pcluster.cli.model
from pcluster.aws.aws_api import AWSApi
from pcluster.aws.common import Cache


def share() -> None:
    """Make once what ParallelCluster makes anew for every request or call; none of it depends on the request."""
    # The command line writes a log file and sends what is printed to it. Here is no file: the answer says it all.
    logging.disable(logging.CRITICAL)
    pcluster.aws.common._log_boto3_calls = lambda **_: None
    # The description of all commands: half a second of YAML.
    pcluster.cli.model.package_spec = cache(pcluster.cli.model.package_spec)
    # `node --version`, a process for each request.
    pcluster.api.util._assert_node_version = cache(pcluster.api.util._assert_node_version)
    # Asked for its region only, which a session reads from the environment each time.
    boto3.session.Session = cache(boto3.session.Session)


@contextmanager
def fresh() -> Iterator[None]:
    """Forget all that ParallelCluster has read of the account, and the region that the last configuration set."""
    region = os.environ.get("AWS_DEFAULT_REGION", "")
    AWSApi.reset()
    Cache.clear_all()
    try:
        yield
    finally:
        os.environ["AWS_DEFAULT_REGION"] = region
