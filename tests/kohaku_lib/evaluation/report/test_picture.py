"""Pictures: the same bytes each time, colours of the page, names that fit."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.report.picture import COLOURS, Picture, clipped, percent_axis, short_name


def bars(name="bars", label="$x"):
    def draw(figure):
        axes = figure.add_subplot()
        axes.bar([0, 1], [0.25, 0.5], color=COLOURS["blue"])
        axes.set_title(label)
        axes.set_yticks([0, 0.5])
        percent_axis(axes.yaxis)

    return Picture(name, 'two "bars" & more', (2.0, 1.5), draw)


def test_a_picture_has_the_same_bytes_each_time():
    assert bars().svg() == bars().svg()
    assert bars().png(40) == bars().png(40)


def test_colours_are_variables_of_the_page_and_none_is_fixed():
    svg = bars().svg()
    assert "var(--blue)" in svg
    assert not [name for name, colour in COLOURS.items() if colour in svg]


def test_ids_of_two_pictures_on_one_page_differ():
    ids = [set(re.findall(r'id="([^"]+)"', bars(name).svg())) for name in ("one", "two")]
    assert ids[0]
    assert not ids[0] & ids[1]
    used = set(re.findall(r'(?:url\(#|xlink:href="#)([^")]+)', bars("one").svg()))
    assert used <= ids[0]


def test_the_text_alternative_is_escaped_and_the_time_of_drawing_is_left_out():
    svg = bars().svg()
    assert 'aria-label="two &quot;bars&quot; &amp; more"' in svg
    assert "<metadata>" not in svg
    assert not re.search(r"20\d\d-\d\d-\d\d", svg)


@pytest.mark.parametrize("label", ["$x", "a_{b}", "漢字", r"\frac"])
def test_a_name_in_any_script_or_with_signs_of_formulas_is_drawn_as_it_is(label):
    assert label in bars(label=label).svg()


def test_shares_are_shown_in_percent():
    assert "50%" in bars().svg()


def test_a_data_uri_holds_the_png():
    assert bars().data_uri(20).startswith("data:image/png;base64,iVBOR")


@given(st.text(max_size=60), st.integers(4, 40))
def test_shortened_texts_are_on_one_line_and_fit(text, length):
    line = " ".join(text.split())
    for short in (clipped(text, length), short_name(text, length)):
        assert len(short) <= length
        assert "\n" not in short
        assert (short == line) == (len(line) <= length)


def test_a_name_is_cut_in_the_middle_and_a_text_at_its_end():
    assert short_name("abcdefghij", 7) == "abc…hij"
    assert clipped("abcdefghij", 7) == "abcdef…"
