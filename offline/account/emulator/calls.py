"""The record of AWS calls."""

import json
import re
from typing import Any
from urllib.parse import parse_qs

SCOPE = re.compile(r"Credential=[^/]+/\d+/[^/]+/([^/]+)/")
XML_CODE = re.compile(rb"<Code>([^<]+)</Code>")
DRY_RUN = re.compile(rb"(?:^|&)DryRun=true(?:&|$)")
CBOR_PATH = re.compile(r"^/service/[^/]+/operation/(\w+)$")


def service(environ: dict[str, Any]) -> str:
    """The service as the request's signature names it, - for an unsigned request."""
    scope = SCOPE.search(environ.get("HTTP_AUTHORIZATION", ""))
    return scope.group(1) if scope else "-"


def action(environ: dict[str, Any], body: bytes) -> str:
    """The operation's name; for services that name none (S3 and other REST ones) method, path and query keys."""
    target = environ.get("HTTP_X_AMZ_TARGET")
    if target:
        return target.rsplit(".", 1)[-1]
    query = environ.get("QUERY_STRING", "")
    named = parse_qs(body.decode("latin-1")).get("Action") if b"Action=" in body else parse_qs(query).get("Action")
    if named:
        return named[0]
    path = environ["PATH_INFO"]
    operation = CBOR_PATH.match(path)
    if operation:
        return operation.group(1)
    keys = "&".join(part.partition("=")[0] for part in query.split("&") if part)
    return f"{environ['REQUEST_METHOD']} {path}" + (f"?{keys}" if keys else "")


def is_dry_run(body: bytes) -> bool:
    """Whether the call only asks if it would be allowed, in EC2's protocol."""
    return DRY_RUN.search(body) is not None


def error_code(answer: bytes) -> str:
    """AWS's error code in an XML or JSON answer, empty where there is none."""
    found = XML_CODE.search(answer)
    if found:
        return found.group(1).decode()
    try:
        document = json.loads(answer)
    except ValueError:
        return ""
    if not isinstance(document, dict):
        return ""
    return str(document.get("__type") or document.get("code") or "").rsplit("#", 1)[-1]
