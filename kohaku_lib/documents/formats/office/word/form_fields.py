"""Write the states of form fields of Word files as text."""

from __future__ import annotations

from typing import Any

from kohaku_lib.documents.formats.office.word.word_file import WORD, child_of, text_run, value_of


def write_fields(part: Any) -> None:
    """Write the chosen entry of each drop-down list, and remove the prompts of controls that nobody filled in.

    Check boxes become HTML with their states, and the texts of other fields stand in the file.
    """
    for begin in list(part.iter(f"{WORD}fldChar")):
        entries = child_of(begin, "ffData/ddList")
        if entries is not None and not _has_result(begin):
            begin.getparent().addnext(text_run(_chosen_entry(entries)))
    for control in part.iter(f"{WORD}sdt"):
        if child_of(control, "sdtPr/showingPlcHdr") is not None:
            for run in list(control.iter(f"{WORD}r")):
                if next(run.iterancestors(f"{WORD}sdt")) is control:
                    run.getparent().remove(run)


def _has_result(begin: Any) -> bool:
    """Return whether text stands between the separator and the end of a field."""
    is_result = False
    for run in begin.getparent().itersiblings(f"{WORD}r"):
        kind = next((one.get(f"{WORD}fldCharType") for one in run.iterchildren(f"{WORD}fldChar")), "")
        if kind == "end":
            return False
        is_result = is_result or kind == "separate"
        if is_result and "".join(text.text or "" for text in run.iterchildren(f"{WORD}t")).strip():
            return True
    return False


def _chosen_entry(entries: Any) -> str:
    names = [entry.get(f"{WORD}val") or "" for entry in entries.iterchildren(f"{WORD}listEntry")]
    chosen = value_of(entries, "result") or value_of(entries, "default") or "0"
    return names[int(chosen)] if chosen.isdecimal() and int(chosen) < len(names) else ""
