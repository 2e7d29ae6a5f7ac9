"""Templates escape what they are given and accept no missing value."""

import pytest
from jinja2 import TemplateNotFound, UndefinedError

from kohaku_lib.html_pages import templates

PACKAGE = "kohaku_lib.evaluation.report"


def test_values_are_escaped_in_texts_and_attributes():
    page = templates(PACKAGE).from_string('<a title="{{ value }}">{{ value }}</a>').render(value="\"<b>'&")
    assert page == '<a title="&#34;&lt;b&gt;&#39;&amp;">&#34;&lt;b&gt;&#39;&amp;</a>'


def test_a_missing_value_is_an_error_and_not_an_empty_text():
    with pytest.raises(UndefinedError, match="missing"):
        templates(PACKAGE).from_string("{{ missing }}").render()


def test_blocks_leave_no_empty_lines():
    source = "a\n  {% if True %}\nb\n  {% endif %}\nc\n"
    assert templates(PACKAGE).from_string(source).render() == "a\nb\nc\n"


def test_the_templates_of_a_package_are_those_in_its_folder():
    assert "page.html.j2" in templates(PACKAGE).list_templates(extensions=["j2"])
    with pytest.raises(TemplateNotFound):
        templates(PACKAGE).get_template("embedding_map.html.j2")


def test_the_environment_of_a_package_is_made_once():
    assert templates(PACKAGE) is templates(PACKAGE)
