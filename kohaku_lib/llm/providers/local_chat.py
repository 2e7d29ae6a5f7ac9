"""Local chat models by transformers."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from typing import Any

from kohaku_lib.errors import ModelError
from kohaku_lib.install_command import pip_command
from kohaku_lib.llm.chat import CallError, ChatReply, ChatRequest, ContextOverflowError, Keep, ProviderUnavailableError
from kohaku_lib.llm.environment import Environment
from kohaku_lib.llm.providers.interface import PROVIDERS, ProviderKind
from kohaku_lib.llm.providers.local_model import check_folder, check_room, model_content, model_digest
from kohaku_lib.parallel import machine_memory
from kohaku_lib.settings import LlmSettings


class LocalChat:
    """A chat model in this process, loaded at its first call; one reply at a time.

    `settings.model` is a folder or a name on the hub. Temperature 0 decodes greedily, others sample with the request's seed.
    `provider` includes the number format and a digest of a folder's content, so that the ledger distinguishes models.

    Raises:
        ModelError: The weights are to be in 4 bits, and there is no GPU or no bitsandbytes.
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
        """The string "local", the number format and the model's identity, joined by colons."""
        return self._provider

    def known(self, request: ChatRequest) -> ChatReply | None:
        """Return None, as nothing is recorded."""
        return None

    def complete(self, request: ChatRequest, keep: Keep | None = None) -> ChatReply:
        """Return the reply to `request`.

        Raises:
            ContextOverflowError: Prompt and reply exceed the model's context.
            ProviderUnavailableError: The model cannot be loaded.
            CallError: The model failed, for example for lack of memory.
        """
        with self._lock:
            self._environment.raise_if_stopped()
            started = self._environment.clock()
            tokenizer, model = self._loaded = self._loaded or _load_model(self._settings)
            try:
                text, input_tokens, output_tokens = _generate_reply(tokenizer, model, request)
            except RuntimeError as error:  # of torch, such as out of memory
                msg = f"the local model {request.model!r} failed ({_first_line(error)}); try llm.dtype = '4bit' or a smaller one"
                raise CallError(msg) from error
            seconds = self._environment.clock() - started
            reply = ChatReply(text, input_tokens, None, output_tokens, 0.0, seconds, 1, "stop")
            if keep is not None:
                keep(reply)
            return request.announced(reply)

    def stop(self) -> None:
        """Start no further reply."""
        self._environment.stopped.set()


def _load_model(settings: LlmSettings) -> tuple[Any, Any]:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

    if not torch.cuda.is_available():
        check_room(settings.model, machine_memory())
    # Without it, transformers would prompt on the terminal.
    trust = {"trust_remote_code": settings.trust_remote_code}
    formats = {"bf16": torch.bfloat16, "fp16": torch.float16}
    options: dict[str, Any] = trust | {"dtype": formats.get(settings.dtype, "auto")}
    try:
        config = AutoConfig.from_pretrained(settings.model, **trust)
        if settings.dtype == "4bit" and getattr(config, "quantization_config", None) is None:
            options["quantization_config"] = BitsAndBytesConfig(
                load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
            )
        tokenizer = AutoTokenizer.from_pretrained(settings.model, **trust)
        model: Any = AutoModelForCausalLM.from_pretrained(settings.model, **options)
        if torch.cuda.is_available() and model.device.type != "cuda":  # quantised weights may be there, and cannot move
            model = model.cuda()
    except (OSError, ValueError, RuntimeError, MemoryError, ImportError) as error:
        if "trust_remote_code" in str(error) and not settings.trust_remote_code:
            msg = (
                f"the local chat model {settings.model!r} runs remote code (Python); set llm.trust_remote_code = true "
                "if you trust it, or use another model"
            )
            raise ProviderUnavailableError(msg) from error
        msg = (
            f"the local chat model {settings.model!r} cannot be loaded ({_first_line(error)}); llm.model must be a folder "
            "with its files, or a name on the Hugging Face hub that can be reached or is in its cache"
        )
        raise ProviderUnavailableError(msg) from error
    return tokenizer, model.eval()


def _generate_reply(tokenizer: Any, model: Any, request: ChatRequest) -> tuple[str, int, int]:
    """Return the reply's text and the token counts of prompt and reply."""
    import torch

    prompt = _format_prompt(tokenizer, request)
    tokens = tokenizer(prompt, return_tensors="pt", add_special_tokens=not tokenizer.chat_template).to(model.device)
    input_tokens = tokens["input_ids"].shape[1]
    context_tokens = getattr(model.config, "max_position_embeddings", None)
    if context_tokens is not None and input_tokens + request.max_tokens > context_tokens:
        error = ContextOverflowError(
            f"the prompt of {input_tokens} tokens and a reply of {request.max_tokens} exceed the context of {request.model!r}, "
            f"{context_tokens} tokens"
        )
        error.limit_tokens, error.prompt_tokens = context_tokens - request.max_tokens, input_tokens
        raise error
    sampling: dict[str, Any] = (
        {"do_sample": True, "temperature": request.temperature} if request.temperature > 0 else {"do_sample": False}
    )
    if request.temperature > 0:
        bounds = {"top_p": request.top_p, "top_k": request.top_k}
        sampling |= {name: value for name, value in bounds.items() if value is not None}
    torch.manual_seed(request.seed)
    padding = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
    with torch.inference_mode():
        sequences = model.generate(**tokens, max_new_tokens=request.max_tokens, pad_token_id=padding, **sampling)
    reply = sequences[0][input_tokens:]
    return tokenizer.decode(reply, skip_special_tokens=True), input_tokens, len(reply)


def _format_prompt(tokenizer: Any, request: ChatRequest) -> str:
    """Format the messages by the model's chat template, or as paragraphs if it has none."""
    system, user = (_without_control(text, tokenizer.all_special_tokens) for text in (request.system, request.user))
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    if not tokenizer.chat_template:
        return f"{system}\n\n{user}\n\n"
    return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)


def _without_control(text: str, tokens: Sequence[str]) -> str:
    """Break up the model's control tokens in `text`, so that a document cannot start a turn."""
    for token in tokens:
        if len(token) > 1:
            text = text.replace(token, f"{token[0]} {token[1:]}")
    return text


def _check_four_bits() -> None:
    import torch

    if importlib.util.find_spec("bitsandbytes") is None:
        msg = f"llm.dtype = '4bit' needs bitsandbytes, which is not installed; run {pip_command('bitsandbytes')}, or set 'bf16'"
        raise ModelError(msg)
    if not torch.cuda.is_available():
        msg = "llm.dtype = '4bit' needs a GPU that PyTorch can use, and there is none; set llm.dtype to 'bf16'"
        raise ModelError(msg)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


PROVIDERS.register(
    ProviderKind(
        "local",
        build_chat=LocalChat,
        settings_keys=("llm.dtype",),
        identities={"llm.model": model_content},
        check=check_folder,
        order=200,
    )
)
