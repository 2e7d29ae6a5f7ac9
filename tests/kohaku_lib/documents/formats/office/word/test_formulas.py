"""Formulas of Word files are read as plain text."""

import pytest
from word_files import p, r, word_file

from kohaku_lib.documents import parse_file


def m(text):
    return f"<m:r><m:t>{text}</m:t></m:r>"


def e(name, content):
    return f"<m:{name}>{content}</m:{name}>"


def sign(properties, name, value):
    return f'<m:{properties}><m:{name} m:val="{value}"/></m:{properties}>'


SQUARE = e("sSup", e("e", m("x")) + e("sup", m("2")))


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (SQUARE, "x^2"),
        (e("sSup", e("e", m("a+b")) + e("sup", m("n+1"))), "(a+b)^(n+1)"),
        (e("sSub", e("e", m("v")) + e("sub", m("0"))), "v_0"),
        (e("sSubSup", e("e", m("v")) + e("sub", m("0")) + e("sup", m("12"))), "v_0^12"),
        (e("f", e("num", m("1")) + e("den", m("2"))), "1/2"),
        (e("f", e("num", m("mass")) + e("den", m("2a"))), "(mass)/(2a)"),
        (e("f", sign("fPr", "type", "noBar") + e("num", m("n")) + e("den", m("k"))), "n over k"),
        (e("rad", e("deg", "") + e("e", SQUARE + m("+1"))), "sqrt(x^2+1)"),
        (e("rad", e("deg", m("3")) + e("e", m("x"))), "root_3(x)"),
        (e("d", e("e", m("a")) + e("e", m("b"))), "(a|b)"),
        (e("sSup", e("e", e("d", e("e", m("a+b")))) + e("sup", m("2"))), "(a+b)^2"),
        (e("f", e("num", e("d", e("e", m("a"))) + e("d", e("e", m("b")))) + e("den", m("2"))), "((a)(b))/2"),
        (e("d", '<m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>' + e("e", m("a"))), "[a]"),
        (
            e("nary", sign("naryPr", "chr", "∑") + e("sub", m("i=1")) + e("sup", m("n")) + e("e", m("i"))),
            "∑_(i=1)^n i",
        ),
        (e("nary", e("sub", "") + e("sup", "") + e("e", m("f"))), "∫ f"),
        (e("func", e("fName", m("sin")) + e("e", m("x"))), "sin x"),
        (e("func", e("fName", e("limLow", e("e", m("lim")) + e("lim", m("n→∞")))) + e("e", m("a"))), "lim_(n→∞) a"),
        (e("m", e("mr", e("e", m("1")) + e("e", m("0"))) + e("mr", e("e", m("0")) + e("e", m("1")))), "1, 0; 0, 1"),
        (e("eqArr", e("e", m("a&amp;=1")) + e("e", m("b&amp;=2"))), "a=1; b=2"),
        (e("acc", sign("accPr", "chr", "^") + e("e", m("x"))), "x"),
    ],
)
def test_a_formula_is_one_line(tmp_path, formula, text):
    path = word_file(tmp_path / "a.docx", p(r("So ") + e("oMath", formula) + r(" holds.")))
    assert parse_file(path).text == f"So {text} holds."


def test_a_formula_of_its_own_is_a_paragraph(tmp_path):
    body = p("Area:") + p(e("oMathPara", e("oMathParaPr", "") + e("oMath", m("A=") + SQUARE))) + p("End.")
    assert parse_file(word_file(tmp_path / "a.docx", body)).text == "Area:\n\nA=x^2\n\nEnd."
