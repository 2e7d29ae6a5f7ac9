"""Complete questions stay as they are, and follow-ups are made complete by the turns before, by rule or by a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.cited.dialogue import Turn
from kohaku_lib.conversation.understanding.understand import Understood, understand
from kohaku_lib.llm import CallError

ENERGY = Turn("How much electricity did the whole Kohaku Workshop use in 2023?", "41,800 kWh [Source 1]")
MODEL = Turn("Who maintains the model Gintaras-M?", "Milda Stankute [Source 1]")
FERRY = Turn("How many kWh did the ferry use in 2022?", "12200 [Source 1]")
ROOM = Turn("What was the power usage effectiveness of the machine room after it was rebuilt?", "1.18 [Source 1]")
PRICE = Turn("What does the A1 course cost?", "240 EUR [Source 1]\n\n> The A1 course costs 240 EUR [Source 1]")
TEACHER = Turn("Who teaches the B1 course?", "Marta Solberg [Source 1]\n\n> It is taught by Marta Solberg [Source 1]")
START = Turn("When does B1 start?", "> The B1 course in Paris starts on 3 September, the one in Lyon on 10 September.")
PARIS = Turn("When does the B1 course start in Paris?", "3 September 2026 [Source 1]")
GUARANTEE = Turn("How long is the guarantee?", "24 months [Source 1]")
SWIMMING = Turn("What does the swimming course cost?")
THANKS = Turn("Thanks!")
POLICY = Turn("vacation policy")
MANAGER = Turn(
    "Who is the site manager?", "Lund [Source 1]\n\n> Lund is site manager from now on (before: Mrs Berg) [Source 1]"
)
BOSS = Turn(
    "Who runs the shop?", "This comes closest:\n\n> It is at 12 Harbour Street. It is run by **Anna Lind** [Source 1]"
)
KURS = Turn("Was kostet der Kurs A1?", "240 EUR [Source 1]")
LEHRERIN = Turn("Wer unterrichtet den B1-Kurs?", "Marta Solberg [Source 1]")
GARANTIE = Turn("Wie lange gilt die Garantie?", "zwei Jahre [Source 1]")

FOLLOW_UPS = [
    # another year
    ("And in 2022?", [ENERGY], "How much electricity did the whole Kohaku Workshop use in 2022?"),
    ("what about 2021?", [ENERGY], "How much electricity did the whole Kohaku Workshop use in 2021?"),
    ("2022?", [ENERGY], "How much electricity did the whole Kohaku Workshop use in 2022?"),
    ("and in 2022?", [MODEL], "Who maintains the model Gintaras-M in 2022?"),
    ("Und 2022?", [Turn("Wie hoch war der Umsatz im Jahr 2023?")], "Wie hoch war der Umsatz im Jahr 2022?"),
    # another name or thing
    ("And Gintaras-L?", [ENERGY, MODEL], "Who maintains the model Gintaras-L?"),
    ("What about the model Gintaras-L?", [MODEL], "Who maintains the model Gintaras-L?"),
    ("And B1?", [PRICE], "What does the B1 course cost?"),
    ("And B1?", [PRICE, THANKS], "What does the B1 course cost?"),
    ("And B1?", [PRICE, POLICY], "What does the B1 course cost?"),
    ("And B1?", [SWIMMING], "What does B1 cost?"),
    ("Thanks! And B1?", [PRICE], "What does the B1 course cost?"),
    ("no, I meant the B1 course", [PRICE], "What does the B1 course cost?"),
    ("No, I meant the A1 course", [START], "When does the A1 course start?"),
    ("And the orchard?", [FERRY], "How many kWh did the orchard use in 2022?"),
    ("what about the old machine room?", [FERRY], "How many kWh did the old machine room use in 2022?"),
    ("And the workshop?", [ROOM], "What was the power usage effectiveness of the workshop after it was rebuilt?"),
    (
        "and the price of the X300?",
        [Turn("What was the price of the X200 in 2022?")],
        "What was the price of the X300 in 2022?",
    ),
    ("and the year ticket?", [Turn("What does the day ticket cost?")], "What does the year ticket cost?"),
    ("Und B1?", [KURS], "Was kostet der Kurs B1?"),
    ("nein, ich meinte B1", [KURS], "Was kostet der Kurs B1?"),
    ("Und Holz 2?", [Turn("Was kostet der Kurs Holz 1?")], "Was kostet der Kurs Holz 2?"),
    ("Und die X300?", [Turn("Was wiegt die Bohrmaschine X200?")], "Was wiegt die Bohrmaschine X300?"),
    # another place, time or group
    ("in Lyon?", [PARIS], "When does the B1 course start in Lyon?"),
    ("What about Lyon?", [PARIS], "When does the B1 course start in Lyon?"),
    ("What about Lyon?", [START], "When does B1 start in Lyon?"),
    ("And in Lyon?", [START], "When does B1 start in Lyon?"),
    ("And in Ireland?", [FERRY], "How many kWh did the ferry use in 2022 in Ireland?"),
    ("And in Ireland?", [Turn("What is made in Poland?")], "What is made in Ireland?"),
    ("and on Sunday?", [Turn("When does the pool open on Saturday?")], "When does the pool open on Sunday?"),
    ("for students?", [Turn("What does the ticket for adults cost?")], "What does the ticket for students cost?"),
    ("Und am Sonntag?", [Turn("Wann öffnet das Bad am Samstag?")], "Wann öffnet das Bad am Sonntag?"),
    # pronouns and nouns that point back
    ("Who teaches it?", [PRICE], "Who teaches the A1 course?"),
    ("who owns it?", [ENERGY], "who owns the whole Kohaku Workshop?"),
    ("and what does it cover?", [GUARANTEE], "What does the guarantee cover?"),
    ("Is it transferable?", [GUARANTEE], "Is the guarantee transferable?"),
    ("And what did it fall from?", [ROOM], "What did the power usage effectiveness of the machine room fall from?"),
    ("How long did its training last?", [MODEL], "How long did the model Gintaras-M's training last?"),
    ("How many tons of CO2 did it emit?", [MODEL], "How many tons of CO2 did the model Gintaras-M emit?"),
    ("Who built it?", [ENERGY, MODEL], "Who built the model Gintaras-M?"),
    ("How many people did it employ?", [FERRY], "How many people did the ferry employ in 2022?"),
    ("How much does this course cost?", [TEACHER], "How much does the B1 course cost?"),
    ("Are they allowed in the kitchen?", [Turn("Can dogs come along?")], "Are dogs allowed in the kitchen?"),
    ("What else does she maintain?", [MODEL], "What else does Milda Stankute maintain?"),
    ("What is his mobile number?", [MANAGER], "What is Lund's mobile number?"),
    ("Where does she live?", [BOSS], "Where does Anna Lind live?"),
    ("And her deputy?", [BOSS], "Anna Lind's deputy?"),
    (
        "Is it heavier than the X200?",
        [Turn("What does the X300 weigh?"), Turn("And the X200?")],
        "Is the X300 heavier than the X200?",
    ),
    ("What does it weigh?", [Turn("Is the X300 heavier than the X200?")], "What does the X300 weigh?"),
    ("What does he earn?", [Turn("Where does Jean Fabre work?", "Lyon [Source 1]")], "What does Jean Fabre earn?"),
    ("Wer unterrichtet ihn?", [KURS], "Wer unterrichtet den Kurs A1?"),
    ("Und was deckt sie ab?", [GARANTIE], "Was deckt die Garantie ab?"),
    ("Was unterrichtet sie noch?", [LEHRERIN], "Was unterrichtet Marta Solberg noch?"),
    ("Wer ist dafür zuständig?", [GARANTIE], "Wer ist für die Garantie zuständig?"),
    # what leaves out what it is about
    ("Why?", [ROOM], "Why was the power usage effectiveness of the machine room after it was rebuilt?"),
    ("Since when?", [MODEL], "Since when maintains the model Gintaras-M?"),
    ("Who teaches?", [PRICE], "Who teaches the A1 course?"),
    ("Which one is the cheapest?", [SWIMMING], "Which one is the cheapest regarding the swimming course?"),
    ("Tell me more", [GUARANTEE], "Tell me more regarding the guarantee?"),
    ("Warum?", [GARANTIE], "Warum gilt die Garantie?"),
    ("Welcher ist der billigste?", [KURS], "Welcher ist der billigste bezüglich Kurs A1?"),
]
UNSURE = [  # message, turns, the likelier question, the other
    ("B1?", [PRICE], "What does the B1 course cost?", "B1?"),
    ("the B1 course", [PRICE], "What does the B1 course cost?", "the B1 course"),
    ("And the price?", [TEACHER], "Who teaches the price?", "What is the price of the B1 course?"),
    (
        "Does the manual mention it?",
        [GUARANTEE],
        "Does the manual mention the guarantee?",
        "Does the manual mention it?",
    ),
    (
        "How long is it?",
        [Turn("Does the X200 come with a guarantee?")],
        "How long is the X200?",
        "How long is a guarantee?",
    ),
    ("Und was kostet er?", [LEHRERIN], "Was kostet der B1-Kurs?", "Was kostet Marta Solberg?"),
]
COMPLETE = """How many parameters does Gintaras-M have?
What is the IT budget?
Who runs the IT department?
What was the PUE of the machine room after it was rebuilt?
List all machine rooms
Summarise the energy report
Explain the difference between A1 and B1
Tell me how the pump works
How many litres of diesel did the emergency generator burn in 2023?
In 2023, how much electricity did the machine room use?
Does Gintaras-M answer in the language of its users?
Does the dog like its food?
Who looks after the orchard?
Who looks after children?
When does the ferry leave?
When are invoices paid?
Where can passengers park?
Where can visitors leave their bags?
How much is shipping?
Is breakfast included?
What is Gintaras-M and how does it work?
How long is the guarantee and what does it cover?
What does the tenant have to do before she moves out?
Do employees get paid when they are ill?
Are dogs allowed on the ferry if they wear a muzzle?
Is it possible to cancel the contract?
How long does it take to charge the battery?
What is the temperature that the oven reaches?
What does "it" mean in the contract?
What happens this year at the harbour?
True or false: Baltic amber floats in salt water.
And what is the deposit for a locker?
But when does the exam take place?
What about the price of the X300?
vacation policy
parking rules
Photosynthesis
pump maintenance interval
refund for cancelled trips
Wie hoch ist die Kaution für ein Schließfach?
Wie lange gilt die Garantie und was deckt sie ab?
Gibt es einen Rabatt für Studenten?
Ist es erlaubt, im Hof zu parken?
Wann öffnet das neue Schwimmbad?
Nenne alle Kurse
Was muss ein Mieter tun, bevor er auszieht?
Können Sie mir sagen, was der Kurs kostet?
Und wer unterrichtet B1?
Urlaubsregelung
Kündigungsfrist Mietvertrag""".splitlines()


@pytest.mark.parametrize(("message", "turns", "question"), FOLLOW_UPS)
def test_a_follow_up_is_completed_by_the_turns_before(message, turns, question):
    assert understand(message, turns) == Understood(question)


@pytest.mark.parametrize(("message", "turns", "question", "otherwise"), UNSURE)
def test_what_can_be_meant_in_two_ways_is_two_questions(message, turns, question, otherwise):
    assert understand(message, turns) == Understood(question, otherwise)


@pytest.mark.parametrize("turns", [[ENERGY, MODEL, PRICE], [GUARANTEE, TEACHER, START], [KURS, GARANTIE, LEHRERIN]])
@pytest.mark.parametrize("question", COMPLETE)
def test_a_complete_question_stays_as_it_is_and_no_model_sees_it(question, turns):
    seen = []
    assert understand(question, turns, lambda *sent: seen.append(sent) or "Why?") == Understood(question)
    assert seen == []


def test_the_first_question_of_a_session_stays_as_it_is():
    assert understand("And in 2022?", []) == Understood("And in 2022?")
    assert understand("And B1?", [THANKS]) == Understood("And B1?")


@pytest.mark.parametrize(
    ("message", "answer", "question"),
    [
        ("yes", "240 EUR. Would you like to know when the B1 course starts?", "When the B1 course starts?"),
        ("Ja, gern", "240 EUR. Möchten Sie wissen, wann der Kurs beginnt?", "Wann der Kurs beginnt?"),
        ("no", "240 EUR. Would you like to know when the B1 course starts?", "no"),
        ("yes", "240 EUR [Source 1]", "yes"),
        ("yes", "", "yes"),
    ],
)
def test_a_yes_asks_the_question_that_was_offered_and_nothing_else(message, answer, question):
    assert understand(message, [Turn("What does A1 cost?", answer)]) == Understood(question)


def test_a_model_completes_a_follow_up_where_all_of_its_words_were_said():
    sent = []

    def chat(system, user, question_id):
        sent.append((user, question_id))
        return "<think>hm</think>\nStandalone question: Who owns the workshop?\nBecause ..."

    assert understand("who owns it?", [ROOM, MODEL, ENERGY], chat, "s1") == Understood("Who owns the workshop?")
    user, question_id = sent[0]
    assert (MODEL.question in user, ENERGY.question in user, ROOM.question in user) == (True, True, False)
    assert question_id == "s1"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "It?",
        "word " * 60,
        "who owns it?",  # says no more than was asked
        "Who owns the river regarding the workshop?",  # nobody spoke of a river
        "What does the workshop use?",  # asks for something else
        "Who owns the workshop? How much electricity does it use?",  # two questions
    ],
)
def test_a_reply_that_is_no_completion_leaves_it_to_the_rules(reply):
    assert understand("who owns it?", [ENERGY], lambda *_: reply).question == "who owns the whole Kohaku Workshop?"


def test_a_model_that_keeps_the_year_before_is_not_believed():
    reply = "How much electricity did the whole Kohaku Workshop use in 2023?"
    assert "2022" in understand("And in 2022?", [ENERGY], lambda *_: reply).question


def test_a_failed_call_leaves_it_to_the_rules():
    def chat(*_):
        raise CallError("no reply")

    assert understand("who owns it?", [ENERGY], chat).question == "who owns the whole Kohaku Workshop?"


@given(st.text(max_size=80), st.lists(st.builds(Turn, st.text(max_size=80), st.text(max_size=80)), max_size=3))
def test_whatever_is_written_a_question_comes_out(message, turns):
    understood = understand(message, turns)
    assert understood.question or not message.split()
    assert turns or understood == Understood(" ".join(message.split()))
