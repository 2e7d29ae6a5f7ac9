"""What the benchmarks share of their command lines: where the data sets lie."""

import argparse
import os
from pathlib import Path


def data_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with --data: the folder with the data sets, KOHAKU_SHARED_DATA or ../shared/data by default."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("KOHAKU_SHARED_DATA", "../shared/data")).resolve()
    parser.add_argument("--data", type=Path, default=default, metavar="FOLDER", help="the folder with the data sets")
    return parser
