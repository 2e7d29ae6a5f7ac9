"""Random requests of three organisations to one store, through every way in: how many tell something of another one.

    python benchmarks/tenants.py [--requests 10000] [--seed 0]

The documents of the organisations have the same names and subjects; each line of them holds a secret that no request
names. Requests go to the assistant (with and without a chat model, sessions of others, folders of others), the tool,
each search channel, figures, nodes, counts, the map, what was served, feedback, the call ledger and the SQL views.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))


def main() -> None:
    """Print the requests, refusals and leaks by kind; exit with 1 where something leaked."""
    from organisations import three_organisations
    from tenant_requests import make_requests

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    logging.getLogger("kohaku").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DAGSTER_HOME"] = str(Path(folder) / "dagster_home")
        findings = make_requests(three_organisations(Path(folder)), options.requests, options.seed)
    print(f"{'kind':16} {'made':>6} {'told':>6} {'refused':>8}")
    for kind, number in sorted(findings.made.items()):
        print(f"{kind:16} {number:6} {findings.told[kind]:6} {findings.refused[kind]:8}")
    print(f"{sum(findings.made.values())} requests, {len(findings.leaks)} leaks")
    for leak in findings.leaks[:10]:
        print(leak)
    sys.exit(bool(findings.leaks))


if __name__ == "__main__":
    main()
