"""The WSGI application: /weft/... steers the emulator, everything else is AWS."""

import io
import json
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.wrappers import Request, Response

from emulator import calls
from emulator.loader import BadWorld, load, load_cluster

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
            return self._record(environ, start_response)

    def _control(self, request: Request) -> Response:
        routes: dict[tuple[str, str], Callable[[Request], Response]] = {
            ("POST", "/weft/world"): self._load,
            ("POST", "/weft/clusters"): self._load_cluster,
            ("GET", "/weft/calls"): self._list_calls,
        }
        route = routes.get((request.method, request.path))
        if not route:
            return _json({"error": f"no such thing: {request.method} {request.path}"}, 404)
        try:
            return route(request)
        except BadWorld as error:
            return _json({"error": str(error)}, 400)

    def _load(self, request: Request) -> Response:
        load(request.get_json(force=True))
        self._calls.clear()
        return Response(status=204)

    def _load_cluster(self, request: Request) -> Response:
        load_cluster(request.get_json(force=True))
        return Response(status=204)

    def _list_calls(self, _: Request) -> Response:
        return _json(self._calls, 200)

    def _record(self, environ: Environ, start_response: Start) -> Iterable[bytes]:
        body = _read_body(environ)
        status: list[str] = []

        def start(line: str, headers: Any, exc_info: Any = None) -> Any:
            status.append(line)
            return start_response(line, headers, exc_info)

        answer = b"".join(self._aws(environ, start))
        code = HTTPStatus(int(status[0].split()[0]))
        call = {"service": calls.service(environ), "action": calls.action(environ, body), "status": code.value}
        self._calls.append({**call, "error": calls.error_code(answer) if code >= HTTPStatus.BAD_REQUEST else ""})
        return [answer]


def _read_body(environ: Environ) -> bytes:
    """Read the body and put it back. A body without a length is left to moto, unread."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length) if length else b""
    if length:
        environ["wsgi.input"] = io.BytesIO(body)
    return body


def _json(value: Any, status: int) -> Response:
    return Response(json.dumps(value), status=status, content_type="application/json")
