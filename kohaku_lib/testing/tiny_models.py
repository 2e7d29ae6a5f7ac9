"""Embedding models of random weights and a few thousand parameters, with the interfaces of published ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from kohaku_lib.embedding.model_folder import model_folder

TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json")
V3_PROMPTS = {
    "retrieval.query": "Represent the query: ",
    "retrieval.passage": "Represent the document: ",
    "separation": "",
    "classification": "",
    "text-matching": "",
}
V3_CODE = '''
import torch
from sentence_transformers.sentence_transformer.modules import Transformer as Plain

TASKS = ("retrieval.query", "retrieval.passage", "separation", "classification", "text-matching")


class Transformer(Plain):
    """Shifts the tokens by the number of the task, as an adapter of its own would."""

    def forward(self, features, task=None, **more):
        if task is not None and task not in TASKS:
            raise ValueError(f"no such task: {task}")
        features = super().forward(features, **more)
        shift = 0.0 if task is None else 1.0 + TASKS.index(task)
        tokens = features["token_embeddings"].clone()
        tokens[..., 0] += shift
        features["token_embeddings"] = tokens
        return features
'''
V4_CONFIG_CODE = """
from transformers import PretrainedConfig


class JinaEmbeddingsV4Config(PretrainedConfig):
    model_type = "tiny_jina_v4"

    def __init__(self, matryoshka_dims=(4, 8, 16), **more):
        super().__init__(**more)
        self.matryoshka_dims = list(matryoshka_dims)
"""
V4_CODE = """
import torch
from transformers import PreTrainedModel

from .configuration_tiny import JinaEmbeddingsV4Config


class JinaEmbeddingsV4Model(PreTrainedModel):
    config_class = JinaEmbeddingsV4Config
    calls = []

    def __init__(self, config):
        super().__init__(config)
        self.words = torch.nn.Embedding(256, config.matryoshka_dims[-1])
        self.colours = torch.nn.Linear(3, config.matryoshka_dims[-1])
        self.post_init()

    def _init_weights(self, module):
        pass

    def encode_text(self, texts, task, max_length=32768, batch_size=8, prompt_name=None, truncate_dim=None):
        self.calls.append(("text", task, prompt_name, max_length, len(texts)))
        prefix = {None: "", "query": "Query: ", "passage": "Passage: "}[prompt_name]
        return [self._mean(prefix + text) for text in texts]

    def encode_image(self, images, task, batch_size=8, truncate_dim=None):
        self.calls.append(("image", task, None, None, len(images)))
        return [self.colours(torch.tensor(image.resize((1, 1)).getpixel((0, 0)), dtype=torch.float32)) for image in images]

    def _mean(self, text):
        return self.words(torch.tensor(list(text.encode())[:8192])).mean(dim=0)
"""


def tiny_bert(folder: Path, *, most_tokens: int = 32, prompts: dict[str, str] | None = None) -> Path:
    """Write a BERT of one layer and 16 dimensions with the bundled model's tokenizer to `folder`."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    base = folder.with_name(f"{folder.name}-base")
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=30522, **shape)).save_pretrained(base)
    copy_tokenizer(base)
    parts: list[Any] = [Transformer(str(base), max_seq_length=most_tokens), Pooling(16)]
    SentenceTransformer(modules=parts, device="cpu", prompts=prompts or {}).save(str(folder))
    return folder


def tiny_jina_v3(folder: Path) -> Path:
    """Write a model whose first module is code of its own that takes a task, with prompts named as Jina's v3."""
    tiny_bert(folder, prompts=V3_PROMPTS)
    (folder / "custom_st.py").write_text(V3_CODE, encoding="utf-8")
    modules = json.loads((folder / "modules.json").read_text())
    modules[0] |= {"type": "custom_st.Transformer", "kwargs": ["task"]}
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder


def tiny_jina_v4(folder: Path) -> Path:
    """Write a model of 16 dimensions with `encode_text` and `encode_image` in code of its own, as Jina's v4."""
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(0)
    folder.mkdir()
    copy_tokenizer(folder)
    (folder / "configuration_tiny.py").write_text(V4_CONFIG_CODE, encoding="utf-8")
    (folder / "modeling_tiny.py").write_text(V4_CODE, encoding="utf-8")
    auto_map = {
        "AutoConfig": "configuration_tiny.JinaEmbeddingsV4Config",
        "AutoModel": "modeling_tiny.JinaEmbeddingsV4Model",
    }
    config = {"architectures": ["JinaEmbeddingsV4Model"], "model_type": "tiny_jina_v4", "auto_map": auto_map}
    (folder / "config.json").write_text(json.dumps(config))
    weights = {
        "words.weight": torch.randn(256, 16),
        "colours.weight": torch.randn(16, 3),
        "colours.bias": torch.zeros(16),
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def tiny_clip(folder: Path) -> Path:
    """Write a CLIP of one layer and 16 dimensions, texts and images in one space, with the bundled vocabulary."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Transformer
    from transformers import AutoTokenizer, CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor

    torch.manual_seed(0)
    base = folder.with_name(f"{folder.name}-base")
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    marks = {"bos_token_id": 101, "eos_token_id": 102, "pad_token_id": 0}
    config = CLIPConfig(
        text_config={"vocab_size": 30522, "max_position_embeddings": 24, **shape, **marks},
        vision_config={"image_size": 16, "patch_size": 8, **shape},
        projection_dim=16,
    )
    CLIPModel(config).save_pretrained(base)
    copy_tokenizer(base)
    tokenizer = AutoTokenizer.from_pretrained(base, model_max_length=24)
    pictures = CLIPImageProcessor(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
    CLIPProcessor(image_processor=pictures, tokenizer=tokenizer).save_pretrained(base)
    SentenceTransformer(modules=[Transformer(str(base), max_seq_length=24)], device="cpu").save(str(folder))
    return folder


def copy_tokenizer(folder: Path) -> None:
    """Copy the files of the bundled model's tokenizer into `folder`."""
    for name in TOKENIZER:
        if (model_folder("minilm") / name).exists():
            shutil.copy(model_folder("minilm") / name, folder)
