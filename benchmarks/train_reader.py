"""Trains the reader: a small model that finds the answer to a question in a passage, or that there is none.

    python benchmarks/train_reader.py pack PACK.npz --rows FILE.jsonl.gz [FILE ...]
    python benchmarks/train_reader.py base BASE.safetensors
    python benchmarks/train_reader.py train PACK.npz BASE.safetensors OUT [--minutes M] [--epochs N] [--seeds 0 1]

A row is a line of JSON: set, question, passage, answers, starts (offsets of characters), answerable, title, lang; with
"label" (yes, no, not said) it is a closed question or a claim. "dev": true or false says whether it is kept apart; else
the rows of 5 % of the documents are, by a hash of their title or text. reader_rows.py makes the rows of this project.

The bundled MiniLM is trained with four outputs: first and last token of the answer (the first of all: none), whether the
passage answers, and no, yes or not said. Its word embeddings stay as they are and are not stored. One reader per seed is
trained from the same base, on CUDA where there is one; their mean is written, and the measures on the rows kept apart.
The same seed gives the same reader, up to the order of sums on a GPU.

With a GPU, in five minutes:

    train PACK.npz BASE.safetensors OUT --epochs 6 --minutes 4.6 --seeds 0 1 2 --rate 1.5e-4 3e-4 5e-4

On two cores, from an earlier reader (without dropout a step takes half the time), 62,000 rows an hour on a processor with
bfloat16 of its own, about 25,000 on one without:

    train PACK.npz BASE.safetensors OUT --cpu --epochs 1 --minutes 60 --rate 1.5e-4 --tokens 5120 --longest 320 \\
        --dropout 0 --judged 4000 --save-minutes 10 --start reader.safetensors
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from reader_batches import Batch, Outputs, PackedRows, best_spans, loss_of
from reader_network import Base, Reader, read_base, store_base
from safetensors.torch import load_file
from torch import Tensor

from kohaku_lib.openvino_runtime import processor_precisions

SETS = json.loads((Path(__file__).parent / "reader_sets.json").read_text("utf-8"))
# The sets over which the means of the measures are taken.
MEANS = {
    "exact_match": SETS["spans"],
    "f1": SETS["spans"],
    "has_answer": [*SETS["spans"], "squad2_unans_matched", "hardneg_en"],
    "closed": SETS["closed"],
}
WARM_UP = 0.05  # share of the training in which the learning rate rises
EVERY = 200  # steps between two lines

Measures = dict[str, dict[str, float]]


class Run:
    """A reader in training, with its optimizer."""

    def __init__(self, base: Base, device: torch.device, rate: float, options: argparse.Namespace) -> None:
        self.reader = Reader(base, options.dropout)
        for file in options.start:
            self.reader.take(load_file(file))
        self.reader.to(device).train()
        self._device, self._weights = device, list(self.reader.parameters())
        groups = [
            {"params": [weight for weight in self._weights if weight.ndim >= 2], "weight_decay": 0.01},
            {"params": [weight for weight in self._weights if weight.ndim < 2], "weight_decay": 0.0},
        ]
        self._optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=device.type == "cuda")

    def outputs(self, batch: Batch) -> Outputs:
        """Return what the reader says of a batch."""
        # a processor without bfloat16 of its own takes six times as long with it
        is_native = self._device.type == "cuda" or "bfloat16" in processor_precisions()
        with torch.autocast(self._device.type, torch.bfloat16, enabled=is_native):
            return self.reader(batch.ids, batch.kinds, batch.mask)

    def step(self, batch: Batch, rate: float) -> Tensor:
        """Learn from a batch, and return the loss before."""
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        loss = loss_of(self.outputs(batch), batch)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._weights, 1.0)
        self._optimizer.step()
        return loss


class Training:
    """The training of readers, one a seed, from the same base."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self._began = options, time.monotonic()
        self._device = torch.device("cuda" if torch.cuda.is_available() and not options.cpu else "cpu")
        torch.backends.cuda.matmul.allow_tf32 = True
        self.data = PackedRows(options.pack, self._device, options.longest, SETS["shares"] | options.shares)
        base = read_base(options.base)
        self._base = Base(base.weights, base.words.to(self._device, torch.bfloat16))
        self._seconds = options.minutes * 60 / len(options.seeds)
        options.out.mkdir(parents=True, exist_ok=True)
        kept = int(self.data.is_held_out.sum())
        self.say(f"{self._device}, {len(self.data.is_held_out) - kept} rows to train on, {kept} kept apart")

    def say(self, text: str) -> None:
        """Print a line with the time, and append it to the log."""
        line = f"[{time.monotonic() - self._began:.0f} s] {text}"
        print(line, flush=True)
        with (self.options.out / "log.txt").open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")

    def run(self, seed: int, rate: float) -> Run:
        """Train a reader for the epochs or its part of the minutes; the rate falls with whichever is nearer its end."""
        options = self.options
        torch.manual_seed(seed)
        chance = np.random.default_rng(seed)
        run = Run(self._base, self._device, rate, options)
        batches = [rows for _ in range(options.epochs) for rows in self.data.epoch(chance, options.tokens)]
        began = saved = time.monotonic()
        smooth, rows_seen = math.nan, 0
        for step, rows in enumerate(batches):
            done = max(step / len(batches), (time.monotonic() - began) / self._seconds)
            if done >= 1:
                break
            now = rate * min(1.0, done / WARM_UP + 0.01) * (1 - done)
            loss = run.step(self.data.batch(rows, training=True), now)
            rows_seen += len(rows)
            if options.save_minutes and time.monotonic() - saved > options.save_minutes * 60:
                saved = time.monotonic()
                run.reader.store(options.out / "last.safetensors")
            if step % EVERY == 0:
                smooth = 0.7 * smooth + 0.3 * loss.item() if step else loss.item()
                speed = rows_seen / (time.monotonic() - began)
                self.say(f"seed {seed}: step {step} of {len(batches)}, loss {smooth:.3f}, {speed:,.0f} rows/s")
                if not math.isfinite(smooth):
                    msg = "the loss is not finite"
                    raise SystemExit(msg)
        self.say(f"seed {seed}, rate {rate:g}: {rows_seen} rows in {time.monotonic() - began:.0f} s")
        return run


