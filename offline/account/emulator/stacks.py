"""CloudFormation: templates are kept, nothing is made from them.

moto makes the resources of a template and refuses types that it does not know; a cluster's template is full of them.
"""

import hashlib
from types import SimpleNamespace
from typing import Any

from moto.cloudformation.models import Stack, cloudformation_backends
from moto.cloudformation.parsing import OutputMap

from emulator.world import ACCOUNT, Item, current


def _create_resources(self: Stack) -> None:
    self.status = "CREATE_COMPLETE"
    self._add_stack_event("CREATE_COMPLETE")


def _create_output_map(self: Stack) -> OutputMap:
    return OutputMap(self.resource_map, {}, self.stack_id)


def _stack_resources(self: Stack) -> list[SimpleNamespace]:
    """Every resource of the template with a physical id that depends on the stack and the logical id only."""
    return [
        SimpleNamespace(
            logical_resource_id=logical,
            physical_resource_id=_physical_id(self.name, logical, resource["Type"]),
            cf_resource_type=resource["Type"],
        )
        for logical, resource in self.template_dict.get("Resources", {}).items()
    ]


def _physical_id(stack: str, logical: str, kind: str) -> str:
    digest = hashlib.sha256(f"{stack}/{logical}".encode()).hexdigest()[:17]
    return f"sg-{digest}" if kind == "AWS::EC2::SecurityGroup" else f"{stack}-{logical}-{digest}"


def install() -> None:
    Stack.create_resources = _create_resources
    Stack._create_output_map = _create_output_map
    Stack.stack_resources = property(_stack_resources)


def put_stack(name: str, template: str, parameters: dict[str, str], tags: dict[str, str]) -> Any:
    """Create the stack, in place of one of the same name."""
    backend = cloudformation_backends[ACCOUNT][current().region]
    for stack_id in [i for i, stack in backend.stacks.items() if stack.name == name]:
        del backend.stacks[stack_id]
    return backend.create_stack(name, template, parameters, tags=tags)


def physical_ids(stack: Stack) -> Item:
    """Physical ids of a stack by logical id."""
    return {resource.logical_resource_id: resource.physical_resource_id for resource in stack.stack_resources}
