"""Settings: who wins, where a value came from, and one clear sentence for every mistake."""

import types
import typing
from pathlib import Path

import pytest

from kohaku_lib.composition import load_settings
from kohaku_lib.documents import parse_paths
from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import Settings, leaf_fields, value_of


def load(tmp_path, text=None, *overrides, environment=None):
    if text is not None:
        (tmp_path / "kohaku.toml").write_text(text, encoding="utf-8")
    return load_settings(overrides=overrides, environment=environment or {}, folder=tmp_path)


def sentence(tmp_path, text=None, *overrides, environment=None):
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text, *overrides, environment=environment)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_a_file_the_defaults_apply_and_the_store_lies_below_the_working_directory(tmp_path):
    loaded = load(tmp_path)
    assert loaded.file is None
    assert loaded.settings.store == tmp_path / "data/store"
    assert set(loaded.places.values()) == {"default"}


def test_set_beats_environment_beats_file_beats_profile(tmp_path):
    text = 'profile = "fast"\n[retrieval]\ntop_k = 6\n'
    assert load(tmp_path, 'profile = "fast"\n').settings.retrieval.top_k == 5
    assert load(tmp_path, text).settings.retrieval.top_k == 6
    environment = {"KOHAKU_RETRIEVAL__TOP_K": "7"}
    assert load(tmp_path, text, environment=environment).settings.retrieval.top_k == 7
    assert load(tmp_path, text, "retrieval.top_k=8", environment=environment).settings.retrieval.top_k == 8


@pytest.mark.parametrize(
    ("off", "weights"),
    [
        (["raptor.enabled"], {"raptor": 0.0, "late": 1.0, "lightrag": 1.0}),
        (["late.enabled", "lightrag.enabled"], {"raptor": 1.0, "late": 0.0, "lightrag": 0.0}),
        (["graph.enabled"], {"raptor": 1.0, "late": 1.0, "lightrag": 0.0}),  # whose themes are of the graph
    ],
)
def test_what_the_user_switches_off_the_profile_does_not_search(tmp_path, off, weights):
    settings = load(tmp_path, 'profile = "assistant"\n', *(f"{key}=false" for key in off)).settings
    assert {name: getattr(settings.retrieval, f"{name}_weight") for name in weights} == weights


def test_a_weight_that_the_user_gives_to_what_is_switched_off_is_refused(tmp_path):
    with pytest.raises(SettingsError, match=r"retrieval.raptor_weight = 0.5 searches what raptor.enabled builds"):
        load(tmp_path, 'profile = "assistant"\n', "raptor.enabled=false", "retrieval.raptor_weight=0.5")


def test_the_last_set_wins_and_an_empty_one_drops_file_and_environment(tmp_path):
    text = 'profile = "fast"\n[retrieval]\ntop_k = 6\n'
    assert load(tmp_path, text, "retrieval.top_k=8", "retrieval.top_k=9").settings.retrieval.top_k == 9
    assert load(tmp_path, text, "retrieval.top_k=").settings.retrieval.top_k == 5
    assert load(tmp_path, text, "retrieval.top_k=8", "retrieval.top_k=").settings.retrieval.top_k == 5


def test_every_value_knows_its_place(tmp_path):
    loaded = load(
        tmp_path,
        '# a comment\nprofile = "fast"\n\n[tree]\nid_base = 0\n',
        "llm.api_key_env=x",
        environment={"KOHAKU_STORE": "s"},
    )
    assert loaded.places["tree.id_base"] == "kohaku.toml line 5"
    assert loaded.places["llm.api_key_env"] == "--set"
    assert loaded.places["store"] == "KOHAKU_STORE"
    assert loaded.places["retrieval.top_k"] == "profile 'fast'"
    assert loaded.places["parallel.workers"] == "default"


def test_paths_are_taken_from_the_file_and_on_the_command_line_from_the_working_directory(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "kohaku.toml").write_text('[corpus]\ndocuments = "docs"\nmetadata = "m.csv"\n')
    loaded = load_settings(overrides=["corpus.metadata=other.csv"], environment={}, folder=inner)
    assert loaded.settings.corpus.documents == tmp_path / "docs"
    assert loaded.settings.corpus.metadata == inner / "other.csv"


def test_a_named_file_is_read_from_anywhere_and_must_exist(tmp_path):
    (tmp_path / "mine.toml").write_text("[tree]\nid_base = 0\n")
    assert load_settings(Path("mine.toml"), environment={}, folder=tmp_path).settings.tree.id_base == 0
    with pytest.raises(SettingsError, match=r"'.*none\.toml' does not exist"):
        load_settings(Path("none.toml"), environment={}, folder=tmp_path)


def test_bare_words_numbers_lists_and_tables_are_taken_as_what_the_setting_wants(tmp_path):
    settings = load(
        tmp_path,
        None,
        "llm.api_key_env=4",
        "retrieval.consensus=frequency",
        "tree.resegment=false",
        'replay.runs=["a.csv"]',
        'llm.prices={"a/b.c" = {input_usd_per_million = 1, output_usd_per_million = 2.5}}',
    ).settings
    assert settings.llm.api_key_env == "4"
    assert settings.retrieval.consensus == "frequency"
    assert settings.tree.resegment is False
    assert settings.replay.runs == (tmp_path / "a.csv",)
    assert settings.llm.prices["a/b.c"].output_usd_per_million == 2.5


