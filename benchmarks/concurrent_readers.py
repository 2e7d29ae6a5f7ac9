"""Questions and searches by many threads while indexes are published: how many lose a channel or fail.

    python benchmarks/concurrent_readers.py [--threads 200] [--publishes 20]

The project is built from data/sample; copies of its index are published in turn under new names, and each time all but
the newest version are pruned, so that readers open what is about to go. Threads ask by the functions that
'kohaku ask' and 'kohaku search' call until the last publish is done, and each at least once.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))


def main() -> None:
    """Print what was asked and what came of it; exit with 1 where a channel was lost or a call failed."""
    from published_readers import read_while_publishing

    from kohaku_assets.operations.refresh import refresh
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.composition import load_settings

    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copytree(ROOT / "data" / "sample", home / "data" / "sample")
        shutil.copytree(ROOT / "dagster_home", home / "dagster_home", ignore=shutil.ignore_patterns("[!d]*"))
        shutil.copy(ROOT / "kohaku.toml", home)
        project = Project(load_settings(environment={}, folder=home))
        failure = refresh(project).failure
        assert failure is None, failure
        found = read_while_publishing(home, options.threads, options.publishes)
    print(f"{options.threads} threads, {found.publishes} publishes, {found.asked} questions, {found.searched} searches")
    print(f"lost channels: {found.lost}, errors: {len(found.errors)}, other answers: {found.wrong}")
    for error in found.errors[:5]:
        print(error)
    sys.exit(bool(found.lost or found.errors or found.wrong))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=200)
    parser.add_argument("--publishes", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main()
