"""Answer values and references: parsing, normalisation, comparison, blanks."""

from kohaku_lib.values.blanks import BLANK, is_blank
from kohaku_lib.values.claims import is_claim, strip_claim_prefix
from kohaku_lib.values.comparison import group_equal, values_equal, voting_key
from kohaku_lib.values.normalising import normalise_answer
from kohaku_lib.values.parsing import Value, parse_value
from kohaku_lib.values.references import format_refs, literal_list, parse_refs
from kohaku_lib.values.scale_words import scale_by_words

__all__ = [
    "BLANK",
    "Value",
    "format_refs",
    "group_equal",
    "is_blank",
    "is_claim",
    "literal_list",
    "normalise_answer",
    "parse_refs",
    "parse_value",
    "scale_by_words",
    "strip_claim_prefix",
    "values_equal",
    "voting_key",
]
