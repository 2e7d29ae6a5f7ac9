"""Whoever does what docs/troubleshooting.md and a message advise is helped."""

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import openpyxl
import pymupdf
import pytest
from click.testing import CliRunner
from hostile_pdfs import greedy_pdf

from kohaku_assets.cli import main
from kohaku_lib.documents.ocr.engine_selection import chosen_engine

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "troubleshooting.md"
GOOD = "# Berth\n\nThe berth costs 40 EUR a week.\n"
DOCUMENTS = Path("data", "documents")


@dataclass(frozen=True)
class Advice:
    """What goes wrong, the verb that says so, and what the page advises; then the verb says so no more.

    `then` is the verb as the page advises it where that is another one.
    """

    happens: Callable[[], object]
    verb: Sequence[str]
    helps: Callable[[], object]
    then: Sequence[str] = ()


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def write(name, text, encoding="utf-8"):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding=encoding)


def settings(more="", **replaced):
    text = Path("kohaku.toml").read_text(encoding="utf-8")
    for old, new in replaced.items():
        text = re.sub(rf"^{old} = .*$", f'{old} = "{new}"', text, flags=re.MULTILINE)
    write("kohaku.toml", f"{text}\n{more}")


def metadata(*lines):
    write("data/metadata.csv", "\n".join(lines) + "\n")


def set_metadata(*lines):
    metadata(*lines)
    text = Path("kohaku.toml").read_text(encoding="utf-8")
    write("kohaku.toml", text.replace("# metadata =", "metadata ="))


def answers(*ids):
    for name, names in (("truth.csv", ["b1"]), ("pred.csv", ids)):
        rows = [f"{one},How much?,40,40,EUR,berth,is_blank,is_blank,is_blank" for one in names]
        write(name, "\n".join([ANSWER_HEAD, *rows]) + "\n")


def pdf(name, text="The berth costs 40 EUR a week. It is cleaned twice.", **options):
    file = pymupdf.open()
    page = file.new_page()
    if text:
        page.insert_text((72, 72), text)
    else:
        page.insert_image(page.rect, stream=picture())
    file.save(DOCUMENTS / name, **options)


def picture():
    file = pymupdf.open()
    file.new_page().insert_text((72, 72), "The berth costs 40 EUR a week.", fontsize=20)
    return file[0].get_pixmap(dpi=120).tobytes("png")


def workbook(name):
    book = openpyxl.Workbook()
    book.active.append(["berth", "EUR"])
    book.active.append(["north", 40])
    book.save(DOCUMENTS / name)


def an_engine():
    engine = chosen_engine("auto")
    if engine == "off":
        pytest.skip("no OCR engine is installed")
    return engine


def without(name):
    (DOCUMENTS / name).unlink()


