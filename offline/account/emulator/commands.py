"""Run Command of Systems Manager: scripts on instances that have an agent."""

import uuid
from datetime import datetime, timedelta
from typing import NoReturn

from moto.core.responses import ActionResult, EmptyResult
from moto.ssm.exceptions import SSMException
from moto.ssm.responses import SimpleSystemManagerResponse as SSM

from emulator import agents, clock, documents
from emulator.agents import Run
from emulator.world import ACCOUNT, Item, current, ec2

# What an answer holds of a script's output; the rest is left out, and said to be (API references of the two calls).
MOST_STDOUT, MOST_STDERR, MOST_LISTED = 24000, 8000, 2500
LEFT_OUT = "--output truncated--"
MOST_INSTANCES = 50
DELIVERY, EXECUTION = 3600, 3600  # seconds that a command may take to reach an instance, and to run there
SHORTEST, LONGEST = 30, 2592000  # seconds of delivery that can be asked for

# Of all invocations the worst is the command's status.
WORST = ("Pending", "InProgress", "Failed", "TimedOut", "Cancelled", "Success")


class Command:
    """A command and its invocations, one on each instance."""

    def __init__(self, document: str, comment: str, parameters: Item, delivery: int):
        self.id = str(uuid.uuid4())
        self.document, self.comment, self.parameters, self.delivery = document, comment, parameters, delivery
        self.plugin = "aws:runShellScript"
        self.asked = clock.now()
        self.runs: list[Run] = []

    def status(self) -> str:
        states = [run.status()[0] for run in self.runs]
        return next((s for s in WORST if s in states), "Success")

    def item(self) -> Item:
        """A Command of the API."""
        states = [run.status()[0] for run in self.runs]
        return {
            "CommandId": self.id,
            "DocumentName": self.document,
            "Comment": self.comment,
            "Parameters": self.parameters,
            "InstanceIds": [run.instance for run in self.runs],
            "RequestedDateTime": self.asked,
            "ExpiresAfter": self.asked + timedelta(seconds=self.delivery),
            "Status": self.status(),
            "StatusDetails": self.status(),
            "TargetCount": len(states),
            "CompletedCount": sum(s not in ("Pending", "InProgress") for s in states),
            "ErrorCount": states.count("Failed"),
            "DeliveryTimedOutCount": sum(run.status()[1] == "DeliveryTimedOut" for run in self.runs),
            "TimeoutSeconds": self.delivery,
        }


def refuse(code: str, message: str) -> NoReturn:
    """Answer with an error of Systems Manager."""
    raise SSMException(code, message)


def send_command(self: SSM) -> ActionResult:
    name, parameters = self._get_param("DocumentName"), self._get_param("Parameters", {})
    script = documents.script(self.ssm_backend, name, self._get_param("DocumentVersion"), parameters)
    delivery = self._get_int_param("TimeoutSeconds") or DELIVERY
    if not SHORTEST <= delivery <= LONGEST:
        refuse("InvalidParameters", f"TimeoutSeconds must be between {SHORTEST} and {LONGEST}.")
    command = Command(name, self._get_param("Comment", ""), parameters, delivery)
    limit = script.limit or EXECUTION
    command.runs = [
        Run(instance, script.text, script.folder, limit, timedelta(seconds=delivery)) for instance in _instances(self)
    ]
    answer = command.item()
    current().commands.append(command)
    for run in command.runs:
        run.start()
    return ActionResult({"Command": answer})


def _instances(self: SSM) -> list[str]:
    """The instances of the call: by their ids, each with an agent, or by targets, which may meet none."""
    named: list[str] = self._get_param("InstanceIds", [])
    targets = self._get_param("Targets", [])
    if len(named) > MOST_INSTANCES or not (named or targets):
        refuse("ValidationException", f"Specify targets, or 1 to {MOST_INSTANCES} instance ids.")
    if len(set(named)) != len(named):
        refuse("DuplicateInstanceId", "You can't specify an instance ID in more than one association.")
    bad = [instance for instance in named if not _is_managed(instance)]
    if bad:
        refuse("InvalidInstanceId", f"Instances [[{', '.join(bad)}]] not in a valid state for account {ACCOUNT}")
    met = [i for i in current().mapping("agents") if targets and _is_managed(i) and all(_meets(i, t) for t in targets)]
    return named + [instance for instance in met if instance not in named]


def _is_managed(instance_id: str) -> bool:
    """Whether the instance has an agent, and has not ended. EC2 need not have the instance."""
    instance = _instance(instance_id)
    return agents.find(instance_id) is not None and (instance is None or instance.state == "running")


def _instance(instance_id: str) -> object:
    launched = (i for r in ec2().reservations.values() for i in r.instances)
    return next((i for i in launched if i.id == instance_id), None)


