"""The network of the reader, which training and conversion share: MiniLM with two outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def reading_network(source: Path) -> Any:
    """Return an untrained PyTorch module over the encoder in `source`, with the weights of that encoder.

    Called with token ids, segment kinds (1: passage) and mask, (batch, tokens) int64, it returns the logits
    (batch, tokens) of starts and of ends, lowest outside the passage but at the first token, which stands for no answer.
    """
    import torch
    from transformers import BertModel
    from transformers.utils import logging as transformers_logging

    class Reader(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bert = BertModel.from_pretrained(source, add_pooling_layer=False, attn_implementation="eager")
            width = self.bert.config.hidden_size
            self.span = torch.nn.Linear(width, 2)

        def forward(
            self, ids: torch.Tensor, kinds: torch.Tensor, mask: torch.Tensor
        ) -> tuple[torch.Tensor, torch.Tensor]:
            states = self.bert(input_ids=ids, token_type_ids=kinds, attention_mask=mask).last_hidden_state
            starts, ends = self.span(states).float().unbind(-1)
            outside = ((kinds == 0) | (mask == 0)) & (torch.arange(ids.shape[1]) > 0)
            return starts.masked_fill(outside, _LOWEST), ends.masked_fill(outside, _LOWEST)

    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()
    return Reader()


_LOWEST = -1e9  # a logit