ANSWER_HEAD = "id,question,answer,answer_value,answer_unit,ref_id,ref_url,supporting_materials,explanation"
REFRESH = ("refresh",)
HEAD, ROWS = "id,title", ("berth,Berth", "quay,Quay")
ADVICE = {
    "corpus.documents is not set, so there is nothing to read": Advice(
        lambda: Path("kohaku.toml").unlink(), REFRESH, lambda: run("init", ".")
    ),
    "does not exist; name another with --config": Advice(
        lambda: shutil.move("kohaku.toml", "other.toml"),
        ("status", "--config", "kohaku.toml"),
        lambda: shutil.move("other.toml", "kohaku.toml"),
    ),
    "exists already and was not changed": Advice(lambda: None, ("init", "."), lambda: None, ("init", "other")),
    "Did you mean": Advice(lambda: None, ("docments",), lambda: None, ("documents",)),
    "there is no setting": Advice(
        lambda: settings("[retrieval]\ntop_q = 5"),
        REFRESH,
        lambda: write("kohaku.toml", Path("kohaku.toml").read_text("utf-8").replace("top_q", "top_k")),
    ),
    "must be TOML in UTF-8": Advice(
        lambda: settings("[planner]\nkind = rule"),
        REFRESH,
        lambda: write("kohaku.toml", Path("kohaku.toml").read_text("utf-8").replace("= rule", '= "rule"')),
    ),
    "that corpus.documents names does not exist": Advice(
        lambda: settings(documents="papers"), REFRESH, lambda: settings(documents="data/documents")
    ),
    "contains no file that Kohaku reads": Advice(
        lambda: without("berth.md"), REFRESH, lambda: write(DOCUMENTS / "berth.md", GOOD)
    ),
    "needs a column named 'id' in its first line": Advice(
        lambda: set_metadata(*ROWS), REFRESH, lambda: set_metadata(HEAD, *ROWS)
    ),
    "is never closed and contains all following rows": Advice(
        lambda: set_metadata(HEAD, 'berth,"Berth', "quay,Quay"), REFRESH, lambda: set_metadata(HEAD, *ROWS)
    ),
    "occur more than once; remove the repeated rows": Advice(
        lambda: answers("b1", "b1"), ("score", "--truth", "truth.csv", "--pred", "pred.csv"), lambda: answers("b1")
    ),
    "is encrypted and needs a password": Advice(
        lambda: pdf("plan.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret"),
        REFRESH,
        lambda: pdf("plan.pdf"),
    ),
    "is encrypted or in a format from before 2007": Advice(
        lambda: (DOCUMENTS / "prices.xlsx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000)),
        REFRESH,
        lambda: workbook("prices.xlsx"),
    ),
    "is damaged or not a": Advice(
        lambda: (DOCUMENTS / "prices.xlsx").write_bytes(b"PK\x03\x04 cut"), REFRESH, lambda: workbook("prices.xlsx")
    ),
    "is damaged beyond repair or is not a PDF": Advice(
        lambda: (DOCUMENTS / "plan.pdf").write_bytes(b"no PDF"), REFRESH, lambda: pdf("plan.pdf")
    ),
    "it is empty or written by a script in the browser": Advice(
        lambda: write(DOCUMENTS / "page.html", "<html><body><script>draw()</script></body></html>"),
        REFRESH,
        lambda: write(DOCUMENTS / "page.html", "<html><body><p>The quay is closed.</p></body></html>"),
    ),
    "no text layer": Advice(
        lambda: (pdf("scan.pdf", text=""), settings('[documents]\nocr = "off"')),
        REFRESH,
        lambda: write("kohaku.toml", Path("kohaku.toml").read_text("utf-8").replace('"off"', f'"{an_engine()}"')),
    ),
    "takes longer than": Advice(
        lambda: (pdf("plan.pdf"), settings("[documents]\ntime_limit_s = 0.001")),
        REFRESH,
        lambda: write("kohaku.toml", Path("kohaku.toml").read_text("utf-8").replace("0.001", "100")),
    ),
    "needs more memory than the": Advice(
        lambda: (
            (DOCUMENTS / "wide.pdf").write_bytes(greedy_pdf(20_000_000)),
            settings("[documents]\nmemory_limit_mb = 256"),
        ),
        REFRESH,
        lambda: write("kohaku.toml", Path("kohaku.toml").read_text("utf-8").replace("256", "8192")),
    ),
    "The documents do not say": Advice(
        lambda: run("refresh"),
        ("ask", "Who won the chess championship?"),
        lambda: None,
        ("ask", "What does the berth cost?"),
    ),
    "there is no index in": Advice(lambda: None, ("ask", "What does the berth cost?"), lambda: run("refresh")),
    "; run 'kohaku doctor'": Advice(
        lambda: (run("refresh"), cut_index()), ("ask", "What does the berth cost?"), lambda: run("doctor")
    ),
    "is pinned by a roll-back": Advice(
        lambda: (
            run("refresh"),
            write(DOCUMENTS / "quay.md", "# Quay\n\nThe quay is 90 m long.\n"),
            run("refresh"),
            run("snapshots", "--roll-back"),
            write(DOCUMENTS / "tide.md", "# Tide\n\nThe tide rises by 3 m.\n"),
        ),
        REFRESH,
        lambda: run("snapshots", "--unpin"),
    ),
}


ELSEWHERE = {  # the test that does what the page advises, or shows that there is nothing else to be done
    "there is no project at": "kohaku_assets/test_python_api.py",
    "is not installed; run": "test_advice_in_messages.py",
    "not a document format": "kohaku_assets/cli/test_acquiring_verbs.py",
    "another run is writing to the store": "kohaku_assets/cli/test_locked_store.py",
    "another machine writes to": "kohaku_assets/operations/test_bucket_store.py",
    "publish all the same with": "kohaku_assets/records/test_release.py",
    "no space left on a disk": "kohaku_assets/cli/test_verb.py",
    "was written by a later version of Kohaku": "kohaku_lib/conversation/memory/test_message_store.py",
    "is in use; end what listens there": "kohaku_assets/cli/test_first_hour.py",
    "(this is a bug in kohaku": "kohaku_assets/cli/test_verb.py",
    "the search lost the channels": "kohaku_assets/cli/test_lost_channels.py",
    "so callers need keys and there is none": "kohaku_assets/server/test_access.py",
    "belongs to another user": "kohaku_assets/test_assistant.py",
    "the documents are of organisations; name yours": "kohaku_assets/test_organisations.py",
    **dict.fromkeys(
        (
            "of its prompt and dropped about",
            "the reply was truncated before its text",
            "needs a key in the environment variable",
            "can be read by everyone on this machine",
            "the cost is unknown: llm.prices lacks",
            "US dollars are spent and a call may cost up to",
            "is not available (",
            "the connection failed",
            "cannot be reached (",
            "asks to wait",
            "is not served here; call 127.0.0.1",
            "may not call this server",
            "this needs a key of the role",
            "requests in a minute; try again in",
        ),
        "kohaku_assets/test_advice_on_servers.py",
    ),
}


def cut_index():
    [nodes] = Path("data/store/snapshots").glob("*/nodes.arrow")
    nodes.write_bytes(b"ARROW1")


@pytest.fixture
def project(tmp_path, monkeypatch):
    home = tmp_path / "home"
    assert run("init", home).exit_code == 0
    monkeypatch.chdir(home)
    write(DOCUMENTS / "berth.md", GOOD)
    return home


@pytest.mark.parametrize("message", ADVICE)
def test_what_the_page_advises_helps(project, message):
    advice = ADVICE[message]
    advice.happens()
    told = run(*advice.verb)
    assert message in " ".join(told.output.split()), told.output
    advice.helps()
    done = run(*(advice.then or advice.verb))
    assert done.exit_code == 0, done.output
    assert message not in " ".join(done.output.split())


def test_each_message_of_the_page_is_in_one_test_that_follows_its_advice():
    page = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted([*ADVICE, *ELSEWHERE]) == sorted(page)
    read = {name: (ROOT / "tests" / name).read_text(encoding="utf-8") for name in ELSEWHERE.values()}
    assert [message for message, name in ELSEWHERE.items() if message not in read[name]] == []
