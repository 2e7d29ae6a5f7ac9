"""The provenance of the current answers: settings, versions, data, machine, calls."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

import pyarrow as pa

from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.stages import MEASURED, with_ancestors
from kohaku_lib.llm import summarise_ledger
from kohaku_lib.masking import masked_url
from kohaku_lib.settings import leaf_fields, pick

PACKAGES = ("dagster", "duckdb", "numpy", "pyarrow", "openai", "sentence-transformers", "torch", "openvino", "pymupdf")


def describe_experiment(project: Project) -> dict[str, Any]:
    """Return the record of the current answers as plain JSON values; unknown values are None.

    Path settings are omitted, as they identify locations and not content; API keys are never part of the settings.
    """
    names = with_ancestors(MEASURED, project.settings)
    records = {name: record for name in names if (record := project.present(name))}
    manifests = [project.files.find(name, record.input_key) for name, record in records.items()]
    manifest_by_stage = {one.stage: one for one in manifests if one}
    return {
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "settings": {key: value for key, value in _recorded_settings(project).items() if key != "store"},
        "versions": {"python": platform.python_version(), **_package_versions()},
        "machine": _machine_facts(),
        "documents": document_digests(project.present_table("source_files")),
        "stages": {
            name: {"input_key": one.input_key, "rows": one.rows, "built_at": one.built_at, "seconds": one.seconds}
            | {"code": records[name].code_tag, "settings": records[name].slice}
            for name, one in manifest_by_stage.items()
        },
        "metrics": {name: dict(manifest_by_stage[name].metrics) for name in MEASURED if name in manifest_by_stage},
        "calls": _ledger_summary(project),
    }


def _recorded_settings(project: Project) -> dict[str, Any]:
    known = leaf_fields(type(project.settings))
    keys = [key for key in known if not key.startswith(("corpus.", "replay.", "sweep")) or key == "corpus.org_id"]
    values = pick(project.settings, keys)
    return {key: masked_url(value) if isinstance(value, str) else value for key, value in values.items()}


def _package_versions() -> dict[str, str | None]:
    return {name: _package_version(name) for name in ("kohaku", *PACKAGES)}


def _package_version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _machine_facts() -> dict[str, Any]:
    pages, size = (os.sysconf(name) for name in ("SC_PHYS_PAGES", "SC_PAGE_SIZE"))
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "memory_mib": pages * size // 2**20,
        "gpus": _gpu_names(),
    }


def _gpu_names() -> list[str]:
    """Return the names and memory of NVIDIA GPUs as reported by nvidia-smi; [] if there are none."""
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603 - constant
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in output.stdout.splitlines() if line.strip()]


def document_digests(sources: pa.Table) -> dict[str, str]:
    """Return the digest of every source file by document id."""
    return dict(zip(sources["document_id"].to_pylist(), sources["sha256"].to_pylist(), strict=True))


def _ledger_summary(project: Project) -> list[dict[str, Any]]:
    rows = summarise_ledger(project.paths.llm_calls).to_pylist()
    return [{**row, "day": row["day"].isoformat() if row["day"] else None} for row in rows]
