"""The WSGI application: /weft/... steers the emulator, everything else is AWS."""

import io
import json
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.wrappers import Request, Response

from emulator import agents, calls, clock, faults, launches, steering
from emulator.loader import BadWorld, load, load_cluster
from emulator.replies import Answer, refusal

Environ = dict[str, Any]
Start = Callable[..., Any]


class QuietRequestHandler(MotoRequestHandler):
    """No access log: the record of calls takes its place."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


class Emulator:
    """Answers one request at a time: moto's models are not made for threads, and a world is loaded as a whole."""

    def __init__(self) -> None:
        self._aws = DomainDispatcherApplication(create_backend_app)
        self._lock = threading.Lock()
        self._calls: list[dict[str, Any]] = []

    def __call__(self, environ: Environ, start_response: Start) -> Iterable[bytes]:
        with self._lock:
            if environ["PATH_INFO"].startswith("/weft/"):
                return self._control(Request(environ))(environ, start_response)
            answer = self._record(environ)
        # Outside the lock: a call that is never answered must not hold up the others.
        return answer.send(environ, start_response)

    def _control(self, request: Request) -> Response:
        routes: dict[tuple[str, str], Callable[[Request], Any]] = {
            ("POST", "/weft/world"): self._load,
            ("POST", "/weft/clusters"): lambda r: load_cluster(r.get_json(force=True)),
            ("POST", "/weft/clock"): lambda r: steering.move_clock(r.get_json(force=True)),
            ("GET", "/weft/clock"): lambda _: {"now": clock.now().isoformat()},
            ("POST", "/weft/faults"): lambda r: faults.replace(r.get_json(force=True)),
            ("POST", "/weft/market"): lambda r: steering.replace_market(r.get_json(force=True)),
            ("POST", "/weft/agents"): lambda r: agents.put(r.get_json(force=True)),
            ("GET", "/weft/purchases"): lambda _: steering.purchases(),
            ("GET", "/weft/calls"): lambda _: self._calls,
        }
        route = routes.get((request.method, request.path))
        if not route:
            return _json({"error": f"no such thing: {request.method} {request.path}"}, 404)
        try:
            answer = route(request)
        except BadWorld as error:
            return _json({"error": str(error)}, 400)
        return Response(status=204) if answer is None else _json(answer, 200)

    def _load(self, request: Request) -> None:
        agents.end_all()
        self._calls.clear()
        faults.replace([])
        load(request.get_json(force=True))

    def _record(self, environ: Environ) -> Answer:
        """Carry a call out, as far as no fault forbids it, and write down what came of it."""
        body = _read_body(environ)
        action, dry_run = calls.action(environ, body), calls.is_dry_run(body)
        fault = faults.strike(action, dry_run)
        kind = fault["kind"] if fault else ""
        launches.settle()
        answer = refusal(fault, environ) if fault and kind in faults.BEFORE else self._ask(environ)
        call = {"service": calls.service(environ), "action": action, "status": answer.status}
        error = calls.error_code(answer.body) if answer.status >= HTTPStatus.BAD_REQUEST else ""
        self._calls.append({**call, "error": error, "dryRun": dry_run, "fault": kind})
        return refusal(fault, environ) if fault and kind in faults.AFTER else answer

    def _ask(self, environ: Environ) -> Answer:
        taken: list[tuple[str, Any]] = []

        def take(line: str, headers: Any, _: Any = None) -> Any:
            taken.append((line, headers))

        body = b"".join(self._aws(environ, take))
        line, headers = taken[-1]
        return Answer(line, headers, body)


def _read_body(environ: Environ) -> bytes:
    """Read the body and put it back. A body without a length is left to moto, unread."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length) if length else b""
    if length:
        environ["wsgi.input"] = io.BytesIO(body)
    return body


def _json(value: Any, status: int) -> Response:
    return Response(json.dumps(value), status=status, content_type="application/json")
