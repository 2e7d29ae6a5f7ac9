"""The templates of new projects."""

from __future__ import annotations

from dataclasses import dataclass, field

_METADATA = "id,type,title,year,citation,url\n"
_QUESTIONS = "id,question,answer_value,answer_unit,ref_id\n"


@dataclass(frozen=True, slots=True)
class Template:
    """The [corpus] lines that come after `documents`, what follows that section, further files, and the next step."""

    corpus: str
    more: str = ""
    files: dict[str, str] = field(default_factory=dict)
    first: str = "put documents into {documents}"


TEMPLATES = {
    "office": Template(
        '# metadata = "data/metadata.csv"   # id, type, title, year, citation, url\n'
        '# questions = "data/questions.csv" # id, question; optional truth in answer_value and ref_id\n'
    ),
    "papers": Template(
        'metadata = "data/metadata.csv"     # id, type, title, year, citation, url: titles and links of citations\n'
        'questions = "data/questions.csv"   # id, question; with answer_value and ref_id the answers are scored\n'
        "use_citations = true               # rows of metadata without a file are indexed by their citation\n",
        files={"data/metadata.csv": _METADATA, "data/questions.csv": _QUESTIONS},
        first="put PDFs into {documents}, or rows with a url into {data}/metadata.csv and run 'kohaku fetch'",
    ),
    "wattbot": Template(
        "metadata = \"data/metadata.csv\"     # of the challenge; 'kohaku fetch' downloads its documents\n"
        'questions = "data/train_QA.csv"    # of the challenge, with the truth\n',
        '# profile = "wattbot"              # the winning configuration; needs OPENROUTER_API_KEY, and no [llm] below\n\n',
        first="put metadata.csv and train_QA.csv of the challenge into {data}/, then run 'kohaku fetch'",
    ),
}
