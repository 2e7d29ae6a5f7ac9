"""Write the states of form fields as text."""

from __future__ import annotations

from typing import Any

FIELDS = frozenset(("input", "select", "textarea"))
_TEXTS = frozenset(("text", "date", "datetime-local", "email", "month", "number", "tel", "time", "url", "week"))


def field_text(field: Any) -> str:
    """Return the state of a form field: a box that is checked or not, the chosen options, or the text entered.

    A field that no label names is named by its `aria-label`. A box beside which nothing stands is a switch of the page
    and gives "", as do empty fields, buttons, passwords and options that are only shown first.

    >>> from lxml import html
    >>> form = html.fromstring("<p><input type=checkbox checked> Bees <select><option>1<option selected>2</select></p>")
    >>> [field_text(field) for field in form]
    ['☒', '2']
    """
    kind = _kind_of(field)
    name = "" if _has_label(field) else " ".join((field.get("aria-label") or "").split())
    if kind in {"checkbox", "radio"}:
        box = "☐" if field.get("checked") is None else "☒"
        return f"{box} {name}".strip() if name or _has_label(field) or _has_company(field) else ""
    if kind == "select":
        text = ", ".join(filter(None, map(_chosen_text, field.iter("option"))))
    elif kind == "textarea":
        text = "".join(field.itertext()).strip()
    else:
        text = (field.get("value") or "").strip() if kind in _TEXTS else ""
    return f"{name}: {text}" if name and text else text


def _kind_of(field: Any) -> str:
    tag = field.tag.lower()
    return (field.get("type") or "text").lower() if tag == "input" else tag


def _chosen_text(option: Any) -> str:
    chosen = option.get("selected") is not None and option.get("value") != ""
    return " ".join("".join(option.itertext()).split()) if chosen else ""


def _has_label(field: Any) -> bool:
    labels = list(field.iterancestors("label"))
    if not labels and field.get("id"):
        labels = [one for one in field.getroottree().getroot().iter("label") if one.get("for") == field.get("id")]
    return any("".join(label.itertext()).strip() for label in labels)


def _has_company(field: Any) -> bool:
    """Return whether text stands beside a field, or cells of a table."""
    beside = field.getparent()
    return beside is not None and bool(
        "".join(beside.itertext()).strip() or next(field.iterancestors("td", "th"), None) is not None
    )
