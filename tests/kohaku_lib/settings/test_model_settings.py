import pytest
from pydantic import ValidationError

from kohaku_lib.composition import load_settings
from kohaku_lib.settings import LlmSettings
from kohaku_lib.settings.model_settings import ModelFacts, Price, model_facts, shipped_models

PRICE = Price(input_usd_per_million=1.0, output_usd_per_million=2.0)


@pytest.mark.parametrize(
    ("model", "window", "temperature", "top_p", "quote_first"),
    [  # the table of the conversational assistant
        ("llama3.2", 8_000, 0.3, 0.7, True),
        ("llama3.1", 8_000, 0.5, 0.8, None),
        ("mistral", 8_000, 0.5, 0.8, None),
        ("qwen2.5", 32_000, 0.7, 0.95, None),
        ("gpt-4", 128_000, 0.7, 0.9, None),
        ("claude-3-opus", 200_000, 0.7, 0.9, None),
    ],
)
def test_the_six_models_of_the_source_are_known(model, window, temperature, top_p, quote_first):
    facts = model_facts(f"maker/{model.upper()}-x")
    assert (facts.context_window, facts.temperature, facts.top_p, facts.quote_first) == (
        window,
        temperature,
        top_p,
        quote_first,
    )


def test_the_longest_name_counts_first_and_shorter_ones_fill_what_it_leaves_out():
    facts = model_facts("openai/gpt-4o-mini")
    assert (facts.size_b, facts.vision, facts.context_window, facts.top_p) == (8.0, True, 128_000, 0.9)
    assert model_facts("Qwen/Qwen2.5-VL-7B").vision
    assert model_facts("Qwen/Qwen2.5-7B").vision is False
    assert model_facts("unheard-of") == ModelFacts()


def test_rows_of_the_user_go_before_those_of_the_same_name_and_add_others():
    own = {"GPT-4o": ModelFacts(vision=False), "house-model": ModelFacts(context_window=16_384, price=PRICE)}
    assert model_facts("gpt-4o", own).vision is False
    assert model_facts("gpt-4o", own).context_window == 128_000
    assert model_facts("our/house-model", own).context_window == 16_384
    assert model_facts("our/house-model", own).price is None  # a price is of one model


def test_prices_are_those_of_exact_names_and_llm_prices_goes_first():
    cheap = Price(input_usd_per_million=0.1, output_usd_per_million=0.2)
    rows = {"m": ModelFacts(price=PRICE), "n": ModelFacts(price=PRICE), "o": ModelFacts(size_b=7.0)}
    assert LlmSettings(models=rows, prices={"n": cheap}).known_prices == {"m": PRICE, "n": cheap}


def test_a_project_extends_the_table_in_its_kohaku_toml(tmp_path):
    (tmp_path / "kohaku.toml").write_text('[llm.models."llama3.1"]\ncontext_window = 128_000\n')
    settings = load_settings(folder=tmp_path, environment={}).settings
    assert settings.llm.facts("llama3.1:8b").context_window == 128_000
    assert settings.llm.facts("llama3.1:8b").top_p == 0.8


def test_every_shipped_row_is_in_lower_case_and_unpriced():
    assert all(name == name.lower() and row.price is None for name, row in shipped_models().items())
    with pytest.raises(ValidationError):
        ModelFacts(top_p=0.0)
