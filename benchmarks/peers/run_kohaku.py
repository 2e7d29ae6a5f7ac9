"""Kohaku as `kohaku init` makes it: its dense channel alone, and all channels that are on by default."""

import sys

from measured import WORK, Clock, measure, write_results

import kohaku_assets
from kohaku_lib import open_project

INDEX = ("vector_tables", "published_index")  # documents are parsed before
DENSE = {"retrieval.lexical_weight": 0.0, "retrieval.graph_weight": 0.0, "retrieval.hop_weight": 0.0}

clock = Clock()
report = kohaku_assets.refresh(WORK / "kohaku", INDEX)
if report.failure:
    sys.exit(report.failure)
seconds = clock.read()
for mode, settings in (("dense", DENSE), ("hybrid", {})):
    with open_project(WORK / "kohaku", settings=settings) as project:

        def search(text, project=project):
            [result] = project.retrieve([text])
            return [match.document_id for match in result.matches], [snippet.text for snippet in result.snippets]

        measure(mode, seconds, search)
write_results()
