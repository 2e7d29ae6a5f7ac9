"""English verbs that state a relation between two names, and their forms."""

from __future__ import annotations

from functools import cache

from kohaku_lib.text.word_lists import words


@cache
def base_of(word: str) -> str | None:
    """Return the infinitive of a form of a known verb; None if the verb is not known.

    >>> base_of("maintains"), base_of("acquired"), base_of("written"), base_of("models")
    ('maintain', 'acquire', 'write', None)
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    forms = [word]
    if word.endswith("s"):
        forms += [word[:-1], word[:-2], word[:-3] + "y"]
    if word.endswith("ed"):
        forms += [word[:-1], word[:-2], word[:-3] + "y", word[:-3]]
    return next((form for form in forms if form in _VERBS), None)


def third_person(base: str) -> str:
    """Return the form of the present for he, she and it.

    >>> third_person("own"), third_person("publish"), third_person("supply"), third_person("employ")
    ('owns', 'publishes', 'supplies', 'employs')
    """
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{base}es"
    return f"{base[:-1]}ies" if base.endswith("y") and base[-2] not in "aeou" else f"{base}s"


def is_participle(word: str) -> bool:
    """Return whether a word can be the participle of the past: "acquired", "written", "based"."""
    return (word.endswith("ed") and len(word) > _SHORT) or word in _PARTICIPLES


def is_intransitive(base: str) -> bool:
    """Return whether a verb has no passive, so that its form in -ed is the past: "lived in", not "founded in"."""
    return base in _INTRANSITIVE


_SHORT = 3
_INTRANSITIVE = words(
    """live work move die study serve play participate collaborate graduate travel retire compete perform appear
    lie flow belong consist depend rely return empty drain speak invest reside arrive emigrate sail flee rule
    reign end start begin stem derive lecture campaign fight run merge differ benefit vote go come stand"""
)
_VERBS = _INTRANSITIVE | words(
    """maintain own acquire buy purchase found cofound establish create build construct design develop write
    compose direct produce publish release record star manage lead operate employ hire appoint elect nominate
    join leave represent marry defeat beat win attend teach border contain include supply support fund finance
    sponsor regulate govern implement supersede replace use cite reference require extend outperform succeed
    precede sign name call rename sell supply influence inspire discover invent introduce propose adopt award
    inherit cross connect link host train test evaluate measure report announce describe criticise criticize
    praise accuse sue visit oppose advise inspect review audit certify train mentor coach captain edit translate
    illustrate paint photograph film portray voice sing distribute manufacture import export market license
    approve ban control chair head supervise oversee organise organize run lease rent donate contribute give
    deliver ship store process encode inhibit activate bind block regulate express cause treat prevent predict
    rank surpass exceed equal compare modify change combine integrate incorporate power cool monitor repair
    clean protect attack invade occupy conquer rule bomb destroy capture sink kill murder arrest imprison betray
    follow assist help meet love serve study play perform fight assemble install trade loan draft charter
    commission accompany succeed reach climb enter occupy hold receive earn get make take see find tell show
    prove claim reject accept challenge consult interview employ exhibit collect catalogue curate restore polish"""
)
_FORMS = """write wrote written|build built|buy bought|lead led|run ran|leave left|win won|teach taught|sell
    sold|hold held|give gave given|make made|take took taken|see saw seen|find found|tell told|show shown|meet
    met|get got|lie lay lain|speak spoke spoken|fight fought|begin began begun|come came|go went|stand
    stood|sing sang sung|sink sank sunk|bind bound|flee fled|beat beaten|oversee oversaw overseen|sue sued|free
    freed"""
_IRREGULAR = {form: own[0] for own in map(str.split, _FORMS.split("|")) for form in own[1:]}
_PARTICIPLES = words(
    """written built bought led run won taught sold held given made taken seen found told shown known spoken fought
    begun sung sunk bound beaten overseen born set put cut"""
)
