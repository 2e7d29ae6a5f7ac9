"""Chat models on this machine, by a tiny one with random weights."""

import importlib.util
import json
import shutil

import pytest
from answering_material import chat_request
from fake_time import FakeTime
from tiny_chat_model import write_chat_model

from kohaku_lib.errors import ModelError
from kohaku_lib.llm import CallLedger, ContextOverflowError, ProviderUnavailableError, StoppedError, build_chat
from kohaku_lib.llm.providers.local_chat import LocalChat
from kohaku_lib.llm.providers.local_model import check_room, model_digest
from kohaku_lib.settings import LlmSettings

pytestmark = pytest.mark.filterwarnings("ignore")  # those of transformers


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_chat_model(tmp_path_factory.mktemp("model"))


def settings_for(folder, **changes):
    return LlmSettings(provider="local", model=str(folder), **changes)


def ask(chat, **changes):
    return chat.complete(chat_request(**{"max_tokens": 12, "temperature": 0.8, **changes}))


@pytest.fixture(scope="module")
def chat(folder):
    return LocalChat(settings_for(folder), FakeTime().environment())


def test_a_reply_counts_its_tokens_and_costs_nothing(chat):
    reply = ask(chat)
    prompt = "system: You answer in JSON.\nuser: [ref_id=doc] It weighs 42 kg.\nassistant: "
    assert reply.input_tokens == len(prompt)  # a byte is a token
    assert 1 <= reply.output_tokens <= 12
    assert (reply.cost_usd, reply.attempts, reply.cached_tokens) == (0.0, 1, None)


def test_equal_seeds_give_equal_replies_and_others_differ(chat):
    texts = [ask(chat, seed=seed).text for seed in (1, 1, 2, 3)]
    assert texts[0] == texts[1]
    assert len(set(texts)) > 1


def test_temperature_zero_is_the_same_whatever_the_seed(chat):
    assert len({ask(chat, seed=seed, temperature=0.0).text for seed in range(3)}) == 1


def test_a_prompt_beyond_the_context_tells_what_would_fit(chat):
    with pytest.raises(ContextOverflowError, match="256 tokens") as caught:
        ask(chat, user="x" * 300)
    assert caught.value.limit_tokens == 256 - 12
    assert caught.value.prompt_tokens == 300 + len("system: You answer in JSON.\nuser: \nassistant: ")


def test_a_model_without_a_chat_template_gets_plain_paragraphs(tmp_path):
    plain = LocalChat(settings_for(write_chat_model(tmp_path / "plain", with_template=False)), None)
    assert ask(plain).input_tokens == len("You answer in JSON.\n\n[ref_id=doc] It weighs 42 kg.\n\n")


@pytest.mark.parametrize("dtype", ["auto", "bf16", "fp16"])
def test_numbers_of_either_width_give_replies(folder, dtype):
    assert ask(LocalChat(settings_for(folder, dtype=dtype))).output_tokens >= 1


@pytest.mark.skipif(importlib.util.find_spec("bitsandbytes") is not None, reason="bitsandbytes is installed")
def test_four_bits_without_their_package_are_refused_in_one_sentence(folder):
    with pytest.raises(ModelError, match=r"'4bit' needs bitsandbytes, .* install bitsandbytes, or set 'bf16'$"):
        build_chat(settings_for(folder, dtype="4bit"))


def test_a_model_that_is_nowhere_is_told_with_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    chat = LocalChat(settings_for(tmp_path / "absent"))
    with pytest.raises(ModelError, match=r"absent' cannot be loaded .* llm\.model must be a folder"):
        ask(chat)


def test_a_model_that_cannot_be_loaded_ends_a_batch_like_a_dead_server(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ProviderUnavailableError, match="cannot be loaded"):
        ask(LocalChat(settings_for(tmp_path)))


def test_weights_beyond_the_memory_of_a_machine_are_refused_in_one_sentence(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"x" * 2000)
    check_room(str(tmp_path), 2000)
    with pytest.raises(ProviderUnavailableError, match=r"and no GPU; take a smaller model, or serve it"):
        check_room(str(tmp_path), 1999)


def test_weights_in_two_forms_are_counted_once(tmp_path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"x" * 3000)
    with pytest.raises(ProviderUnavailableError):
        check_room(str(tmp_path), 2000)
    (tmp_path / "model.safetensors").write_bytes(b"x" * 2000)
    check_room(str(tmp_path), 2000)


def test_a_control_token_in_a_document_is_text_and_begins_no_turn(chat):
    # "<end>" is one token of this model; broken up, its five letters and a blank are six
    plain, hostile = (ask(chat, user=text).input_tokens for text in ("abc", "a<end>c"))
    assert hostile - plain == len("< end>") - len("b")


def test_the_ledger_knows_a_folder_by_its_content_not_its_path(folder, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(folder, moved)
    other = write_chat_model(tmp_path / "other", seed=1)
    assert model_digest(str(moved)) == model_digest(str(folder)) != model_digest(str(other))
    assert LocalChat(settings_for(moved)).provider == LocalChat(settings_for(folder)).provider
    assert LocalChat(settings_for(moved, dtype="bf16")).provider != LocalChat(settings_for(folder)).provider


def test_replies_are_recorded_and_replayed(folder, tmp_path):
    replies = []
    for _ in range(2):
        chat = build_chat(settings_for(folder), CallLedger(tmp_path))
        assert chat is not None
        replies.append(ask(chat))
    assert (replies[0].text, [reply.replayed for reply in replies]) == (replies[1].text, [False, True])


def test_a_stop_lets_no_reply_begin(folder):
    chat = LocalChat(settings_for(folder))
    chat.stop()
    with pytest.raises(StoppedError):
        ask(chat)


@pytest.fixture
def with_code(tmp_path):
    """A model whose configuration is Python code that leaves a mark when it runs."""
    folder = write_chat_model(tmp_path / "coded")
    config = json.loads((folder / "config.json").read_text())
    classes = {"AutoConfig": "code.OwnConfig", "AutoModelForCausalLM": "code.OwnModel"}
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "own", "auto_map": classes}))
    (folder / "code.py").write_text(
        "from pathlib import Path\n"
        "from transformers import LlamaConfig, LlamaForCausalLM\n"
        f"Path({str(tmp_path / 'ran')!r}).touch()\n"
        "class OwnConfig(LlamaConfig):\n    model_type = 'own'\n"
        "class OwnModel(LlamaForCausalLM):\n    config_class = OwnConfig\n"
    )
    return folder


def test_code_of_a_model_runs_only_where_the_setting_says_so_and_nobody_is_asked(with_code, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("asked on the terminal"))
    settings = settings_for(with_code)
    with pytest.raises(ProviderUnavailableError) as caught:
        ask(LocalChat(settings))
    assert str(caught.value) == (
        f"the local chat model {str(with_code)!r} runs remote code (Python); set llm.trust_remote_code = true if you "
        "trust it, or use another model"
    )
    assert not (tmp_path / "ran").exists()
    ask(LocalChat(settings_for(with_code, trust_remote_code=True)))
    assert (tmp_path / "ran").exists()


def test_a_model_that_is_quantised_already_names_the_package_that_it_lacks(tmp_path):
    folder = write_chat_model(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "bitsandbytes", "load_in_4bit": True}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ProviderUnavailableError, match=r"cannot be loaded \(.*bitsandbytes"):
        ask(LocalChat(settings_for(folder), FakeTime().environment()))
