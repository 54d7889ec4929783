"""Agents of Systems Manager: instances whose commands run for real, as processes of this machine."""

import os
import shlex
import shutil
import signal
import subprocess
import threading
import uuid
from datetime import datetime, timedelta
from pathlib import Path

from emulator import clock, processes
from emulator.world import Item, current

KILLED = 128 + signal.SIGKILL

# Files of the instances. Whoever started this process removes the folder that it began in.
FOLDER = Path.cwd() / "agents"

# All users of an instance are the one user of this machine.
SUDO = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -u | -g) shift 2 ;;
    -*) shift ;;
    *=*) export "$1"; shift ;;
    *) break ;;
  esac
done
exec "$@"
"""


def end_all() -> None:
    """End what runs on all instances, keep what waits from starting, and forget the files of the instances."""
    for command in current().commands:
        for run in command.runs:
            run.cancel()
    processes.end_all()
    shutil.rmtree(FOLDER, ignore_errors=True)


def put(given: Item) -> None:
    """Give an instance an agent, in place of one that it has."""
    current().document["agents"] = {**current().mapping("agents"), given["instance"]: given["agent"]}


def find(instance_id: str) -> Item | None:
    found: Item | None = current().mapping("agents").get(instance_id)
    return found


class Run:
    """A script on its way on an instance: one invocation of a command."""

    def __init__(self, instance: str, script: str, folder: str, limit: float, delivery: timedelta):
        self.instance = instance
        self.stdout, self.stderr, self.code = "", "", -1
        self.started: datetime | None = None
        self.ended: datetime | None = None
        self._status, self._details = "Pending", "Pending"
        self._script, self._folder, self._limit = script, folder, limit
        self._deliver_by = clock.now() + delivery
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()  # a command may be cancelled at any moment of its start and its end

    def start(self) -> None:
        """Run it, where the agent can be reached."""
        agent = find(self.instance)
        if agent is not None and not agent.get("offline"):
            threading.Thread(target=self._run, args=(agent,), daemon=True).start()

    def status(self) -> tuple[str, str]:
        """Status and its details, as Systems Manager names them. What is not delivered in time is given up."""
        with self._lock:
            if self._status == "Pending" and clock.now() >= self._deliver_by and not self._process:
                self._end("TimedOut", "DeliveryTimedOut", -1)
            return self._status, self._details

    def cancel(self) -> None:
        """End it, if it has not ended. What has left its process group goes on, as on an instance."""
        with self._lock:
            if self._status in ("Pending", "InProgress"):
                self._end("Cancelled", "Cancelled", KILLED if self._process else -1)
                self._kill()

    def _run(self, agent: Item) -> None:
        process = self._begin(agent)
        if process:
            self._wait(process)
            processes.finish(process)

    def _begin(self, agent: Item) -> "subprocess.Popen[bytes] | None":
        with self._lock:
            if self._status != "Pending":
                return None
            self._status = self._details = "InProgress"
            self.started = clock.now()
            try:
                home = _home(self.instance)
                script = _write(home / f"{uuid.uuid4()}.sh", self._script)
                command = [*(agent.get("command") or ["/bin/sh", "-c"]), script]
                folder = self._folder or agent.get("folder") or str(home)
                self._process = processes.start(command, folder, _environment(agent, home))
            except OSError as error:
                self.stderr = f"failed to run commands: {error}"
                self._end("Failed", "Failed", 1)
        return self._process

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait for the end of the script, and of everything that holds its output, as the agent does."""
        try:
            self._close(process, *process.communicate(timeout=self._limit))
        except subprocess.TimeoutExpired:
            processes.end_group(process.pid)
            self._close(process, *_rest(process), "TimedOut", "ExecutionTimedOut")

    def _close(
        self, process: "subprocess.Popen[bytes]", stdout: bytes, stderr: bytes, status: str = "", details: str = ""
    ) -> None:
        """Note how the script ended, and its output with it. One that was cancelled keeps that status."""
        code = process.returncode
        with self._lock:
            self.stdout, self.stderr = stdout.decode(errors="replace"), stderr.decode(errors="replace")
            if not self.ended:
                status = status or ("Failed" if code else "Success")
                self._end(status, details or status, code if code >= 0 else 128 - code)

    def _end(self, status: str, details: str, code: int) -> None:
        self._status, self._details, self.code, self.ended = status, details, code, clock.now()

    def _kill(self) -> None:
        if self._process:
            processes.end_group(self._process.pid)


def _rest(process: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
    """What a script wrote that was ended. Something that has left its group may hold the output open for ever."""
    try:
        return process.communicate(timeout=1)
    except subprocess.TimeoutExpired as error:
        process.wait()
        return error.stdout or b"", error.stderr or b""


def _write(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o700)
    return str(path)


def _home(instance: str) -> Path:
    home = FOLDER / instance
    (home / "bin").mkdir(parents=True, exist_ok=True)
    return home


def _environment(agent: Item, home: Path) -> dict[str, str]:
    """The environment of root's shell on the instance.

    Root's home is a folder of the instance. In it a login shell, which forgets its PATH, finds the agent's environment
    again, and sudo leads to the same user.
    """
    given: dict[str, str] = {**_bare(), **(agent.get("env") or {})}
    _write(home / "bin" / "sudo", SUDO)
    given["PATH"] = f"{home / 'bin'}:{given.get('PATH', os.defpath)}"
    exports = [f"export {key}={shlex.quote(value)}" for key, value in given.items() if key.isidentifier()]
    _write(home / ".bash_profile", "\n".join(exports) + "\n")
    return {**given, "HOME": str(home)}


def _bare() -> dict[str, str]:
    """This process's environment, less what is the account's own."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "MOTO_", "PYTHON", "BASH_FUNC"))}
