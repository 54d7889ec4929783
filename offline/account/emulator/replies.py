"""Answers on the wire: those of AWS, those that a fault puts in their place, and none at all."""

import json
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from html import escape
from http import HTTPStatus
from typing import Any

from emulator import calls
from emulator.world import Item


class Answer:
    """An answer of AWS as it goes to the caller."""

    def __init__(self, line: str, headers: Any, body: bytes):
        self._line, self._headers, self.body = line, headers, body
        self.status = int(line.split()[0])

    def send(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response(self._line, self._headers)
        return [self.body]


class Reset(Answer):
    """No answer: the connection breaks."""

    def __init__(self) -> None:
        super().__init__("0 none", [], b"")

    def send(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        connection: socket.socket = environ["werkzeug.socket"]
        with suppress(OSError):  # the caller may be gone
            connection.shutdown(socket.SHUT_RDWR)  # else the server would wait for the next call
        raise ConnectionResetError("a test wants the connection to break")


class Silence(Reset):
    """No answer: the connection stays open until the caller gives up."""

    def send(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        connection: socket.socket = environ["werkzeug.socket"]
        with suppress(ConnectionError):
            while connection.recv(1):
                pass
        return super().send(environ, start_response)


def refusal(fault: Item, environ: dict[str, Any]) -> Answer:
    """What the caller gets because of a fault."""
    if fault["kind"] in ("reset", "lose"):
        return Reset()
    if fault["kind"] in ("hang", "mute"):
        return Silence()
    error = fault.get("error") or {"code": "InternalError", "message": "An internal error has occurred"}
    status = HTTPStatus(fault.get("status") or HTTPStatus.INTERNAL_SERVER_ERROR)
    kind, body = _error(error, environ)
    headers = [("Content-Type", kind), ("Content-Length", str(len(body)))]
    return Answer(f"{status.value} {status.phrase}", headers, body)


def _error(error: Item, environ: dict[str, Any]) -> tuple[str, bytes]:
    """An error in the protocol of the call: JSON, EC2's own XML, or that of the older services."""
    if environ.get("HTTP_X_AMZ_TARGET"):
        text = json.dumps({"__type": error["code"], "message": error["message"]})
        return "application/x-amz-json-1.1", text.encode()
    inner = f"<Error><Code>{escape(error['code'])}</Code><Message>{escape(error['message'])}</Message></Error>"
    if calls.service(environ) == "ec2":
        return "text/xml", f"<Response><Errors>{inner}</Errors><RequestID>offline</RequestID></Response>".encode()
    return "text/xml", f"<ErrorResponse>{inner}<RequestId>offline</RequestId></ErrorResponse>".encode()
