"""What is said while a long stage runs."""

from kohaku_assets.cli.shared.output import Progress


def test_the_time_left_is_told_by_the_rate_since_the_stage_began(monkeypatch, capsys):
    times = iter([100.0, 110.0, 120.0, 500.0, 510.0])
    monkeypatch.setattr("kohaku_assets.cli.shared.output.time.monotonic", lambda: next(times))
    progress = Progress()
    for done, total in ((256, 1256), (356, 1256), (456, 656)):
        progress(done, total)
    progress.begin()
    for done, total in ((1, 11), (2, 11)):
        progress(done, total)
    assert capsys.readouterr().err.splitlines() == [
        "  356 of 1256, 10 a second, 90 s left",
        "  456 of 656, 10 a second, 20 s left",
        "  2 of 11, 0.1 a second, 90 s left",
    ]
