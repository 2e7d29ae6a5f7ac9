"""Requests that schemathesis makes up of the OpenAPI document, to every operation of the server: none may be its fault.

Run by hand, schemathesis in an environment of its own:
`PYTHONPATH=tests/support .venv/bin/python tests/e2e/server_schema.py --schemathesis OTHER/bin/schemathesis`. It builds a copy
of the sample, which the requests upload to and delete from, serves it on a free port of the loopback with the key of an
administrator, and prints the report; its exit code is not 0 where a response has status 5xx.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from served_sample import served_sample


def main() -> int:
    """Return the exit code of schemathesis."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schemathesis", default="schemathesis", help="its program")
    parser.add_argument("--examples", type=int, default=30, help="the most of each operation and phase")
    options = parser.parse_args()
    with served_sample() as served:
        command = [options.schemathesis, "run", f"{served.url}/openapi.json"]
        command += ["--header", f"Authorization: Bearer {served.key}", "--checks", "not_a_server_error"]
        command += ["--max-examples", str(options.examples), "--phases", "examples,coverage,fuzzing,stateful"]
        command += ["--request-timeout", "120", "--continue-on-failure", "--seed", "1"]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
