"""Bytes are read in the encoding of their language."""

import pytest

from kohaku_lib.documents.formats.shared.decoding import decode_bytes, decode_text

TEXTS = {
    "Билет стоит 250 рублей, дети до семи лет ездят бесплатно.": ("cp1251", "koi8-r", "iso8859-5"),
    "Cena biletu wynosi pięć złotych, a dzieci jeżdżą bezpłatnie.": ("cp1250", "iso8859-2"),
    "Jízdenka stojí dvacet pět korun; děti do šesti let jezdí zdarma.": ("cp1250", "iso8859-2"),
    "Altı yaşına kadar çocuklar ücretsiz yolculuk eder, öğretmenler de.": ("cp1254", "iso8859-9"),
    "Les enfants de moins de six ans voyagent gratuitement, où êtes-vous né ?": ("cp1252", "iso8859-1"),
    "Το εισιτήριο κοστίζει είκοσι πέντε δραχμές, όποιος βιάζεται σκοντάφτει.": ("cp1253", "iso8859-7"),
    "车票二十五元，六岁以下的儿童免费乘车。": ("gbk", "gb18030"),
    "車票二十五元，六歲以下的兒童免費乘車。": ("big5",),
    "切符は二十五円で、子どもは無料です。": ("shift_jis", "euc_jp"),
    "표는 이천오백 원이고 여섯 살 미만의 어린이는 무료입니다.": ("euc_kr", "cp949"),
}
WIDE = ("utf-16-le", "utf-16-be")


@pytest.mark.parametrize(
    ("text", "encoding"), [(text, encoding) for text, encodings in TEXTS.items() for encoding in (*encodings, *WIDE)]
)
def test_a_short_text_is_read_in_the_encoding_of_its_language(text, encoding):
    assert decode_bytes(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["shift_jis", "euc_jp"])
def test_the_few_words_of_a_table_suffice(encoding):
    text = "倉庫,電話番号\n東京倉庫,03-0000-2222\n大阪倉庫,06-0000-1111\n"
    assert decode_bytes(text.encode(encoding)).text == text


def test_a_text_that_several_encodings_explain_is_unsure():
    assert decode_bytes(b"x\xb5y").is_unsure
    assert not decode_bytes("Les élèves français".encode("cp1252")).is_unsure


def test_gbk_that_looks_like_utf8_in_part_is_read_as_gbk():
    text = "我们的电话号码没有变化。 仓库地址在北门"
    assert decode_text(text.encode("gbk")).text == text


def test_what_decides_may_stand_far_behind_the_start():
    text = "plain,line\n" * 5000 + "złoty,żółć i gęś\n"
    assert decode_bytes(text.encode("cp1250")).text == text


def test_control_characters_alone_make_no_utf16():
    assert decode_bytes(b"a\x01b\x02").encoding == "utf-8"
