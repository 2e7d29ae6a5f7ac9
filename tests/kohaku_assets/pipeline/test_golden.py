"""A changed result under an unchanged code tag fails here: raise the tag of the stage, then run with KOHAKU_GOLDEN=write."""

import json
import os
from pathlib import Path

import pyarrow as pa
from stage_refresh import refresh_stages

from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.digests import digest

GOLDEN = Path(__file__).with_name("golden.json")
# Keys and floats that differ between machines, libraries or folders, without the result being another.
LEFT_OUT = {"trace_json", "index_version", "previous_version", "size_bytes", "bytes", "sha256"}


RANKED = {"matches", "snippets"}
CERTAIN = 3  # first places of a ranking; further down, the last bit of a vector may decide


def fingerprint(table):
    """The rows with floats rounded to two digits, rankings by their first places, vectors by their keys alone."""
    columns = [f.name for f in table.schema if f.name not in LEFT_OUT and not pa.types.is_fixed_size_list(f.type)]
    return digest([table.num_rows, _rounded(table.select(columns).to_pylist())])


def _rounded(value):
    if isinstance(value, float):
        return round(value, 2)
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    if isinstance(value, dict):
        kept = {name: part for name, part in value.items() if name not in LEFT_OUT | {"score"}}
        return {name: _rounded(part[:CERTAIN] if name in RANKED else part) for name, part in kept.items()}
    return value


def test_every_stage_gives_on_the_sample_what_it_gave_under_its_tag(fresh):
    project = fresh("embedding.precision=float32")  # in bfloat16, where a processor has it, near ranks differ
    assert refresh_stages(project).failure is None
    seen = {
        name: {"code_tag": stage.code_tag, "rows": fingerprint(project.files.latest_table(name))}
        for name, stage in STAGES.items()
        if stage.is_on(None)
    }
    if os.environ.get("KOHAKU_GOLDEN") == "write":
        GOLDEN.write_text(json.dumps(seen, indent=1) + "\n", encoding="utf-8")
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    changed = [name for name in seen if golden[name]["rows"] != seen[name]["rows"]]
    untagged = [name for name in changed if golden[name]["code_tag"] == seen[name]["code_tag"]]
    assert untagged == [], "these stages give other results under the same code tag"
    assert golden == seen, "code tags were raised: run with KOHAKU_GOLDEN=write and look at the difference"
