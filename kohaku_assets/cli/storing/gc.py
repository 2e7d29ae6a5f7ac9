"""`kohaku gc`: remove files that no current output needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import with_settings
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import verb

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("gc")
@click.option("--keep", type=click.IntRange(min=1), default=5, show_default=True, help="Outputs kept per stage.")
@click.option("--states", type=click.IntRange(min=0), default=1, show_default=True, help="Earlier states kept whole.")
@verb("kohaku gc")
@with_settings
def gc_command(project: Project, keep: int, states: int) -> None:
    """Remove old stage files, index versions and leftovers of killed runs, and compact the row caches.

    Current outputs and finished calls are never removed; snapshots.keep is the number of index versions to keep.
    Of 'kohaku history', the outputs of the newest state and of --states before it are kept, so that they can be
    compared; of the others only the newest outputs of each stage, and their scores.
    """
    from kohaku_assets.records.project_lock import project_lock
    from kohaku_assets.records.sql_views import write_sql_views
    from kohaku_assets.records.state_history import state_outputs
    from kohaku_lib.storage import leftovers

    with project_lock(project):
        spared = state_outputs(project, states + 1)
        removed = [path for path in (*project.files.unused(keep, spared), *leftovers(project.store)) if path.is_file()]
        freed = sum(path.stat().st_size for path in removed)
        for path in removed:
            path.unlink(missing_ok=True)
        versions = project.prune_snapshots()
        caches = project.compact_caches()
        write_sql_views(project)
    say(f"removed {len(removed)} old or unfinished files ({freed:,} bytes) and {len(versions)} index versions")
    if caches.parts_before > caches.parts_after:
        parts = f"from {caches.parts_before} to {caches.parts_after} parts"
        say(f"compacted the row caches {parts} ({caches.bytes_before:,} to {caches.bytes_after:,} bytes)")
