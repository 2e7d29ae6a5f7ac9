"""Messages that ask nothing: thanks, greetings, a bare yes or no; what is said to them."""

from __future__ import annotations

from kohaku_lib.conversation.understanding.wording import WORD, is_german
from kohaku_lib.text.word_lists import words


def small_talk_reply(message: str) -> str | None:
    """Return a word in reply to a message that asks nothing, in its language; None if it may ask something.

    >>> small_talk_reply("Thanks a lot!"), small_talk_reply("Vielen Dank!"), small_talk_reply("Thanks, and B1?")
    ("You're welcome.", 'Gern geschehen.', None)
    """
    tokens = [word.lower().replace("’", "'") for word in WORD.findall(message)]
    if not tokens or not set(tokens) <= _POLITE:
        return None
    is_of_german = is_german(message) or bool(set(tokens) & _GERMAN)
    for kind, english, german in _REPLIES:
        if set(tokens) & kind:
            return german if is_of_german else english
    return None


_THANKS = words("thanks thank thx cheers danke dankeschön dank")
_FAREWELLS = words("bye goodbye tschüss tschüs ciao wiedersehen")
_GREETINGS = words("hi hello hey hallo servus moin morning afternoon evening morgen abend tag")
_ASSENT = words(
    "yes yeah yep no nope ok okay great perfect good fine sure cool nice ja nein genau gern gerne super prima gut jawohl"
)
_GERMAN = words(
    "hallo servus moin danke dankeschön dank tschüss tschüs wiedersehen morgen abend tag ja nein genau gern gerne"
)
_POLITE = (
    _THANKS
    | _FAREWELLS
    | _GREETINGS
    | _ASSENT
    | words(
        "you very much so a lot many for your the all that that's thats it helps helped help really please now again "
        "there everyone everybody then see have day vielen schönen schön sehr für die ihre deine hilfe das hat mir geholfen "
        "guten gute auf bis dann und and einen alles klar bitte kohaku"
    )
)
_REPLIES = (
    (_THANKS, "You're welcome.", "Gern geschehen."),
    (_FAREWELLS, "Goodbye.", "Auf Wiedersehen."),
    (_GREETINGS, "Hello. What would you like to know?", "Guten Tag. Was möchten Sie wissen?"),
    (_ASSENT, "What would you like to know?", "Was möchten Sie wissen?"),
)
