"""A setting that has a new name: the old one is told the new one, and versions keep the first."""

import pytest

from kohaku_lib.composition import load_settings, overlaid
from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import Settings, leaf_fields
from kohaku_lib.settings.renamed import GONE, RENAMED, with_first_names, with_present_names


def test_every_new_name_is_a_setting_and_no_old_one_is():
    assert set(RENAMED.values()) <= set(leaf_fields())
    assert not {*RENAMED, *GONE} & set(leaf_fields())


@pytest.mark.parametrize("old", [*RENAMED, *GONE])
def test_an_old_name_is_refused_by_the_sentence_that_tells_the_new_one_or_why_it_is_gone(old, tmp_path):
    section, name = old.split(".")
    (tmp_path / "kohaku.toml").write_text(f"[{section}]\n{name} = 1\n")
    gone = f"is gone, as {GONE.get(old)}; leave it out"
    told = f"the setting '{old}' .* {f'is now {RENAMED[old]!r}; write that instead' if old in RENAMED else gone}"
    with pytest.raises(SettingsError, match=told):
        load_settings(folder=tmp_path, environment={})
    with pytest.raises(SettingsError, match=told):
        load_settings(overrides=[f"{old}=1"], environment={})
    with pytest.raises(SettingsError, match=told):
        load_settings(environment={f"KOHAKU_{section.upper()}__{name.upper()}": "1"})
    with pytest.raises(SettingsError, match=told):
        overlaid(Settings(), {old: 1})


def test_names_in_versions_are_the_first_and_those_that_are_shown_the_present():
    for old, new in RENAMED.items():
        assert with_first_names({new: 1}) == with_first_names({old: 1}) == {old: 1}
        assert with_present_names({old: 1}) == with_present_names({new: 1}) == {new: 1}
    assert with_present_names(dict.fromkeys(GONE, 1)) == {}