def test_relative_folders_begin_at_the_file_also_where_a_name_or_an_address_may_stand(tmp_path, monkeypatch):
    folders = {"llm.model": "./m", "rerank.local_model": "../m", "backup.url": "saved", "bucket.url": "./shared"}
    names = {
        "llm.model": "qwen3:8b",
        "rerank.local_model": "BAAI/bge",
        "backup.url": "s3://b/f",
        "bucket.url": "file:///b",
    }
    (tmp_path / "project" / "sub").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project" / "sub")
    for values, base in ((folders, tmp_path / "project"), (names, None)):
        text = "".join(f'{key} = "{value}"\n' for key, value in values.items())
        (tmp_path / "project" / "kohaku.toml").write_text(f'{text}llm.provider = "local"\n')
        found = load_settings(environment={}).settings
        loaded = {key: value_of(found, key) for key in values}
        assert loaded == {key: str((base / value).resolve()) if base else value for key, value in values.items()}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[retrieval]\n\ntopk = 3\n", ["'retrieval.topk'", "kohaku.toml line 3", "did you mean retrieval.top_k?"]),
        ("[retrieval]\ntop_k = 'many'\n", ["retrieval.top_k", "integer", "'many'", "kohaku.toml line 2"]),
        ("[retrieval]\ntop_k = 0\n", ["retrieval.top_k", "greater than or equal to 1", "0", "line 2"]),
        ("[tree]\nresegment = 'yes'\n", ["tree.resegment", "boolean", "'yes'"]),
        ("[llm]\nprovider = 'oracle'\n", ["llm.provider", "'openai'", "'oracle'", "line 2"]),
        ("[answer]\nby = 'replay'\n", ["replay.runs", "answer.by: kohaku.toml line 2"]),
        ("[llm]\nprovider = 'extractive'\n", ["answer.by = 'reader'", "line 2"]),
        ("[llm]\nprovider = 'reader'\n", ["answer.by = 'reader'", "line 2"]),
        ("[llm]\nprovider = 'replay'\n", ["answer.by = 'replay'", "'replay'", "line 2"]),
        ("retrieval = 3\n", ["'retrieval' is no setting but a section, got 3", "below [retrieval]"]),
        (
            "[tree]\nid_base = 0\n\n[retreival]\n",
            ["there is no section [retreival] (kohaku.toml line 4); did you mean [retrieval]?"],
        ),
        ("[answr]\nby = 'model'\n", ["there is no section [answr] (kohaku.toml line 1); did you mean [answer]?"]),
        ("[llm.pricess]\na = 1\n", ["there is no section [llm.pricess]", "did you mean [llm.prices]?"]),
        ("[weather]\nsun = 1\n", ["there is no section [weather]", "'kohaku settings' lists all"]),
        ("[corpus]\ndocuments = ''\n", ["corpus.documents", "must be a path", "line 2"]),
        ("[retrieval\n", ["kohaku.toml", "TOML"]),
        ("profile = 'best'\n", ["profile", "'kohaku'", "'best'"]),
        ("[llm]\nllm.max_tokens = 9\n", ["'llm.llm", "line 2", "begins with 'llm.' above the first [section]"]),
        ("[corpus]\n\nllm.prices = {}\n", ["'corpus.llm", "line 3", "begins with 'llm.' above the first [section]"]),
    ],
)
def test_a_mistake_in_the_file_is_one_sentence_with_key_value_rule_and_place(tmp_path, text, parts):
    said = sentence(tmp_path, text)
    assert [part for part in parts if part not in said] == []


def test_mistakes_elsewhere_name_their_place(tmp_path):
    assert "(--set)" in sentence(tmp_path, None, "retrieval.top_k=many")
    assert "KOHAKU_RETRIEVAL__TOPK" in sentence(tmp_path, None, environment={"KOHAKU_RETRIEVAL__TOPK": "3"})
    assert "KEY=VALUE" in sentence(tmp_path, None, "retrieval.top_k")


def test_an_empty_variable_and_an_empty_section_say_nothing(tmp_path):
    loaded = load(tmp_path, "[corpus]\n", environment={"KOHAKU_STORE": "", "KOHAKU_LLM__MODEL": ""})
    assert loaded.settings.store == tmp_path / "data" / "store"
    assert loaded.settings == load(tmp_path, "").settings


def test_a_variable_of_somebody_else_is_left_alone(tmp_path):
    assert load(tmp_path, None, environment={"KOHAKU_HOME": "/", "KOHAKU_CONFIG": ""}).file is None


def test_windows_1252_in_the_file_is_told_in_one_sentence(tmp_path):
    (tmp_path / "kohaku.toml").write_bytes("[corpus]\ndocuments = 'é'\n".encode("cp1252"))
    assert "UTF-8" in sentence(tmp_path)


