"""Trains the reader: a small model that finds the answer to a question in a passage, or that there is none.

    python benchmarks/train_reader.py OUT [--examples 60000] [--minutes 110] [--start WEIGHTS]

The upper layers of the bundled MiniLM (Apache-2.0) are fine-tuned; the embeddings and the lower layers stay as they are
and are not stored. Trained on QAMR (MIT), half of TAT-QA's test part (CC BY 4.0), half of COVID-QA (Apache-2.0), and on
examples made by templates. Prints exact match and F1 on the documents kept apart.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from reading_examples import Example, all_examples
from reading_records import with_plain_dates
from reading_templates import made_examples
from reading_written import written_examples
from safetensors.torch import load_file, save_file
from shared_data import data_parser
from squad_metrics import exact_match, f1
from tokenizers import Tokenizer
from torch import Tensor, nn

from kohaku_lib.answering.extractive.reader.model import best_spans, reading_tokenizer
from kohaku_lib.answering.extractive.reader.network import LOWER_LAYERS, reading_network
from kohaku_lib.embedding.model_folder import model_folder

BATCH_TOKENS = 2560  # of a batch, padding included
WARM_UP = 0.06  # share of the steps in which the learning rate rises


@dataclass(frozen=True, slots=True)
class Encoded:
    """The token ids of an example, where its passage begins, the offsets of its tokens, and the tokens of its answer."""

    ids: list[int]
    kinds: list[int]
    offsets: list[tuple[int, int]]
    span: tuple[int, int] | None


def encode(tokenizer: Tokenizer, examples: Sequence[Example]) -> list[Encoded | None]:
    """Return the tokens of each example, None where the answer lies behind the limit."""
    found = tokenizer.encode_batch([(one.question, one.passage) for one in examples])
    return [_encoded(one, tokens) for one, tokens in zip(examples, found, strict=True)]


def _encoded(example: Example, tokens) -> Encoded | None:
    span = None
    if example.span is not None:
        low, high = example.span
        inside = [
            place
            for place, (kind, (start, end)) in enumerate(zip(tokens.type_ids, tokens.offsets, strict=True))
            if kind == 1 and start < high and end > low and end > start
        ]
        if not inside:
            return None
        span = inside[0], inside[-1]
    return Encoded(tokens.ids, tokens.type_ids, tokens.offsets, span)


def batches(encoded: Sequence[Encoded], chance: random.Random) -> Iterator[list[Encoded]]:
    """Yield batches of similar lengths in random order."""
    rows = sorted(encoded, key=lambda one: len(one.ids) + chance.random() * 8)
    found: list[list[Encoded]] = [[]]
    for one in rows:
        if found[-1] and (len(found[-1]) + 1) * len(one.ids) > BATCH_TOKENS:
            found.append([])
        found[-1].append(one)
    chance.shuffle(found)
    yield from found


def tensors(batch: Sequence[Encoded]) -> tuple[Tensor, Tensor, Tensor]:
    """Return ids, segment kinds and mask, (batch, longest)."""
    longest = max(len(one.ids) for one in batch)
    ids, kinds, mask = (np.zeros((len(batch), longest), np.int64) for _ in range(3))
    for row, one in enumerate(batch):
        ids[row, : len(one.ids)], kinds[row, : len(one.ids)], mask[row, : len(one.ids)] = one.ids, one.kinds, 1
    return torch.from_numpy(ids), torch.from_numpy(kinds), torch.from_numpy(mask)


def loss_of(reader: nn.Module, batch: Sequence[Encoded]) -> Tensor:
    """Return the cross entropy of starts and ends where there is an answer, plus that of having one."""
    starts, ends, has = reader(*tensors(batch))
    wanted = torch.tensor([one.span is not None for one in batch], dtype=torch.float32)
    loss = nn.functional.binary_cross_entropy_with_logits(has, wanted)
    rows = [row for row, one in enumerate(batch) if one.span is not None]
    if rows:
        spans = [one.span for one in batch if one.span is not None]
        first, last = (torch.tensor(edges) for edges in zip(*spans, strict=True))
        cross = nn.functional.cross_entropy
        loss = loss + 0.5 * (cross(starts[rows], first) + cross(ends[rows], last))
    return loss


def train(reader: nn.Module, encoded: Sequence[Encoded], options: argparse.Namespace) -> None:
    """Train for the epochs or until the minutes are over; the learning rate falls with whichever is nearer its end.

    The weights are saved every 600 steps.
    """
    minutes, epochs, seed = options.minutes, options.epochs, options.seed
    chance = random.Random(seed)
    rounds = [batch for _ in range(epochs) for batch in batches(encoded, chance)]
    weights = [weight for weight in reader.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=options.rate, weight_decay=0.01)
    began, smooth = time.monotonic(), 0.0
    for step, batch in enumerate(rounds):
        done = max(step / len(rounds), (time.monotonic() - began) / 60 / minutes)
        if done >= 1:
            break
        rate = options.rate * min(step / (WARM_UP * len(rounds)), 1.0) * (0.5 + 0.5 * math.cos(math.pi * done))
        for group in optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast("cpu", torch.bfloat16):
            loss = loss_of(reader, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        smooth = 0.98 * smooth + 0.02 * loss.item() if step else loss.item()
        if step % 50 == 0:
            print(f"{step} of {len(rounds)}, {(time.monotonic() - began) / 60:.1f} min, loss {smooth:.3f}", flush=True)
        if step % 600 == 599:
            save(reader, options)


@dataclass(frozen=True, slots=True)
class Read:
    """The best span of a passage, and the probability that there is an answer."""

    answer: str
    has_answer: float


def read(reader: nn.Module, tokenizer: Tokenizer, examples: Sequence[Example]) -> list[Read]:
    """Return what the reader finds in each passage."""
    reader.eval()
    found: list[Read] = []
    for start in range(0, len(examples), 64):
        some = examples[start : start + 64]
        tokens = tokenizer.encode_batch([(one.question, one.passage) for one in some])
        encoded = [Encoded(one.ids, one.type_ids, one.offsets, None) for one in tokens]
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            starts, ends, has = reader(*tensors(encoded))
        for row, (one, own) in enumerate(zip(some, tokens, strict=True)):
            size = len(own.ids)
            spans = best_spans(own, starts[row, :size].numpy(), ends[row, :size].numpy(), [(0, len(one.passage))])
            answer = one.passage[spans[0].start : spans[0].end] if spans else ""
            found.append(Read(answer, float(has[row].sigmoid())))
    reader.train()
    return found


def judge(reader: nn.Module, tokenizer: Tokenizer, name: str, examples: Sequence[Example]) -> None:
    """Print exact match and F1 where there is an answer, and how well having one is told."""
    found = read(reader, tokenizer, examples)
    pairs = [(one.answer, got.answer) for one, got in zip(examples, found, strict=True) if one.answer is not None]
    exact = float(np.mean([exact_match(got, answer) for answer, got in pairs]))
    overlap = float(np.mean([f1(got, answer) for answer, got in pairs]))
    wanted = np.array([one.answer is not None for one in examples])
    said = np.array([got.has_answer for got in found])
    order = np.argsort(-said)
    right = [
        one.answer is not None and exact_match(got.answer, one.answer) for one, got in zip(examples, found, strict=True)
    ]
    precision = np.cumsum(np.array(right)[order]) / np.arange(1, len(order) + 1)
    surest = ", ".join(f"{precision[len(order) * share // 4 - 1]:.3f}" for share in (1, 2, 3))
    print(
        f"{name}: {len(examples)} examples, exact match {exact:.3f}, F1 {overlap:.3f}, answerable or not right "
        f"{np.mean((said > 0.5) == wanted):.3f}; right of the surest quarter, half, three quarters {surest}",
        flush=True,
    )


def main() -> None:
    """Train, judge and save."""
    parser = data_parser(__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--examples", type=int, default=60_000)
    parser.add_argument("--minutes", type=float, default=110)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument(
        "--written", type=int, default=3, metavar="TIMES", help="how often each written example is seen (3)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=1.2e-4, help="highest learning rate (1.2e-4)")
    parser.add_argument("--start", type=Path, metavar="WEIGHTS", help="go on from these weights")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    tokenizer = reading_tokenizer()
    chance = random.Random(options.seed)
    sets = all_examples(options.data, held_out=False, seed=options.seed)
    general = sets["qamr"][: round(options.examples * 0.62)]
    rare = [one for name in ("covidqa", "tatqa") for one in sets[name]] * 3
    made = made_examples(max(0, options.examples - len(general) - len(rare)), options.seed)
    written = list(written_examples(held_out=False, chance=chance)) * options.written
    chosen = [*general, *rare, *made, *written]
    encoded = [one for one in encode(tokenizer, [with_plain_dates(one) for one in chosen]) if one is not None]
    lengths = [len(one.ids) for one in encoded]
    print(
        f"{len(general)} QAMR, {len(rare)} others, {len(made)} made, {len(written)} written; {sum(lengths):,} tokens",
        flush=True,
    )
    reader = reading_network(model_folder("minilm"))
    if options.start:
        reader.load_state_dict(
            {name: weight.float() for name, weight in load_file(options.start).items()}, strict=False
        )
    for part in (reader.bert.embeddings, *reader.bert.encoder.layer[:LOWER_LAYERS]):
        part.requires_grad_(False)
    train(reader, encoded, options)
    save(reader, options)
    held = all_examples(options.data, held_out=True, seed=1) | {"made": made_examples(600, 99)}
    held["written"] = list(written_examples(held_out=True, chance=chance))
    for name, examples in held.items():
        judge(reader, tokenizer, name, chance.sample(examples, min(len(examples), 1500)))


def save(reader: nn.Module, options: argparse.Namespace) -> None:
    """Write the weights of the upper layers in float16, with the options that they were made with."""
    keep = {
        name: weight.half().contiguous()
        for name, weight in reader.state_dict().items()
        if "embeddings" not in name and not any(f"layer.{n}." in name for n in range(LOWER_LAYERS))
    }
    options.out.mkdir(parents=True, exist_ok=True)
    metadata = {name: str(value) for name, value in vars(options).items() if not isinstance(value, Path)}
    save_file(keep, options.out / "reader.safetensors", metadata=metadata)


if __name__ == "__main__":
    main()
