"""Verbs that look and tidy: stats, inspect, snapshots, ledger, gc."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.common import json_option, print_json, print_table, say, verb, with_settings

if TYPE_CHECKING:
    from kohaku_assets.project import Project

PREVIEW_CHARS = 500


@click.command("stats")
@verb("kohaku stats")
@json_option
@with_settings
def stats_command(project: Project, as_json: bool) -> None:
    """Count the documents, nodes and vectors of the published index."""
    from kohaku_assets.indexes import open_published_index
    from kohaku_assets.summaries import document_counts, index_counts

    snapshot = open_published_index(project)
    org_id = project.settings.corpus.org_id
    totals, documents = index_counts(snapshot, org_id), document_counts(snapshot, org_id)
    if as_json:
        print_json({"index_version": snapshot.version, "totals": totals, "documents": documents})
        return
    print_table(f"index {snapshot.version}", ("what", "count"), totals.items())
    print_table(
        "documents", ("document", "sections", "paragraphs", "sentences"), [tuple(d.values()) for d in documents]
    )


@click.command("inspect")
@click.argument("node_id")
@verb("kohaku inspect kohaku-energy-report:sec2:p2")
@json_option
@with_settings
def inspect_command(project: Project, node_id: str, as_json: bool) -> None:
    """Show the node NODE_ID of the published index: its fields, its parent, its children."""
    from kohaku_assets.indexes import open_published_index
    from kohaku_lib.errors import InputFileError
    from kohaku_lib.index import tenant_node

    snapshot = open_published_index(project)
    node = tenant_node(snapshot, project.settings.corpus.org_id, node_id)
    if node is None:
        msg = f"there is no node {node_id!r} in index {snapshot.version}; 'kohaku search' shows node ids"
        raise InputFileError(msg)
    node["children"] = snapshot.column("node_id", snapshot.children(snapshot.row_of(node_id)))
    if as_json:
        print_json(node)
        return
    node["text"] = node["text"][:PREVIEW_CHARS]
    print_table(node_id, ("field", "value"), node.items())


@click.command("snapshots")
@click.option("--publish", metavar="VERSION", help="Make this version the current one.")
@click.option("--roll-back", is_flag=True, help="Make the version published before current again.")
@verb("kohaku snapshots")
@json_option
@with_settings
def snapshots_command(project: Project, publish: str | None, roll_back: bool, as_json: bool) -> None:
    """List the index versions of the store, newest first; publish one, or go back to the one before."""
    from kohaku_lib.index import snapshots
    from kohaku_lib.storage import store_lock

    if publish and roll_back:
        msg = "--publish and --roll-back exclude each other; give one of them"
        raise click.UsageError(msg)
    if publish or roll_back:
        with store_lock(project.store):
            before = snapshots.current_version(project.snapshots)
            if publish:
                snapshots.publish(project.snapshots, publish)
            version = publish or snapshots.roll_back(project.snapshots)
            project.write_views()
        left = f"; no refresh publishes {before} again before another one, '--publish {before}' does"
        say(f"published {version}" if publish else f"rolled back to {version}{left}")
    infos = snapshots.list_snapshots(project.snapshots)
    if as_json:
        print_json(
            [
                {
                    "version": i.version,
                    "built_at": i.built_at,
                    "rows": i.rows,
                    "bytes": i.bytes,
                    "current": i.is_current,
                }
                for i in infos
            ]
        )
        return
    rows = [
        (i.version, "current" if i.is_current else "", i.built_at, i.rows, f"{i.bytes / 1e6:.1f} MB") for i in infos
    ]
    print_table("", ("version", "", "built", "rows", "size"), rows)


@click.command("ledger")
@verb("kohaku ledger")
@json_option
@with_settings
def ledger_command(project: Project, as_json: bool) -> None:
    """Sum up the calls of language models by model, run, stage and day: calls, tokens, cost, time."""
    from kohaku_lib.llm import summarise_ledger

    rows = summarise_ledger(project.store / "llm_calls").to_pylist()
    if as_json:
        print_json(rows)
    elif rows:
        print_table("", list(rows[0]), [tuple(row.values()) for row in rows])
        paid, unpriced = sum(row["cost_usd"] or 0.0 for row in rows), sum(row["unpriced"] for row in rows)
        unknown = f", and {unpriced} replies of unknown price" if unpriced else ""
        say(f"{sum(row['calls'] for row in rows)} calls, {paid:.4f} US dollars{unknown}")
    else:
        say("no language model has been called")


@click.command("gc")
@click.option("--keep", type=click.IntRange(min=1), default=5, show_default=True, help="Outputs kept per stage.")
@verb("kohaku gc")
@with_settings
def gc_command(project: Project, keep: int) -> None:
    """Remove old stage files, index versions and what a kill left, and compact the row caches.

    Nothing goes that a present output or a finished call stands in; engine.keep_snapshots tells how many index versions
    stay. Of earlier states of 'kohaku history' the outputs go, but for the newest of each stage; what they scored stays
    known.
    """
    from kohaku_lib.storage import leftovers, store_lock

    with store_lock(project.store):
        removed = [path for path in (*project.files.unused(keep), *leftovers(project.store)) if path.is_file()]
        freed = sum(path.stat().st_size for path in removed)
        for path in removed:
            path.unlink(missing_ok=True)
        versions = project.prune_snapshots()
        caches = project.compact_caches()
        project.write_views()
    say(f"removed {len(removed)} old or unfinished files ({freed:,} bytes) and {len(versions)} index versions")
    if caches.parts_before > caches.parts_after:
        parts = f"from {caches.parts_before} to {caches.parts_after} parts"
        say(f"compacted the row caches {parts} ({caches.bytes_before:,} to {caches.bytes_after:,} bytes)")
