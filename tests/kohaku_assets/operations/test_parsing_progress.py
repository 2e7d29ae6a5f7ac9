"""How far the reading of documents has come, counted over the whole stage."""

from stage_refresh import refresh_stages

from kohaku_assets.steps import ingest


def test_progress_counts_all_documents_whatever_parts_the_stage_is_read_in(fresh, monkeypatch):
    monkeypatch.setattr(ingest, "FILES_AT_ONCE", 2)
    before = fresh()
    known = before.user_files.sources[0]["status"].to_pylist().count("ready")
    for name in ("zebra", "zorilla"):
        (before.settings.corpus.documents / f"{name}.md").write_text(f"# {name}\n\nIt sleeps.\n")
    calls = []
    report = refresh_stages(fresh(), ["documents"], on_progress=lambda done, total: calls.append((done, total)))
    assert report.failure is None
    assert {total for _, total in calls} == {known + 2}
    done = [count for count, _ in calls]
    assert done == sorted(done)
    assert done[-3:] == [known, known + 1, known + 2]
