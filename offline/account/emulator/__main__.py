"""Serve one account until stdin closes: python -m emulator.

The first line on stdout is JSON with the port, printed when requests are answered.
"""

import json
import os
import sys
import threading

from werkzeug.serving import make_server

from emulator import agents, processes
from emulator.patches import install
from emulator.server import Emulator, QuietRequestHandler


def end_with_stdin() -> None:
    """Whoever starts the emulator holds its stdin: when that process dies, the emulator does not outlive it."""
    sys.stdin.buffer.read()
    agents.end_all()
    os._exit(0)


def main() -> None:
    install()
    processes.adopt_orphans()
    server = make_server("127.0.0.1", 0, Emulator(), threaded=True, request_handler=QuietRequestHandler)
    threading.Thread(target=end_with_stdin, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
