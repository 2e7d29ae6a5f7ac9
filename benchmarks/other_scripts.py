"""Does the first passage that is shown answer a question in a script that the built-in reader does not read?

    python benchmarks/other_scripts.py [LANGUAGE ...] [--questions N] [--data FOLDER]

N questions of XQuAD in each language (default 150 each of ar, hi, ru and th), drawn at random, each over its own paragraph
and four others of its article, in the order of the words that they share with it. Printed are how often the first line
holds the answer, and how often that is so by the confidence that it is shown with.
"""

import gzip
import json
import random
from itertools import pairwise

from shared_data import data_parser

from kohaku_lib.answering.closest.ranking import ranked_lines
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.text.tokens import tokens

LANGUAGES = ("ar", "hi", "ru", "th")
OTHERS = 4  # paragraphs beside that of the question
STEPS = (0.0, 0.3, 0.6, 0.8, 1.0)  # of confidences


def questions_of(data, language, count):
    """Return a question, its answers, and five paragraphs of its article, for each of `count` questions."""
    draw = random.Random(1)
    with gzip.open(data / "xquad" / f"xquad.{language}.json.gz", "rt", encoding="utf-8") as stream:
        articles = [article["paragraphs"] for article in json.load(stream)["data"]]
    asked = [(article, own, one) for article in articles for own in article for one in own["qas"]]
    draw.shuffle(asked)
    for article, own, one in asked[:count]:
        paragraphs = [own, *[other for other in article if other is not own][:OTHERS]]
        words = set(tokens(one["question"]))
        texts = sorted((row["context"] for row in paragraphs), key=lambda text: -len(words & set(tokens(text))))
        yield one["question"], [answer["text"] for answer in one["answers"]], texts


def first_lines(data, language, count):
    """Return for each question the confidence in its first line, and whether that holds an answer."""
    found = []
    for question, answers, texts in questions_of(data, language, count):
        snippets = [Snippet(f"d{rank}:p1", f"d{rank}", "", None, text, rank, 1.0) for rank, text in enumerate(texts, 1)]
        first = ranked_lines(Question("q", question), snippets)[:1]
        found += [(one.answers, any(answer in one.line.line.quote for answer in answers)) for one in first]
    return found


def main():
    parser = data_parser(__doc__)
    parser.add_argument("languages", nargs="*", default=LANGUAGES, metavar="LANGUAGE", help="ar, es, hi, ru or th")
    parser.add_argument("--questions", type=int, default=150, metavar="N", help="of each language (150)")
    options = parser.parse_args()
    print("| language | first line answers | " + " | ".join(f"up to {step}" for step in STEPS[1:]) + " |")
    print("|---" * (len(STEPS) + 1) + "|")
    for language in options.languages:
        found = first_lines(options.data, language, options.questions)
        cells = [f"{sum(right for _, right in found)} of {options.questions}"]
        for low, high in pairwise(STEPS):
            within = [right for confidence, right in found if low <= confidence < high]
            cells.append(f"{sum(within)} of {len(within)}")
        print(f"| {language} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
