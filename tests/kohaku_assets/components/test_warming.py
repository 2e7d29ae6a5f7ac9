from kohaku_assets.components.warming import warm_up
from kohaku_assets.pipeline.project import Project
from kohaku_lib.composition import load_settings
from kohaku_lib.documents import language


def project(tmp_path, *overrides):
    return Project(
        load_settings(overrides=[f"store={tmp_path / 'store'}", *overrides], environment={}, folder=tmp_path)
    )


def test_only_what_the_stages_ask_is_loaded(tmp_path):
    language._load_shared_identifier.cache_clear()
    assert warm_up(project(tmp_path), ["lexical_index", "predictions"]) is None
    thread = warm_up(project(tmp_path), ["documents"])
    assert thread is not None
    thread.join(60)
    assert language._load_shared_identifier.cache_info().currsize == 1


def test_a_model_that_cannot_be_had_ends_nothing_but_the_loading(tmp_path):
    thread = warm_up(project(tmp_path, "embedding.model=/nowhere/at/all"), ["sentence_embeddings"])
    assert thread is not None
    thread.join(60)
    assert not thread.is_alive()


def test_two_threads_load_the_language_model_once(tmp_path):
    language._load_shared_identifier.cache_clear()
    thread = warm_up(project(tmp_path), ["documents"])
    assert (
        language.detect_language("Die Anlage wurde im Jahr gebaut und liefert Strom für die ganze Stadt. " * 4) == "de"
    )
    assert thread is not None
    thread.join(60)
    assert language._load_shared_identifier.cache_info().misses == 1
