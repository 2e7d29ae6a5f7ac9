"""A cross-encoder of random weights and one layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kohaku_lib.testing.tiny_models import copy_tokenizer


def tiny_cross_encoder(folder: Path, *, outputs: int = 1, seed: int = 0) -> Path:
    """Write a BERT of 16 dimensions that reads two texts and gives `outputs` logits."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(seed)
    shape: dict[str, Any] = {
        "num_labels": outputs,
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }
    config = BertConfig(vocab_size=30522, initializer_range=2.0, **shape)
    BertForSequenceClassification(config).save_pretrained(folder)
    copy_tokenizer(folder)
    return folder
