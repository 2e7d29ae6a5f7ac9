"""Batches of the rows that reader_pack.py packed, built on the device, and what a reader loses on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

MOST_QUESTION, MOST_HEADING = 96, 24  # tokens
HEADED = 0.5  # share of the rows that have their heading in training
SPAN_TOKENS = 40  # of an answer
LOWEST = -1e4  # a logit

Outputs = tuple[Tensor, Tensor, Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows as the reader takes them, [CLS] question [SEP] heading passage [SEP], and what it is to find.

    `allowed` are the tokens of heading and passage, and the first one, which stands for no answer. Of the `spans`, first and
    last token of each place of the answer, those count that are `inside`. `label` is one of LABELS, -1 of open questions.
    """

    ids: Tensor
    kinds: Tensor
    mask: Tensor
    allowed: Tensor
    spans: Tensor
    inside: Tensor
    is_answerable: Tensor
    label: Tensor
    rows: Tensor


@dataclass(frozen=True, slots=True)
class Texts:
    """The tokens of all questions, headings or passages, where each text begins, and the text of each row."""

    tokens: Tensor
    bounds: Tensor
    text_of: Tensor

    def places(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return where the texts of rows begin, and how many tokens they have."""
        texts = self.text_of[rows]
        return self.bounds[texts], self.bounds[texts + 1] - self.bounds[texts]

    def pick(self, start: Tensor, places: Tensor) -> Tensor:
        """Return the tokens at places after each start; any token outside the texts."""
        return self.tokens[(start[:, None] + places).clamp(min=0, max=len(self.tokens) - 1)].long()


class PackedRows:
    """Packed rows on the device; each of a set is seen `shares` times an epoch, once where its set has none."""

    def __init__(self, path: Path, device: torch.device, longest: int, shares: Mapping[str, float]) -> None:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        self.names = [str(name) for name in arrays["names"]]
        self.set, self.is_held_out = arrays["set"], arrays["is_held_out"]
        self._device, self._longest = device, longest

        def put(name: str, kind: type[np.generic]) -> Tensor:
            return torch.from_numpy(arrays[name].astype(kind)).to(device)

        self._question, self._heading, self._passage = (
            Texts(put(f"{name}_tokens", np.int32), put(f"{name}_bounds", np.int64), put(name, np.int64))
            for name in ("question", "heading", "passage")
        )
        self._spans, self._label = put("spans", np.int64), put("label", np.int64)
        self._is_answerable = put("is_answerable", np.float32)
        self._cls, self._sep, self._pad = (int(token) for token in arrays["special"])
        question, heading, passage = (
            np.diff(arrays[f"{name}_bounds"])[arrays[name]] for name in ("question", "heading", "passage")
        )
        size = np.minimum(question, MOST_QUESTION) + np.minimum(heading, MOST_HEADING) + passage + 3
        self._size = np.minimum(size, longest)
        self._share = np.array([shares.get(name, 1.0) for name in self.names])[self.set]

    def epoch(self, chance: np.random.Generator, tokens: int) -> list[np.ndarray]:
        """Return the rows of the batches of one epoch, rows of like length together, in random order."""
        trained = np.flatnonzero(~self.is_held_out)
        share = self._share[trained]
        times = np.floor(share).astype(int) + (chance.random(len(trained)) < share % 1)
        order = chance.permutation(np.repeat(trained, times))
        found = []
        for low in range(0, len(order), 16384):
            pool = order[low : low + 16384]
            pool = pool[np.argsort(self._size[pool] + chance.random(len(pool)) * 4, kind="stable")]
            start = 0
            while start < len(pool):
                count = max(8, tokens // int(self._size[pool[start]] + 8))
                found.append(pool[start : start + count])
                start += count
        chance.shuffle(found)
        return found

    def held_out(self, most: int) -> list[np.ndarray]:
        """Return the rows of batches of at most so many rows that are kept apart."""
        rows = np.random.default_rng(0).permutation(np.flatnonzero(self.is_held_out))[:most]
        rows = rows[np.argsort(self._size[rows], kind="stable")]
        return [rows[low : low + 128] for low in range(0, len(rows), 128)]

    def batch(self, rows: np.ndarray, *, training: bool) -> Batch:
        """Return rows as a batch; in training half of them without heading, and long passages cut at a random place."""
        chosen = torch.from_numpy(rows).to(self._device)
        question_start, question_size = self._question.places(chosen)
        heading_start, heading = self._heading.places(chosen)
        passage_start, passage_size = self._passage.places(chosen)
        question = question_size.clamp(max=MOST_QUESTION)
        question_start = question_start + question_size - question
        heading = heading.clamp(max=MOST_HEADING)
        if training:
            heading = heading * (torch.rand(len(rows), device=self._device) < HEADED)
        room = self._longest - 3 - question - heading
        spans = self._spans[chosen]
        passage_start = passage_start + self._cut(spans, passage_size, room, training=training)
        shift = passage_start - self._passage.places(chosen)[0]
        after_question, first = (question + 2)[:, None], (question + 2 + heading)[:, None]
        end = first + torch.minimum(passage_size, room)[:, None]
        width = min(self._longest, -(-(int(end.max()) + 1) // 8) * 8)
        place = torch.arange(width, device=self._device)[None, :]
        ids = torch.where(
            place < after_question - 1,
            self._question.pick(question_start, place - 1),
            torch.where(
                place < first,
                self._heading.pick(heading_start, place - after_question),
                self._passage.pick(passage_start, place - first),
            ),
        )
        ids = ids.masked_fill((place == after_question - 1) | (place == end), self._sep)
        ids = ids.masked_fill(place == 0, self._cls).masked_fill(place > end, self._pad)
        mask = place <= end
        moved = spans - shift[:, None, None] + first[:, :, None]
        return Batch(
            ids,
            ((place >= after_question) & mask).long(),
            mask,
            ((place >= after_question) & (place < end)) | (place == 0),
            moved.clamp(min=0, max=width - 1),
            (spans[:, :, 0] >= 0) & (moved[:, :, 0] >= first) & (moved[:, :, 1] < end),
            self._is_answerable[chosen],
            self._label[chosen],
            chosen,
        )

    def _cut(self, spans: Tensor, size: Tensor, room: Tensor, *, training: bool) -> Tensor:
        """Return how many tokens of each passage are left out before what is read, which holds the first span."""
        first, last = spans[:, 0, 0], spans[:, 0, 1].clamp(min=0)
        low = (last + 1 - room).clamp(min=0)
        high = torch.maximum(torch.minimum(torch.where(first >= 0, first, size), size - room), low)
        count = len(size)
        at = torch.rand(count, device=self._device) if training else torch.full((count,), 0.5, device=self._device)
        cut = low + ((high - low + 1) * at).floor().long().clamp(max=self._longest * 4)
        return torch.minimum(torch.where(size > room, cut, 0), (size - room).clamp(min=0))


def loss_of(outputs: Outputs, batch: Batch) -> Tensor:
    """Return the losses of the span or none, of having an answer, and of the label of closed questions, added.

    Where a closed question is decided nobody has marked: any span is right, none is wrong.
    """
    starts, ends, has_answer, closed = outputs
    starts = starts.masked_fill(~batch.allowed, LOWEST).log_softmax(-1)
    ends = ends.masked_fill(~batch.allowed, LOWEST).log_softmax(-1)
    joint = starts.gather(1, batch.spans[:, :, 0]) + ends.gather(1, batch.spans[:, :, 1])
    joint = joint.masked_fill(~batch.inside, LOWEST).logsumexp(1)
    is_open = batch.label < 0
    answered = batch.inside.any(1)
    somewhere = ~is_open & (batch.is_answerable > 0)
    empty = batch.is_answerable == 0
    sure = torch.where(answered, joint, 0.0) + torch.where(empty, starts[:, 0] + ends[:, 0], 0.0)
    sure = sure + torch.where(somewhere, _of_any(starts) + _of_any(ends), 0.0)
    span = -sure.sum() / (answered | somewhere | empty).sum().clamp(min=1) / 2
    having = functional.binary_cross_entropy_with_logits(has_answer, batch.is_answerable)
    said = functional.cross_entropy(closed, batch.label.clamp(min=0), reduction="none")
    said = torch.where(is_open, 0.0, said).sum() / (~is_open).sum().clamp(min=1)
    return span + having + 2 * (~is_open).float().mean().clamp(max=0.5) * said


def _of_any(scores: Tensor) -> Tensor:
    """Return the logarithm of the probability of any token but the first, which stands for none."""
    return scores[:, 1:].logsumexp(1)


def best_spans(starts: Tensor, ends: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return first and last token of the best span of each row, and its score less that of none."""
    size = starts.shape[1]
    inside = allowed.clone()
    inside[:, 0] = False
    band = torch.ones(size, size, dtype=torch.bool, device=starts.device).triu().tril(SPAN_TOKENS - 1)
    joint = starts.masked_fill(~inside, LOWEST)[:, :, None] + ends.masked_fill(~inside, LOWEST)[:, None, :]
    score, flat = joint.masked_fill(~band, 3 * LOWEST).flatten(1).max(1)
    return flat // size, flat % size, score - (starts[:, 0] + ends[:, 0])
