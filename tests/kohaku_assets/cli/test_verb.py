"""How a verb ends: one sentence and an exit code for each kind of error."""

import errno

import click
import pytest
from click.testing import CliRunner

from kohaku_assets.cli.shared.options import checks_settings, json_option
from kohaku_assets.cli.shared.output import say
from kohaku_assets.cli.shared.verb import FAILED_RUN, STOPPED, USER_MISTAKE, finish, verb
from kohaku_lib.errors import InputFileError, ModelError
from kohaku_lib.tables import StageReport


def run(action, *arguments, resumes=False):
    @click.command()
    @click.argument("text", default="")
    @verb("kohaku try", resumes=resumes)
    @json_option
    def command(text, as_json):
        """Do it."""
        action(text) if action is not None else click.echo(f"{text!r} {as_json}")

    return CliRunner().invoke(command, list(arguments))


def raising(error):
    def action(_text):
        raise error

    return action


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InputFileError("the file is empty; fill it"), USER_MISTAKE, "kohaku: the file is empty; fill it\n"),
        (ModelError("no model; name one"), FAILED_RUN, "kohaku: no model; name one\n"),
        (
            FileNotFoundError(errno.ENOENT, "No such file", "a.csv"),
            USER_MISTAKE,
            "kohaku: 'a.csv' cannot be read or written (No such file); check the path and its permissions\n",
        ),
        (
            OSError(errno.EIO, "Input/output error", "a.csv"),
            FAILED_RUN,
            "kohaku: 'a.csv' cannot be read or written (Input/output error); check the path and its permissions\n",
        ),
        (
            ZeroDivisionError("by zero"),
            FAILED_RUN,
            "kohaku: ZeroDivisionError: by zero (this is a bug in kohaku; --debug shows the traceback)\n",
        ),
    ],
)
def test_an_error_is_one_sentence_with_the_exit_code_of_its_kind(error, code, message):
    result = run(raising(error))
    assert (result.exit_code, result.stderr, result.stdout) == (code, message, "")


def test_a_full_disk_is_told_from_other_failures():
    result = run(raising(OSError(errno.ENOSPC, "No space left on device", "x")))
    assert result.exit_code == FAILED_RUN
    assert result.stderr.startswith("kohaku: no space left on a disk (")


@pytest.mark.parametrize("resumes", [False, True])
def test_an_interruption_says_what_was_saved_where_something_was(resumes):
    result = run(raising(KeyboardInterrupt()), resumes=resumes)
    assert result.exit_code == STOPPED
    assert ("finished stages and paid calls are saved" in result.stderr) is resumes
    assert result.stderr.startswith("kohaku: stopped")


def test_debug_prints_the_traceback_before_the_sentence():
    result = run(raising(InputFileError("empty; fill it")), "--debug")
    assert result.stderr.startswith("Traceback")
    assert result.stderr.endswith("kohaku: empty; fill it\n")


def test_the_help_ends_with_the_example():
    assert "Example:\n\n    kohaku try\n" in run(None, "--help").output


def test_a_message_of_several_lines_stays_on_one(capsys):
    say("first\nsecond")
    assert capsys.readouterr().err == "first\\nsecond\n"


def test_options_that_a_verb_does_not_read_are_checked_only_if_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kohaku.toml").write_text("nonsense")

    @click.command()
    @verb("kohaku try")
    @checks_settings
    def command():
        """Do it."""
        click.echo("done")

    assert CliRunner().invoke(command, []).output == "done\n"
    result = CliRunner().invoke(command, ["--config", "kohaku.toml"])
    assert result.exit_code == USER_MISTAKE
    assert "cannot be read" in result.stderr


def test_a_complete_report_ends_normally_and_an_incomplete_one_as_a_failed_run(capsys):
    finish(StageReport(1, problems=("one problem",)), "done")
    assert capsys.readouterr().err == "one problem\ndone\n"
    with pytest.raises(SystemExit) as ended:
        finish(StageReport(1, incomplete="a server failed"), "")
    assert ended.value.code == FAILED_RUN
