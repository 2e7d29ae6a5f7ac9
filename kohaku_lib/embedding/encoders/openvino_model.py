"""Conversion of a sentence-transformers model to OpenVINO, once per machine and verified against the original."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kohaku_lib.digests import digest
from kohaku_lib.embedding.encoders.openvino_batches import run_batches, tokenize
from kohaku_lib.embedding.encoders.probes import PROBES, are_accurate
from kohaku_lib.embedding.encoders.torch_running import reason_of
from kohaku_lib.embedding.model_folder import model_folder, model_identity
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.errors import KohakuError
from kohaku_lib.openvino_runtime import (
    compile_model,
    convert,
    converted_once,
    import_openvino,
    processor_precisions,
)

CONVERSION_TAG = "openvino.v1"
_MODULES = {"Transformer", "Pooling", "Normalize", "Dense"}
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConvertedModel:
    """A converted model; `folder` contains the graph `model.xml` and `source` the tokenizer.

    `least_cosine` and `mean_cosine` compare its vectors of the probe texts with those of the float32 original.
    """

    folder: Path
    source: Path
    dim: int
    most_tokens: int
    precision: str
    prompts: dict[str, str]
    default_prompt: str | None
    least_cosine: float
    mean_cosine: float


class ConversionError(KohakuError):
    """A model cannot be converted, or the converted one is not accurate enough."""


def converted_model(name: str) -> ConvertedModel:
    """Return the converted model `name`, from the user's cache if present.

    Raises:
        ConversionError: The model is unsupported, or its vectors deviate from the original (see `are_accurate`).

    """
    source = model_folder(name)
    _check_make(source)
    version = import_openvino().__version__
    key = digest([CONVERSION_TAG, version, processor_precisions(), model_identity(name)])
    doing = "converting the embedding model for this processor"
    folder = converted_once(key, "facts.json", doing, lambda target: _convert_into(target, source))
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    if "problem" in facts:
        raise ConversionError(facts["problem"])
    return ConvertedModel(folder=folder, source=source, **facts)


def _check_make(source: Path) -> None:
    """Raise ConversionError unless `source` is a text model of convertible modules with a fast tokenizer."""
    try:
        modules = json.loads((source / "modules.json").read_text(encoding="utf-8"))
        kinds = {_module_name(module["type"]) for module in modules}
    except (OSError, ValueError, KeyError, TypeError):
        kinds = {"unknown"}
    if not kinds <= _MODULES or not (source / "tokenizer.json").exists():
        msg = f"the model in {str(source)!r} is not supported by OpenVINO (modules: {', '.join(sorted(kinds))})"
        raise ConversionError(msg)


def _module_name(class_name: str) -> str:
    """Return the bare name of a class of sentence-transformers, the full name of any other."""
    own = not class_name.startswith("sentence_transformers.")
    return class_name if own else class_name.rsplit(".", 1)[-1]


def _convert_into(target: Path, source: Path) -> None:
    """Write the graph and its facts to `target`; a failed conversion is recorded with its reason."""
    try:
        facts = _convert_and_verify(target, source)
    except ConversionError as error:
        facts = {"problem": str(error)}
    (target / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


def _convert_and_verify(target: Path, source: Path) -> dict[str, Any]:
    _LOGGER.info("converting the embedding model in %s for this processor, once", source)
    original = _load_original(source)
    try:
        graph = _traced_graph(original)
        import_openvino().save_model(graph, target / "model.xml", compress_to_fp16=False)
        expected = normalized(original.encode(list(PROBES), show_progress_bar=False, prompt=""))
    except Exception as error:  # the tracer and the converter may raise anything
        msg = f"the model in {str(source)!r} cannot be converted for OpenVINO: {reason_of(error)}"
        raise ConversionError(msg) from error
    most_tokens = int(original.max_seq_length or 512)
    least = 0.0
    for precision in processor_precisions():
        candidate = ConvertedModel(
            target,
            source,
            expected.shape[1],
            most_tokens,
            precision,
            {name: text for name, text in (original.prompts or {}).items() if text},
            original.default_prompt_name,
            0.0,
            0.0,
        )
        cosines = _probe_cosines(candidate, expected)
        least, mean = float(cosines.min()), float(cosines.mean())
        if are_accurate(cosines):
            facts = asdict(replace(candidate, least_cosine=least, mean_cosine=mean))
            return {name: value for name, value in facts.items() if name not in {"folder", "source"}}
    msg = f"the model in {str(source)!r} has deviating vectors with OpenVINO (least cosine {least:.4f})"
    raise ConversionError(msg)


def _load_original(source: Path) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()
    arguments = {"attn_implementation": "eager", "dtype": torch.float32}  # a plain graph, which OpenVINO fuses
    try:
        return SentenceTransformer(
            str(source), device="cpu", local_files_only=True, trust_remote_code=False, model_kwargs=arguments
        )
    except Exception as error:  # a broken model file may raise anything
        msg = f"the model in {str(source)!r} cannot be loaded for conversion: {reason_of(error)}"
        raise ConversionError(msg) from error


def _traced_graph(original: Any) -> Any:
    import torch

    class Sentences(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = original

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            return self.model({"input_ids": input_ids, "attention_mask": attention_mask})["sentence_embedding"]

    example = {name: torch.ones(2, 16, dtype=torch.long) for name in ("input_ids", "attention_mask")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about branches on shapes that are constant here
        return convert(Sentences().eval(), example)


def _probe_cosines(model: ConvertedModel, expected: np.ndarray) -> np.ndarray:
    compiled = compile_model(model.folder / "model.xml", model.precision, is_kept=False)
    tokens = tokenize(model.source, list(PROBES), model.most_tokens)
    batches: Sequence[np.ndarray] = [np.array([row]) for row in range(len(PROBES))]
    vectors = np.empty_like(expected)
    run_batches(compiled, tokens.ids, batches, vectors)
    return (normalized(vectors) * expected).sum(axis=1)