def train(options: argparse.Namespace) -> None:
    """Train a reader per seed, and write their mean with the measures of all."""
    training = Training(options)
    states: list[dict[str, Tensor]] = []
    measured: list[Measures] = []
    for number, seed in enumerate(options.seeds):
        run = training.run(seed, options.rate[number % len(options.rate)])
        measured.append(judge(run, training.data, options.judged))
        training.say(f"kept apart: {measured[-1]['mean']}")
        states.append({name: weight.detach().float().clone() for name, weight in run.reader.state_dict().items()})
        mean, measures = _mean(states), measured[-1]
        run.reader.load_state_dict(mean)
        if number:
            measures = judge(run, training.data, options.judged)
            training.say(f"mean of {len(states)}, kept apart: {measures['mean']}")
        run.reader.store(options.out / "reader.safetensors")
        told = {"reader": measures, "runs": measured}
        (options.out / "measures.json").write_text(f"{json.dumps(told, indent=1)}\n", "utf-8")


def _mean(states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    return {name: torch.stack([state[name] for state in states]).sum(0) / len(states) for name in states[0]}


def judge(run: Run, data: PackedRows, most: int) -> Measures:
    """Return the measures of each set on at most so many rows kept apart, and their means over sets.

    Exact match and F1 of tokens where there is an answer; how well having one is told by the output for it and by the score
    of the best span over that of none; and how many labels of closed questions are right.
    """
    run.reader.eval()
    with torch.inference_mode():
        judged = [_judged(run, data.batch(rows, training=False)) for rows in data.held_out(most)]
    run.reader.train()
    if not judged:
        return {"mean": dict.fromkeys(MEANS, 0.0)}
    found: Measures = {}
    columns = {name: torch.cat([one[name] for one in judged]).cpu().numpy() for name in judged[0]}
    sets = data.set[columns["row"]]
    for number, name in enumerate(data.names):
        own = {key: values[sets == number] for key, values in columns.items()}
        has_span, is_closed = own["has_span"], own["is_closed"]
        means = {
            "exact_match": own["exact_match"][has_span],
            "f1": own["f1"][has_span],
            "closed": own["closed"] if is_closed.any() else own["closed"][:0],
            "has_answer": own["has_answer"],
            "over_none": own["over_none"],
        }
        if len(has_span):
            told = {key: round(float(values.mean()), 3) for key, values in means.items() if len(values)}
            found[name] = {"rows": len(has_span), **told}
    overall = {key: [found[name][key] for name in sets if key in found.get(name, {})] for key, sets in MEANS.items()}
    return found | {"mean": {key: round(sum(own) / max(1, len(own)), 4) for key, own in overall.items()}}


def _judged(run: Run, batch: Batch) -> dict[str, Tensor]:
    starts, ends, has_answer, closed = run.outputs(batch)
    first, last, over_none = best_spans(starts, ends, batch.allowed)
    first, last = first[:, None], last[:, None]
    true_first, true_last = batch.spans.unbind(-1)
    both = (torch.minimum(true_last, last) - torch.maximum(true_first, first) + 1).clamp(min=0)
    overlap = 2 * both / (true_last - true_first + 1 + (last - first + 1))
    is_answerable = batch.is_answerable > 0
    return {
        "row": batch.rows,
        "exact_match": ((true_first == first) & (true_last == last) & batch.inside).any(1).float(),
        "f1": overlap.masked_fill(~batch.inside, 0).amax(1),
        "has_answer": ((has_answer > 0) == is_answerable).float(),
        "over_none": ((over_none > 0) == is_answerable).float(),
        "closed": (closed.argmax(1) == batch.label).float(),
        "is_closed": batch.label >= 0,
        "has_span": batch.inside.any(1),
    }


def pack_rows(options: argparse.Namespace) -> None:
    """Pack rows with the tokenizer of the bundled model."""
    from reader_pack import pack
    from tokenizers import Tokenizer

    from kohaku_lib.embedding.model_folder import model_folder

    pack(options.rows, Tokenizer.from_file(str(model_folder("minilm") / "tokenizer.json")), options.out)


def write_base(options: argparse.Namespace) -> None:
    """Write the bundled model in 33 MB, for another machine."""
    from kohaku_lib.embedding.model_folder import model_folder

    store_base(model_folder("minilm"), options.out)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("pack", help="tokenise and pack the rows")
    verb.add_argument("out", type=Path)
    verb.add_argument("--rows", type=Path, nargs="+", required=True)
    verb.set_defaults(run=pack_rows)
    verb = verbs.add_parser("base", help="store the base model in a small form")
    verb.add_argument("out", type=Path)
    verb.set_defaults(run=write_base)
    verb = verbs.add_parser("train", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for name in ("pack", "base", "out"):
        verb.add_argument(name, type=Path)
    verb.add_argument("--minutes", type=float, default=60, help="for all seeds together; the rate falls to 0 by then")
    verb.add_argument("--epochs", type=int, default=4, help="at most, in the minutes")
    verb.add_argument("--seeds", type=int, nargs="+", default=[0], help="a reader is trained with each")
    verb.add_argument(
        "--rate", type=float, nargs="+", default=[2e-4], help="highest learning rate, one or one per seed"
    )
    verb.add_argument("--tokens", type=int, default=24576, help="of a batch")
    verb.add_argument("--longest", type=int, default=384, help="tokens of question and passage")
    verb.add_argument("--dropout", type=float, default=0.1, help="share of the states that a step leaves out")
    verb.add_argument("--shares", type=json.loads, default={}, help='how often rows of a set are seen, {"SET": 0.5}')
    verb.add_argument("--start", type=Path, nargs="*", default=[], help="go on from the weights of an earlier reader")
    verb.add_argument("--judged", type=int, default=10**9, help="rows kept apart that are judged at most")
    verb.add_argument("--save-minutes", type=float, default=0, help="store the weights every so often; 0: at the end")
    verb.add_argument("--cpu", action="store_true", help="do without a GPU")
    verb.set_defaults(run=train)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
