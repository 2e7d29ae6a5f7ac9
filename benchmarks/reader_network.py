"""The network of the reader as train_reader.py trains it, and the files of its base model and of its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

HEADS = 12  # of attention, in the base model
# The parts of a layer, by the names of BertModel.
_PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "up": "intermediate.dense",
    "down": "output.dense",
    "attended_norm": "attention.output.LayerNorm",
    "down_norm": "output.LayerNorm",
}
_EMBEDDINGS = {
    "places": "embeddings.position_embeddings.weight",
    "kinds": "embeddings.token_type_embeddings.weight",
    "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}


@dataclass(frozen=True, slots=True)
class Base:
    """The weights of the base model by the names of BertModel, and its word embeddings."""

    weights: Mapping[str, Tensor]
    words: Tensor


def store_base(model: Path, out: Path) -> None:
    """Write the model.safetensors of a folder with its layers in float16 and its word embeddings in int8."""
    weights = {name.removeprefix("bert."): weight for name, weight in load_file(model / "model.safetensors").items()}
    words = weights.pop("embeddings.word_embeddings.weight").float()
    scale = words.abs().amax(1, keepdim=True) / 127 + 1e-12
    kept = {
        name: weight.half()
        for name, weight in weights.items()
        if not name.startswith("pooler") and "position_ids" not in name
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    save_file(kept | {"words.int8": (words / scale).round().to(torch.int8), "words.scale": scale}, out)


def read_base(path: Path) -> Base:
    """Return what store_base wrote."""
    weights = load_file(path)
    return Base(weights, weights.pop("words.int8").float() * weights.pop("words.scale"))


class Layer(nn.Module):
    """A layer of BERT."""

    def __init__(self, width: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.attended = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.attended_norm, self.down_norm = (nn.LayerNorm(width, eps=1e-12) for _ in range(2))
        self.dropout = dropout

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the states of the next layer."""
        dropout = self.dropout if self.training else 0.0
        parts = (_by_head(part(states)) for part in (self.query, self.key, self.value))
        attended = functional.scaled_dot_product_attention(*parts, attn_mask=mask, dropout_p=dropout)
        attended = self.attended(attended.transpose(1, 2).reshape(states.shape))
        states = self.attended_norm(states + functional.dropout(attended, dropout, self.training))
        down = self.down(functional.gelu(self.up(states)))
        return self.down_norm(states + functional.dropout(down, dropout, self.training))


def _by_head(states: Tensor) -> Tensor:
    return states.view(*states.shape[:2], HEADS, -1).transpose(1, 2)


class Reader(nn.Module):
    """BERT with four outputs: starts, ends, whether the passage answers, and no, yes or not said."""

    words: Tensor

    def __init__(self, base: Base, dropout: float) -> None:
        super().__init__()
        width = base.words.shape[1]
        layers = 1 + max(int(name.split(".")[2]) for name in base.weights if name.startswith("encoder.layer."))
        inner = len(base.weights["encoder.layer.0.intermediate.dense.bias"])
        self.register_buffer("words", base.words, persistent=False)
        self.places = nn.Parameter(torch.empty(base.weights[_EMBEDDINGS["places"]].shape))
        self.kinds = nn.Parameter(torch.empty(base.weights[_EMBEDDINGS["kinds"]].shape))
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(width, inner, dropout) for _ in range(layers))
        self.span, self.has_answer, self.closed = nn.Linear(width, 2), nn.Linear(width, 1), nn.Linear(width, 3)
        for head in (self.span, self.has_answer, self.closed):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)
        self.dropout = dropout
        self.take(base.weights)

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the logits of starts and ends (batch, tokens), of having an answer (batch,), and of LABELS (batch, 3)."""
        states = self.words[ids].float() + self.places[: ids.shape[1]] + self.kinds[kinds]
        states = functional.dropout(self.norm(states), self.dropout if self.training else 0.0, self.training)
        for layer in self.layers:
            states = layer(states, mask[:, None, None, :])
        starts, ends = self.span(states).float().unbind(-1)
        first = states[:, 0]
        return starts, ends, self.has_answer(first).float()[:, 0], self.closed(first).float()

    def take(self, weights: Mapping[str, Tensor]) -> None:
        """Load the weights of a base model or of a stored reader, as far as there are any."""
        own_name = {stored: own for own, stored in self._stored_names().items()}
        found = {name.removeprefix("bert."): weight.float() for name, weight in weights.items()}
        strange = sorted(found.keys() - own_name.keys())
        if strange:
            msg = f"unknown weights: {strange[:5]}"
            raise SystemExit(msg)
        self.load_state_dict({own_name[name]: weight for name, weight in found.items()}, strict=False)

    def store(self, path: Path) -> None:
        """Write the weights in float16, by the names of the project's reading_network."""
        state = self.state_dict()
        heads = ("span.", "has_answer.", "closed.")
        save_file(
            {
                stored if stored.startswith(heads) else f"bert.{stored}": state[own].half().cpu().contiguous()
                for own, stored in self._stored_names().items()
            },
            path,
        )

    def _stored_names(self) -> dict[str, str]:
        return {name: _stored_name(name) for name in self.state_dict()}


def _stored_name(name: str) -> str:
    if name.startswith("layers."):
        _, number, part, kind = name.split(".")
        return f"encoder.layer.{number}.{_PARTS[part]}.{kind}"
    return _EMBEDDINGS.get(name, name)
