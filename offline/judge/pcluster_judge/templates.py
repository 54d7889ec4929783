"""The templates that ParallelCluster generates from a configuration."""

import os
from typing import Any

from pcluster.models.cluster import Cluster
from pcluster.models.s3_bucket import S3Bucket
from pcluster.templates.cdk_builder import CDKTemplateBuilder
from pcluster.utils import yaml_load

from pcluster_judge.session import fresh


class RecordingBucket(S3Bucket):
    """Takes the nested templates that go to S3."""

    def __init__(self, name: str):
        super().__init__(name, name, f"parallelcluster/clusters/{name}", name="recorded")
        self.uploaded: list[Any] = []

    def upload_cfn_asset(self, asset_file_content: Any, asset_name: str, format: Any = None) -> None:
        self.uploaded.append(asset_file_content)


def interfaces(name: str, config: str) -> dict[str, Any]:
    """NetworkInterfaces of every launch template of the queues, by the template's name."""
    with fresh():
        os.environ["AWS_DEFAULT_REGION"] = yaml_load(config)["Region"]
        cluster = Cluster(name, config=config)
        bucket = RecordingBucket(name)
        template, _ = CDKTemplateBuilder().build_cluster_template(cluster.config, bucket, name)
    found: dict[str, Any] = {}
    for document in [template, *bucket.uploaded]:
        found.update(_launch_templates(document))
    return found


def _launch_templates(document: Any) -> dict[str, Any]:
    template = document if isinstance(document, dict) else yaml_load(document)
    return {
        resource["Properties"]["LaunchTemplateName"]: resource["Properties"]["LaunchTemplateData"]["NetworkInterfaces"]
        for resource in template.get("Resources", {}).values()
        if resource["Type"] == "AWS::EC2::LaunchTemplate" and "LaunchTemplateName" in resource["Properties"]
    }
