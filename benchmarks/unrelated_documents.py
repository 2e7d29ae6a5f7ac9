"""Documents about something else, drawn from templates: filings, recipes, manuals, price tables, minutes, reports of works.

They use the words of daily office life (employees, shops, votes, prices, dates) about names that no question asks for,
so a reader that keeps to its subject answers the same with and without them. The same number gives the same documents.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

COMPANIES = ("Quillon Minerals", "Zephyr Reef", "Obsidian Loom", "Umbra Pipeline", "Vireo Biologics", "Jasper Tideway")
PEOPLE = ("Xenia Ulbrecht", "Quentin Yarrow", "Zora Imanov", "Ulric Vandeput", "Jolanta Eskildsen", "Ibrahim Quaye")
TOWNS = ("Quimper", "Zwolle", "Uppsala", "Jerez", "Ivrea", "Olomouc")
MONTHS = ("January", "March", "April", "June", "September", "November")
DISHES = ("lentil stew", "plum cake", "fish pie", "barley soup", "pumpkin bread", "bean salad")
MACHINES = ("espresso machine", "hedge trimmer", "label printer", "dehumidifier", "sewing machine", "pressure washer")
CLUBS = ("Chess Club", "Rowing Club", "Choir", "Allotment Society", "Film Circle", "Cycling Club")


def write_unrelated(count: int, folder: Path) -> None:
    """Write `count` documents into `folder`; each depends on its own number only."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        template = _TEMPLATES[number % len(_TEMPLATES)]
        name, text = template(random.Random(number))
        (folder / f"unrelated-{number:03}-{name}").write_text(text, "utf-8")


def _filing(draw: random.Random) -> tuple[str, str]:
    company, town, chief = draw.choice(COMPANIES), draw.choice(TOWNS), draw.choice(PEOPLE)
    revenue, staff, shops = draw.randint(200, 9000), draw.randint(900, 80_000), draw.randint(20, 1500)
    before, tax = draw.randint(150, 8000), draw.randint(20, 900)
    text = f"""# {company} Corporation: annual report on Form 10-K

For the fiscal year ended {draw.choice(MONTHS)} {draw.randint(1, 28)}, {draw.randint(2015, 2022)}

## Item 1. Business

{company} operates {shops:,} stores and {draw.randint(3, 40)} distribution centers. As of the end of the fiscal year it
employed {staff:,} people, of whom {draw.randint(5, 60)}% were part-time employees. Its head office is in {town}.

## Item 7. Results of operations

Revenue was ${revenue:,} million, compared with ${before:,} million in the prior year. Total costs came to
${draw.randint(100, 5000):,} thousand for training and ${draw.randint(1, 90)}.{draw.randint(0, 9)} million for energy.

| ($ in thousands) | Current year | Prior year |
| --- | --- | --- |
| Net sales | {revenue * 1000:,} | {before * 1000:,} |
| Provision for income taxes | {tax:,} | {draw.randint(20, 900):,} |
| Interest expense | {draw.randint(5, 400):,} | {draw.randint(5, 400):,} |
| Energy and water | {draw.randint(500, 9000):,} | {draw.randint(500, 9000):,} |
| Training of employees | {draw.randint(50, 900):,} | {draw.randint(50, 900):,} |

Net sales grew because prices rose by {draw.randint(2, 9)}%. Of {draw.randint(2000, 90_000):,} orders a day on average
{draw.randint(1, 9)}.{draw.randint(0, 9)}% were delayed. No customer accounted for more than {draw.randint(5, 20)}% of
sales. In {draw.choice(MONTHS)} {draw.randint(2015, 2022)} the company signed a contract over ${draw.randint(2, 80)} million.

## Item 9. Vote of security holders

| Nominee | For | Against | Abstain | Broker Non-Votes |
| --- | --- | --- | --- | --- |
| {chief} | {draw.randint(10**6, 10**8):,} | {draw.randint(10**4, 10**6):,} | {draw.randint(10**3, 10**5):,} \
| {draw.randint(10**5, 10**7):,} |

{chief} has been chief executive officer since {draw.randint(1999, 2016)}.
"""
    return "filing.md", text


