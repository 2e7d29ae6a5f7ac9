from dataclasses import replace

import pytest
from answering_material import snippet

from kohaku_lib.answering.chat.numbered import with_numbers_read
from kohaku_lib.tables import StructuredAnswer

SHOWN = [
    replace(snippet("It rains.", "weather"), document_title="The Weather", heading="May"),
    snippet("It weighs 4 kg.", "scales", 2),
    replace(snippet("It rained.", "weather", 3), document_title="The Weather"),
    replace(snippet("It snows.", "winter", 4), document_title="Cold"),
    replace(snippet("It freezes.", "2023", 5), document_title="Cold"),
]
NODES = [one.node_id for one in SHOWN]


@pytest.mark.parametrize(
    ("refs", "documents", "nodes"),
    [
        (["2"], ["scales"], [1]),
        (["[2]"], ["scales"], [1]),
        (["(2)"], ["scales"], [1]),
        (["excerpt 2"], ["scales"], [1]),
        (["Source [2]"], ["scales"], [1]),
        (["ref_id=2"], ["scales"], [1]),
        (["[2] (Scales, page 3) It weighs 4 kg."], ["scales"], [1]),
        (["1, 2"], ["weather", "scales"], [0, 1]),
        (["[1][2]"], ["weather", "scales"], [0, 1]),
        (["[1, 2]"], ["weather", "scales"], [0, 1]),
        (["1 and 2"], ["weather", "scales"], [0, 1]),
        (["[2] and [1]"], ["scales", "weather"], [1, 0]),
        (["[1-3]"], ["weather", "scales"], [0, 1, 2]),
        (["1–2"], ["weather", "scales"], [0, 1]),
        (["1.2"], ["1.2"], []),
        (["3", "1"], ["weather"], [2, 0]),
        (["5"], ["2023"], [4]),
        (["the weather"], ["weather"], []),
        (["The Weather / May"], ["weather"], []),
        (["Cold"], ["Cold"], []),  # two documents have that title
        (["0"], ["0"], []),
        (["6"], ["6"], []),  # no such number
        (["2, 9"], ["2, 9"], []),
        (["2023"], ["2023"], []),
        (["scales"], ["scales"], []),
        (["section 2"], ["section 2"], []),
        (["v1.2"], ["v1.2"], []),
        ([], [], []),
    ],
)
def test_numbers_and_titles_stand_for_what_was_shown_and_the_rest_for_itself(refs, documents, nodes):
    read = with_numbers_read(StructuredAnswer("4", "4", tuple(refs), ""), SHOWN)
    assert list(read.ref_id) == documents
    assert list(read.cited_nodes) == [NODES[place] for place in nodes]