def test_contradictions_name_both_keys(tmp_path):
    for searched, indexed in (("both", "averaged"), ("both", "full"), ("full", "averaged")):
        modes = (f"retrieval.paragraph_search_mode={searched}", f"embedding.paragraph_mode={indexed}")
        said = sentence(tmp_path, None, *modes)
        assert "retrieval.paragraph_search_mode" in said
        assert "embedding.paragraph_mode" in said
    weights = [f"retrieval.{name}_weight=0" for name in ("dense", "lexical", "graph")]
    assert "no channel would be searched" in sentence(tmp_path, None, *weights, "retrieval.fusion=minmax")
    for model in ("minilm", "openai:small"):
        said = sentence(tmp_path, None, "embedding.images=direct", f"embedding.model={model}")
        assert f"needs a model that embeds images, which {model!r} does not" in said


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        (["llm.provider=openai"], "llm.provider = 'openai' has no model 'openai/gpt-4o-mini'; set llm.model to"),
        (
            ["llm.provider=openrouter", "llm.fallback.provider=openai"],
            "llm.fallback.provider = 'openai' has no model 'openai/gpt-4o-mini'; set llm.fallback.model to",
        ),
    ],
)
def test_a_name_that_openai_does_not_know_is_told_with_the_settings(tmp_path, overrides, told):
    said = sentence(tmp_path, None, *overrides)
    assert told in said
    assert "such as 'gpt-4o-mini'" in said


@pytest.mark.parametrize(
    ("provider", "told"),
    [
        ("ollama", "with llm.base_url = 'http://127.0.0.1:11434/v1' and llm.model ('kohaku models' finds them)"),
        ("LM-Studio", "with llm.base_url = 'http://127.0.0.1:1234/v1'"),
        ("compatible", "'openai', with llm.base_url, for any server of OpenAI's protocol, got 'compatible'"),
    ],
)
def test_a_server_that_is_named_as_a_provider_is_told_as_the_settings_that_mean_it(tmp_path, provider, told):
    said = sentence(tmp_path, None, f"llm.provider={provider}")
    assert said.startswith("the setting llm.provider must be 'openai', ")
    assert told in said


def test_a_model_without_a_provider_is_refused_unless_the_reader_answers(tmp_path):
    said = sentence(tmp_path, None, "llm.model=qwen3:8b")
    assert said.startswith("llm.model = 'qwen3:8b' needs llm.provider; set it to 'openai', ")
    assert load(tmp_path, None, "llm.model=qwen3:8b", "answer.by=reader").settings.llm.model == "qwen3:8b"


def test_a_name_with_its_maker_may_be_asked_of_a_server_of_ones_own(tmp_path):
    at_home = ["llm.provider=openai", "llm.model=Qwen/Qwen2.5-7B-Instruct", "llm.base_url=http://127.0.0.1:8000/v1"]
    assert load(tmp_path, None, *at_home).settings.llm.provider == "openai"
    spare = ["llm.provider=openrouter", "llm.fallback.provider=openai", "llm.fallback.model=gpt-4o-mini"]
    assert load(tmp_path, None, *spare).settings.llm.fallback.model == "gpt-4o-mini"


def test_settings_cannot_be_changed():
    with pytest.raises(Exception, match="frozen"):
        Settings().tree.id_base = 0


@pytest.mark.parametrize("key", ["llm.base_url", "llm.fallback.base_url", "embedding.base_url", "rerank.base_url"])
@pytest.mark.parametrize("address", ["ftp://h/v1", "http://[::1", "http://h:99999/v1", "nonsense", "http://"])
def test_an_address_of_a_server_must_be_one_of_http(key, address):
    with pytest.raises(SettingsError, match=rf"the setting {key} must be an address of http or https, .*\(--set\)"):
        load_settings(None, [f"{key}={address}"], {})


def test_a_password_in_a_setting_that_is_refused_is_not_shown():
    with pytest.raises(SettingsError, match=r"got 'ftp://\*\*\*@host/v1'"):
        load_settings(None, ["llm.base_url=ftp://me:secret@host/v1"], {})


def numeric_settings():
    """The dotted names of the settings that are numbers."""
    for name, field in leaf_fields().items():
        parts = typing.get_args(field.annotation) or (field.annotation,)
        kinds = {getattr(part, "__origin__", part) for part in parts} - {types.NoneType}
        if kinds and kinds <= {int, float}:
            yield name


@pytest.mark.parametrize("name", list(numeric_settings()))
def test_no_number_is_taken_that_the_system_or_a_library_would_refuse(tmp_path, name):
    for value in ["1" + "0" * 30, "-1" + "0" * 30, "1e300", "-1e300", "inf", "nan"]:
        assert sentence(tmp_path, None, f"{name}={value}").startswith(f"the setting {name} must be ")


def test_the_longest_limits_that_are_taken_are_kept_by_the_system(tmp_path):
    settings = load(tmp_path, None, "documents.time_limit_s=1e7", "documents.memory_limit_mb=16777216").settings
    (tmp_path / "a.md").write_text("# Bees\n\nThey fly.\n")
    [outcome] = parse_paths([tmp_path / "a.md"], settings.documents, workers=1)
    assert outcome.status == "parsed"