def _meets(instance_id: str, target: Item) -> bool:
    key, values = target["Key"], target.get("Values", [])
    if key.lower() == "instanceids":
        return instance_id in values or "*" in values
    tags = ec2().tags.get(instance_id, {})
    return key.startswith("tag:") and tags.get(key.removeprefix("tag:")) in values


def _find(command_id: str) -> Command | None:
    return next((c for c in current().commands if c.id == command_id), None)


def _known(command_id: str) -> Command:
    found = _find(command_id)
    if not found:
        refuse("InvalidCommandId", f"The command {command_id} does not exist.")
    return found


def get_command_invocation(self: SSM) -> ActionResult:
    command = _find(self._get_param("CommandId"))
    runs = command.runs if command else []
    run = next((r for r in runs if r.instance == self._get_param("InstanceId")), None)
    if not command or not run:
        refuse("InvocationDoesNotExist", "An error occurred")
    plugin = self._get_param("PluginName")
    if plugin and plugin.lower() != command.plugin.lower():
        refuse("InvalidPluginName", f"The plugin {plugin} is not part of the command.")
    status, details = run.status()
    return ActionResult(
        {
            "CommandId": command.id,
            "InstanceId": run.instance,
            "Comment": command.comment,
            "DocumentName": command.document,
            "PluginName": command.plugin,
            "ResponseCode": run.code,
            "ExecutionStartDateTime": _text(run.started),
            "ExecutionEndDateTime": _text(run.ended),
            "Status": status,
            "StatusDetails": details,
            "StandardOutputContent": cut(run.stdout, MOST_STDOUT),
            "StandardErrorContent": cut(run.stderr, MOST_STDERR),
        }
    )


def _text(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z") if moment else ""


def cut(text: str, most: int) -> str:
    """The beginning of an output, with the agent's word that there was more."""
    return text if len(text) <= most else text[: most - len(LEFT_OUT)] + LEFT_OUT


def list_command_invocations(self: SSM) -> ActionResult:
    wanted, instance = self._get_param("CommandId"), self._get_param("InstanceId")
    commands = [_known(wanted)] if wanted else current().commands
    found = [(c, run) for c in commands for run in c.runs if not instance or run.instance == instance]
    start = int(self._get_param("NextToken") or 0)
    end = start + (self._get_int_param("MaxResults") or 50)
    items = [_listed(command, run, bool(self._get_param("Details"))) for command, run in found[start:end]]
    return ActionResult({"CommandInvocations": items, "NextToken": str(end) if end < len(found) else None})


def _listed(command: Command, run: Run, details: bool) -> Item:
    status, more = run.status()
    plugin = {
        "Name": command.plugin,
        "Status": status,
        "StatusDetails": more,
        "ResponseCode": run.code,
        "ResponseStartDateTime": run.started,
        "ResponseFinishDateTime": run.ended,
        "Output": cut(run.stdout + ("\n----------ERROR-------\n" + run.stderr if run.stderr else ""), MOST_LISTED),
    }
    return {
        "CommandId": command.id,
        "InstanceId": run.instance,
        "Comment": command.comment,
        "DocumentName": command.document,
        "RequestedDateTime": command.asked,
        "Status": status,
        "StatusDetails": more,
        "CommandPlugins": [plugin] if details else [],
    }


def list_commands(self: SSM) -> ActionResult:
    wanted, instance = self._get_param("CommandId"), self._get_param("InstanceId")
    commands = [_known(wanted)] if wanted else current().commands
    found = [c for c in commands if not instance or instance in [run.instance for run in c.runs]]
    return ActionResult({"Commands": [command.item() for command in found]})


def cancel_command(self: SSM) -> EmptyResult:
    command = _known(self._get_param("CommandId"))
    wanted = self._get_param("InstanceIds", [])
    for run in command.runs:
        if not wanted or run.instance in wanted:
            run.cancel()
    return EmptyResult()


def describe_instance_information(self: SSM) -> ActionResult:
    filters = {f["Key"]: f["Values"] for f in self._get_param("Filters", [])}
    items = [
        {
            "InstanceId": instance,
            "PingStatus": "ConnectionLost" if agent.get("offline") else "Online",
            "LastPingDateTime": clock.now(),
            "AgentVersion": "3.3.0.0",
            "PlatformType": "Linux",
            "ResourceType": "EC2Instance",
        }
        for instance, agent in current().mapping("agents").items()
        if _is_managed(instance) and instance in filters.get("InstanceIds", [instance])
    ]
    status = filters.get("PingStatus")
    return ActionResult({"InstanceInformationList": [i for i in items if not status or i["PingStatus"] in status]})


def install() -> None:
    for method in (
        send_command,
        get_command_invocation,
        list_command_invocations,
        list_commands,
        cancel_command,
        describe_instance_information,
    ):
        setattr(SSM, method.__name__, method)
