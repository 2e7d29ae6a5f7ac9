"""Every word of the page is there in English and in German."""

import re
from pathlib import Path

import kohaku_assets

PAGE = Path(kohaku_assets.__file__).parent / "server" / "page"
WORDS = re.compile(r"(?:^|[ ,{])(?:(\w+)|\"([^\"]+)\"): \"")
IN_CODE = re.compile(r"\bt\(\"(\w+)\"")
IN_HTML = re.compile(r"data-t(?:-\w+)?=\"(\w+)\"")
OWN_NAMES = {"the built-in reader"}  # what the server says in English


def words_by_language():
    text = (PAGE / "words.js").read_text(encoding="utf-8")
    blocks = re.findall(r"^  (\w\w): \{\n(.*?)^  \},", text, re.MULTILINE | re.DOTALL)
    return {name: {one or other for one, other in WORDS.findall(block)} for name, block in blocks}


def test_both_languages_have_the_same_words():
    words = words_by_language()
    assert words.keys() == {"en", "de"}
    assert words["en"] ^ words["de"] == OWN_NAMES


def test_every_word_that_the_page_asks_for_is_there():
    code = [path.read_text(encoding="utf-8") for path in PAGE.glob("*.js")]
    asked = {name for text in code for name in IN_CODE.findall(text)}
    asked |= set(IN_HTML.findall((PAGE / "index.html").read_text(encoding="utf-8")))
    assert len(asked) > 60
    assert asked - words_by_language()["en"] == set()