def _recipe(draw: random.Random) -> tuple[str, str]:
    dish, minutes = draw.choice(DISHES), draw.randint(20, 110)
    text = f"""{dish.capitalize()} for {draw.randint(2, 8)}

Time: {minutes} minutes. Oven: {draw.randint(16, 23) * 10} degrees Celsius.

Take {draw.randint(150, 900)} g of flour, {draw.randint(2, 9)} dl of water and {draw.randint(10, 60)} g of butter. Let
the dough rest for {draw.randint(1, 3)} hours, because it is easier to roll when it is cold. No eggs are needed.

A portion has {draw.randint(180, 720)} kcal and costs about {draw.randint(1, 6)}.{draw.randint(10, 95)} euros. What is
left over keeps for {draw.randint(2, 6)} days. {draw.choice(PEOPLE)} sent us this recipe in {draw.choice(MONTHS)}.
"""
    return "recipe.txt", text


def _manual(draw: random.Random) -> tuple[str, str]:
    machine = draw.choice(MACHINES)
    text = f"""<!DOCTYPE html>
<html lang="en"><head><title>Manual of the {machine}</title></head><body>
<h1>Manual of the {machine}</h1>
<p>The {machine} draws {draw.randint(200, 2400)} W in use and {draw.randint(1, 9)}.{draw.randint(0, 9)} Wh a day when it
stands by. Its tank holds {draw.randint(1, 9)} litres. It must not be used outdoors, since its motor is not sealed.</p>
<h2>Care</h2>
<p>Clean the filter every {draw.randint(2, 12)} weeks. If the light blinks {draw.randint(2, 5)} times, replace the
certificate card. The warranty lasts {draw.randint(1, 5)} years; {draw.randint(10, 90)}% of all faults are dirt.</p>
<table><tr><th>Part</th><th>Number</th><th>Price (EUR)</th></tr>
<tr><td>Filter</td><td>F-{draw.randint(100, 999)}</td><td>{draw.randint(4, 40)}.50</td></tr>
<tr><td>Hose</td><td>H-{draw.randint(100, 999)}</td><td>{draw.randint(10, 80)}.00</td></tr></table>
</body></html>
"""
    return "manual.html", text


def _prices(draw: random.Random) -> tuple[str, str]:
    goods = draw.sample(("Ferry ticket", "Parasol", "Deck chair", "Surf lesson", "Locker", "Kayak tour"), 5)
    rows = "\n".join(
        f"{name},{draw.randint(3, 90)}.{draw.randint(0, 9)}0,{draw.randint(0, 400)},{draw.choice(TOWNS)}"
        for name in goods
    )
    return "prices.csv", f"Offer,Price (EUR),Sold in {draw.randint(2015, 2022)},Beach\n{rows}\n"


def _club(draw: random.Random) -> tuple[str, str]:
    club, chair, clerk = draw.choice(CLUBS), *draw.sample(PEOPLE, 2)
    members = draw.randint(20, 300)
    text = f"""# Minutes of the {club} of {draw.choice(TOWNS)}

Meeting of {draw.randint(1, 28)} {draw.choice(MONTHS)} {draw.randint(2015, 2022)}. Chair: {chair}. Minutes: {clerk}.

The club has {members} members, {draw.randint(1, 19)} more than a year ago. {draw.randint(8, 19)} of them were present.
The fee is raised to {draw.randint(15, 90)} euros with {draw.randint(9, 15)} votes in favour and {draw.randint(0, 5)}
against; none abstained. {clerk} looks after the boathouse, the website belongs to {chair}.

- The summer party brought {draw.randint(100, 900)} euros.
- Nobody was hurt on the trips of this year.
- The next meeting is on {draw.randint(1, 28)} {draw.choice(MONTHS)} {draw.randint(2023, 2024)}.
"""
    return "minutes.md", text


def _works(draw: random.Random) -> tuple[str, str]:
    company, town, head = draw.choice(COMPANIES), draw.choice(TOWNS), draw.choice(PEOPLE)
    year = draw.randint(2015, 2022)
    rows = "\n".join(
        f"{month} {year},{draw.randint(90, 990)},{draw.randint(1000, 9000)},{draw.randint(0, 40)},{draw.randint(3, 90)}"
        for month in MONTHS
    )
    text = f"""Works report of {company} in {town}

Month,Electricity (MWh),Water (m3),Complaints,Late invoices
{rows}

{head} leads the works with {draw.randint(40, 900)} employees; {draw.randint(100, 999)} people visited it.
"""
    return "works.csv", text


_TEMPLATES: tuple[Callable[[random.Random], tuple[str, str]], ...] = (_filing, _recipe, _manual, _prices, _club, _works)
