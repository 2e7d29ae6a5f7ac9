"""Run the command line as `python -m kohaku_assets.cli`."""

from kohaku_assets.cli import run

run()
