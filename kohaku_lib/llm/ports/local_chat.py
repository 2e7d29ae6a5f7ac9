"""Chat models of the Hugging Face hub, run on this machine by transformers."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from typing import Any

from kohaku_lib.errors import ModelError
from kohaku_lib.llm.chat import CallError, ChatReply, ChatRequest, ContextOverflowError, Keep, ProviderUnavailableError
from kohaku_lib.llm.ports.local_model import check_room, model_digest
from kohaku_lib.llm.resilience.calling import Environment
from kohaku_lib.settings import LlmSettings
from kohaku_lib.storage import machine_memory


class LocalChat:
    """A chat model in this process, loaded with its first call; one reply is made at a time.

    `settings.model` is a folder or a name on the hub. Replies of temperature 0 take the likeliest token each time,
    others are drawn with the request's seed. `provider` names the content of a folder and the numbers, so that the
    ledger distinguishes models. Raises ModelError where 4 bits are asked for without a GPU or bitsandbytes.
    """

    def __init__(self, settings: LlmSettings, environment: Environment | None = None) -> None:
        if settings.dtype == "4bit":
            _check_four_bits()
        self._settings = settings
        self._environment = environment or Environment()
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None
        self._provider = f"local:{settings.dtype}:{model_digest(settings.model)}"

    @property
    def provider(self) -> str:
        """Return "local", the numbers and what identifies the model."""
        return self._provider

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return None: no record is kept."""
        return None

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`; ContextOverflowError where the prompt leaves no room for it in the context."""
        with self._lock:
            self._environment.go_on()
            started = self._environment.clock()
            tokenizer, model = self._loaded = self._loaded or _load(self._settings)
            try:
                text, given, made = _generate(tokenizer, model, request)
            except RuntimeError as error:  # of torch, such as out of memory
                msg = f"the local model {request.model!r} failed ({_first_line(error)}); try llm.dtype = '4bit' or a smaller one"
                raise CallError(msg) from error
            reply = _reply(text, given, made, self._environment.clock() - started)
            if keep is not None:
                keep(reply)
            return reply

    def stop(self) -> None:
        """Let no further reply begin."""
        self._environment.stopped.set()


def _load(settings: LlmSettings) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

    if not torch.cuda.is_available():
        check_room(settings.model, machine_memory())
    # Not given, transformers would ask on the terminal.
    trust = {"trust_remote_code": settings.trust_remote_code}
    options: dict[str, Any] = trust | {"dtype": torch.bfloat16 if settings.dtype == "bf16" else "auto"}
    if settings.dtype == "4bit":
        options["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
        )
    try:
        tokenizer = AutoTokenizer.from_pretrained(settings.model, **trust)
        model: Any = AutoModelForCausalLM.from_pretrained(settings.model, **options)
        if torch.cuda.is_available() and settings.dtype != "4bit":
            model = model.cuda()
    except (OSError, ValueError, RuntimeError, MemoryError) as error:
        if "trust_remote_code" in str(error) and not settings.trust_remote_code:
            msg = (
                f"the local chat model {settings.model!r} runs Python code of its own; set llm.trust_remote_code = true "
                "if you trust it, or take another one"
            )
            raise ProviderUnavailableError(msg) from error
        msg = (
            f"the local chat model {settings.model!r} cannot be loaded ({_first_line(error)}); llm.model must be a folder "
            "with its files, or a name on the Hugging Face hub that can be reached or is in its cache"
        )
        raise ProviderUnavailableError(msg) from error
    return tokenizer, model.eval()


def _generate(tokenizer: Any, model: Any, request: ChatRequest) -> tuple[str, int, int]:
    """Return the reply's text, and how many tokens the prompt and the reply have."""
    import torch

    prompt = _prompt(tokenizer, request)
    tokens = tokenizer(prompt, return_tensors="pt", add_special_tokens=not tokenizer.chat_template).to(model.device)
    given = tokens["input_ids"].shape[1]
    most = getattr(model.config, "max_position_embeddings", None)
    if most is not None and given + request.max_tokens > most:
        error = ContextOverflowError(
            f"the prompt of {given} tokens and a reply of {request.max_tokens} exceed the context of {request.model!r}, "
            f"{most} tokens"
        )
        error.limit_tokens, error.asked_tokens = most - request.max_tokens, given
        raise error
    drawn = {"do_sample": True, "temperature": request.temperature} if request.temperature > 0 else {"do_sample": False}
    torch.manual_seed(request.seed)
    padding = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    with torch.inference_mode():
        found = model.generate(**tokens, max_new_tokens=request.max_tokens, pad_token_id=padding, **drawn)
    reply = found[0][given:]
    return tokenizer.decode(reply, skip_special_tokens=True), given, len(reply)


def _prompt(tokenizer: Any, request: ChatRequest) -> str:
    """Return the messages in the model's own form; a model without one gets them as paragraphs."""
    system, user = (_without_control(text, tokenizer.all_special_tokens) for text in (request.system, request.user))
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    if not tokenizer.chat_template:
        return f"{system}\n\n{user}\n\n"
    return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)


def _without_control(text: str, tokens: Sequence[str]) -> str:
    """Return `text` with the model's control tokens broken up: in a document they are letters, and begin no turn."""
    for token in tokens:
        if len(token) > 1:
            text = text.replace(token, f"{token[0]} {token[1:]}")
    return text


def _reply(text: str, given: int, made: int, latency_s: float) -> ChatReply:
    return ChatReply(text, given, None, made, 0.0, latency_s, 1, "stop")


def _check_four_bits() -> None:
    import torch

    if importlib.util.find_spec("bitsandbytes") is None:
        msg = "llm.dtype = '4bit' needs the package bitsandbytes, which is not installed; install it or set 'bf16'"
        raise ModelError(msg)
    if not torch.cuda.is_available():
        msg = "llm.dtype = '4bit' needs a GPU that PyTorch can use, and there is none; set llm.dtype to 'bf16'"
        raise ModelError(msg)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
