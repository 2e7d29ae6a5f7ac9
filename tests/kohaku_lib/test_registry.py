"""The registries of kinds: names, order, and functions that are imported on use."""

import importlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from kohaku_lib.errors import KohakuError
from kohaku_lib.registry import Registry, lazy


@dataclass
class Metric:
    name: str


def metrics(*names):
    registry = Registry("metric")
    for name in names:
        registry.register(Metric(name))
    return registry


def test_kinds_keep_the_order_of_their_registration():
    registry = metrics("recall", "mrr")
    assert registry.names() == ("recall", "mrr")
    assert [kind.name for kind in registry] == ["recall", "mrr"]


def test_an_unknown_name_is_refused_in_one_sentence_that_lists_the_known_ones():
    with pytest.raises(KohakuError, match=r"^there is no metric 'map'; known are 'recall', 'mrr'$"):
        metrics("recall", "mrr").get("map")


def test_a_name_is_registered_once():
    with pytest.raises(KohakuError, match="there is a metric 'recall' already"):
        metrics("recall").register(Metric("recall"))


def test_a_kind_registered_for_a_block_is_gone_after_it_even_after_a_failure():
    registry = metrics("recall")

    def fail_inside():
        with registry.registered(Metric("toy")):
            assert "toy" in registry
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()
    assert registry.names() == ("recall",)


def test_a_lazy_function_is_imported_with_its_first_call():
    assert lazy("kohaku_lib.digests:text_sha256")("a").startswith("ca978112")


def test_the_settings_know_the_names_of_all_kinds_without_what_these_need():
    heavy = "{'numpy', 'pyarrow', 'dagster', 'kohaku_lib.retrieval', 'kohaku_lib.evaluation'}"
    program = f"import sys, kohaku_lib.settings; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def animals(tmp_path, monkeypatch):
    """The registry that a module of a package of kinds imports."""
    package = tmp_path / "zoo"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "interface.py").write_text(
        "from types import SimpleNamespace as Kind\nfrom kohaku_lib.registry import Registry\n"
        "ANIMALS = Registry('animal', folder=__package__)\n"
    )
    for name, order in (("ant", 3), ("bee", 1), ("cow", 2)):
        line = f"ANIMALS.register(Kind(name={name!r}, order={order}))\n"
        (package / f"{name}.py").write_text(f"from zoo.interface import ANIMALS, Kind\n{line}")
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda module: importlib.import_module(f"zoo.{module}").ANIMALS
    for name in [name for name in sys.modules if name.split(".")[0] == "zoo"]:
        monkeypatch.delitem(sys.modules, name)


def test_the_modules_of_a_folder_register_their_kinds_with_the_first_look(animals):
    registry = animals("interface")
    assert "zoo.bee" not in sys.modules
    assert registry.names() == ("bee", "cow", "ant")  # by their order, not by their files
    assert "zoo.bee" in sys.modules


def test_a_kind_whose_module_was_imported_before_is_registered_once(animals):
    assert animals("cow").names() == ("bee", "cow", "ant")


def test_threads_that_look_at_once_find_every_kind(animals):
    registry = animals("interface")
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(lambda _: registry.names(), range(64))) == {("bee", "cow", "ant")}
