"""Loading and validation of settings from kohaku.toml, the environment and --set, with the origin of each value."""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from kohaku_lib.composition.combinations import find_contradiction
from kohaku_lib.composition.engine_combinations import switch_by_weight
from kohaku_lib.composition.kind_names import find_unknown_name
from kohaku_lib.composition.model import settings_model
from kohaku_lib.errors import SettingsError
from kohaku_lib.masking import masked
from kohaku_lib.settings.all_settings import Settings
from kohaku_lib.settings.keys import accepts_text, is_path, leaf_fields, pick, value_of
from kohaku_lib.settings.profiles import PROFILES
from kohaku_lib.settings.renamed import GONE, RENAMED
from kohaku_lib.settings.store_place import check_store_place

FILE_NAME = "kohaku.toml"
ENVIRONMENT_PREFIX = "KOHAKU_"
DEFAULT = "default"
COMMAND_LINE = "--set"
_NAME_OR_FOLDER = {
    "embedding.model",
    "llm.model",
    "rerank.local_model",
}  # of a model, a folder where it begins with "."
_ADDRESS_OR_FOLDER = {"backup.url", "bucket.url"}


@dataclass(frozen=True, slots=True)
class SourcedValue:
    """An explicit value and its origin: "kohaku.toml line 4", "KOHAKU_STORE", "--set", "profile 'fast'"."""

    value: Any
    place: str


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Resolved settings, the origin of each key's value, and the settings file (None if there is none)."""

    settings: Settings
    places: dict[str, str]
    file: Path | None

    @property
    def home(self) -> Path:
        """The project folder: that of the file, else the working directory."""
        return self.file.parent if self.file else Path.cwd()


def load_settings(
    config: Path | None = None,
    overrides: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> LoadedSettings:
    """Read the settings of a project: defaults < profile < file < environment < `overrides` ("key=value").

    Without `config`, kohaku.toml is searched in `folder` (the working directory) and its parents, and is optional. Relative
    paths in the file are relative to its folder, others to `folder`. Raises SettingsError with the key, the value, the
    allowed values and the origin.

    >>> load_settings(overrides=["retrieval.top_k=12"], environment={}, folder=Path("/")).settings.retrieval.top_k
    12
    """
    base = (folder or Path.cwd()).resolve()
    environment = os.environ if environment is None else environment
    file = _find_file(config, environment, base)
    sourced = _read_file(file) if file else {}
    sourced |= _from_environment(environment, base)
    _apply_overrides(sourced, overrides, base)
    loaded = _resolve_settings(_profile_values(sourced) | sourced, file, base)
    check_store_place(loaded.settings, loaded.places, file)  # what sweeps override lies in the store
    return loaded


def override(loaded: LoadedSettings, overrides: Sequence[str]) -> LoadedSettings:
    """Return `loaded` with `overrides` ("key=value") applied; raises SettingsError like `load_settings`.

    >>> loaded = load_settings(overrides=["retrieval.top_k=12"], environment={}, folder=Path("/"))
    >>> changed = override(loaded, ["retrieval.consensus=score"]).settings.retrieval
    >>> changed.top_k, changed.consensus
    (12, 'score')
    """
    base = loaded.file.parent if loaded.file else Path.cwd()
    values = pick(loaded.settings, leaf_fields(type(loaded.settings)))
    sourced = {key: SourcedValue(values[key], place) for key, place in loaded.places.items() if place != DEFAULT}
    sourced["store"] = SourcedValue(str(loaded.settings.store), loaded.places["store"])
    _apply_overrides(sourced, overrides, base)
    return _resolve_settings(sourced, loaded.file, base)


def reload_settings(loaded: LoadedSettings) -> LoadedSettings:
    """Return the settings of `loaded` with its file read again; what was given by --set stays.

    Raises:
        SettingsError: The file is wrong now.
    """
    return load_settings(loaded.file, given_overrides(loaded), folder=loaded.home)


def given_overrides(loaded: LoadedSettings) -> list[str]:
    """Return what was given by --set, as it can be given again.

    >>> given_overrides(load_settings(overrides=["retrieval.top_k=12"], environment={}, folder=Path("/")))
    ['retrieval.top_k=12']
    """
    given = [key for key, place in loaded.places.items() if place == COMMAND_LINE]
    return [f"{key}={json.dumps(value_of(loaded.settings, key), default=str)}" for key in given]


def overlaid(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Return `settings` with `values` by dotted name, checked as if they stood in the file.

    Raises:
        SettingsError: A value is unknown or wrong, or contradicts another one.

    >>> overlaid(Settings(), {"retrieval.top_k": 12}).retrieval.top_k
    12
    """
    given = {key: value for key, value in pick(settings, leaf_fields(type(settings))).items() if value is not None}
    changed = _validated_settings(
        {key: SourcedValue(value, "overlay") for key, value in (given | dict(values)).items()}
    )
    contradiction = find_contradiction(changed)
    if contradiction:
        raise SettingsError(contradiction.sentence)
    return changed


def _resolve_settings(sourced: dict[str, SourcedValue], file: Path | None, base: Path) -> LoadedSettings:
    settings = _validated_settings(sourced)
    if "store" not in sourced:
        settings = settings.model_copy(update={"store": (file.parent if file else base) / settings.store})
    if "corpus.accepted_questions" not in sourced:
        beside = (file.parent if file else base) / settings.corpus.accepted_questions
        corpus = settings.corpus.model_copy(update={"accepted_questions": beside})
        settings = settings.model_copy(update={"corpus": corpus})
    places = {key: sourced[key].place if key in sourced else DEFAULT for key in _known_fields()}
    contradiction = find_contradiction(settings)
    if contradiction:
        where = "; ".join(f"{key}: {places[key]}" for key in contradiction.keys)
        msg = f"{contradiction.sentence} ({where})"
        raise SettingsError(msg)
    return LoadedSettings(settings, places, file)


def _find_file(config: Path | None, environment: Mapping[str, str], base: Path) -> Path | None:
    named_file = config or (Path(environment["KOHAKU_CONFIG"]) if environment.get("KOHAKU_CONFIG") else None)
    if named_file is not None:
        file = (base / named_file).resolve()
        if not file.is_file():
            msg = (
                f"the settings file {str(file)!r} does not exist; name another with --config, or run 'kohaku init DIR'"
            )
            raise SettingsError(msg)
        return file
    return next((place / FILE_NAME for place in (base, *base.parents) if (place / FILE_NAME).is_file()), None)


def _read_file(file: Path) -> dict[str, SourcedValue]:
    try:
        text = file.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        msg = f"the settings file {str(file)!r} cannot be read: {error}; it must be TOML in UTF-8"
        raise SettingsError(msg) from error
    sourced = {}
    for key, value in _dotted_items(content, ""):
        place = f"{file.name} line {_line_of(text, key)}"
        _check_section(key, value, place)
        _check_known(key, place)
        if value == "" and is_path(_known_fields()[key]):
            msg = f"the setting {key} must be a path, got '' ({place}); leave it out to have none"
            raise SettingsError(msg)
        sourced[key] = SourcedValue(_resolve_paths(key, value, file.parent), place)
    return sourced


def _from_environment(environment: Mapping[str, str], base: Path) -> dict[str, SourcedValue]:
    sourced = {}
    for variable, text in environment.items():
        if not variable.startswith(ENVIRONMENT_PREFIX):
            continue
        key = variable.removeprefix(ENVIRONMENT_PREFIX).lower().replace("__", ".")
        if "." not in key and key not in _known_fields():
            continue  # not a setting, e.g. KOHAKU_CONFIG
        _check_known(key, variable)
        if not text:
            continue  # empty counts as unset
        sourced[key] = SourcedValue(_resolve_paths(key, _parse_text(key, text), base), variable)
    return sourced


def _apply_overrides(sourced: dict[str, SourcedValue], overrides: Sequence[str], base: Path) -> None:
    """Apply each "key=value"; "key=" removes the value of file and environment."""
    for override in overrides:
        key, equals, text = override.partition("=")
        key = key.strip()
        if not equals:
            msg = f"--set takes KEY=VALUE, got {masked(override)!r}"
            raise SettingsError(msg)
        _check_known(key, COMMAND_LINE)
        if text:
            sourced[key] = SourcedValue(_resolve_paths(key, _parse_text(key, text), base), COMMAND_LINE)
        else:
            sourced.pop(key, None)


def _profile_values(sourced: Mapping[str, SourcedValue]) -> dict[str, SourcedValue]:
    name = sourced["profile"].value if "profile" in sourced else None
    values = dict(PROFILES.get(name, {})) if isinstance(name, str) else {}
    is_off = {key for key, item in sourced.items() if item.value is False}
    for key, switch in {"lightrag.enabled": "graph.enabled", **switch_by_weight()}.items():
        if switch in is_off and values.pop(key, None):  # what the user switches off, the profile does not search
            is_off.add(key)
    return {key: SourcedValue(value, f"profile {name!r}") for key, value in values.items()}


def _validated_settings(sourced: Mapping[str, SourcedValue]) -> Settings:
    for key, item in sourced.items():
        _check_name(key, item.place)
    nested: dict[str, Any] = {}
    for key, item in sourced.items():
        *sections, name = key.split(".")
        place = nested
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = item.value
    try:
        settings = settings_model().model_validate_json(json.dumps(nested, default=str), strict=True)
    except ValidationError as error:
        raise SettingsError(masked(_error_sentence(error, sourced))) from None
    unknown = find_unknown_name(settings)
    if unknown is not None:
        raise SettingsError(masked(_rule_sentence(unknown.key, unknown.rule, unknown.value, sourced)))
    return settings


def _error_sentence(error: ValidationError, sourced: Mapping[str, SourcedValue]) -> str:
    first = error.errors(include_url=False)[0]
    names = [str(name) for name in first["loc"]]
    key = next(
        (".".join(names[:n]) for n in range(len(names), 0, -1) if ".".join(names[:n]) in sourced), ".".join(names)
    )
    if first["type"] in ("missing", "extra_forbidden"):
        fault = "needs" if first["type"] == "missing" else "has no key"
        place = f" ({sourced[key].place})" if key in sourced else ""
        return f"the setting {'.'.join(names[:-1])} {fault} {names[-1]}, got {first['input']!r}{place}"
    rule = first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return _rule_sentence(key, rule, first["input"], sourced)


def _rule_sentence(key: str, rule: str, value: Any, sourced: Mapping[str, SourcedValue]) -> str:
    place = f" ({sourced[key].place})" if key in sourced else ""
    return f"the setting {key} must be {rule}, got {value!r}{place}"


def _known_fields() -> dict[str, FieldInfo]:
    return leaf_fields(settings_model())


def _check_known(key: str, place: str) -> None:
    if key in _known_fields():
        return
    _check_name(key, place)
    close = difflib.get_close_matches(key, _known_fields(), n=1, cutoff=0.6)
    remedy = f"did you mean {close[0]}?" if close else "'kohaku settings' lists all"
    if _continues(key):
        remedy = f"write what begins with '{key.split('.')[1]}.' above the first [section]"
    msg = f"there is no setting {key!r} ({place}); {remedy}"
    raise SettingsError(msg)


def _continues(key: str) -> bool:
    """Return whether a line as messages print it, "llm.max_tokens = 9", stands below a [section] and continues it."""
    setting = key.partition(".")[2]
    return bool(setting) and any(name == setting or name.startswith(f"{setting}.") for name in _known_fields())


def _check_section(key: str, value: Any, place: str) -> None:
    """Refuse a [section] that no setting is in, and a value where a section is."""
    sections = {name.rpartition(".")[0] for name in _known_fields()} - {""}
    if key in sections:
        msg = f"{key!r} is no setting but a section, got {value!r} ({place}); write its settings below [{key}]"
        raise SettingsError(msg)
    if isinstance(value, dict) and key not in _known_fields() and not _continues(key):
        close = difflib.get_close_matches(key, [*sections, *_known_fields()], n=1, cutoff=0.7)
        remedy = f"did you mean [{close[0]}]?" if close else "'kohaku settings' lists all"
        msg = f"there is no section [{key}] ({place}); {remedy}"
        raise SettingsError(msg)


def _check_name(key: str, place: str) -> None:
    """Refuse a setting that has another name now, or is gone."""
    if key in GONE:
        msg = f"the setting {key!r} ({place}) is gone, as {GONE[key]}; leave it out"
        raise SettingsError(msg)
    if key in RENAMED:
        msg = f"the setting {key!r} ({place}) is now {RENAMED[key]!r}; write that instead"
        raise SettingsError(msg)


def _dotted_items(content: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in content.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and key not in _known_fields():
            if not any(setting.startswith(f"{key}.") for setting in (*_known_fields(), *RENAMED, *GONE)):
                yield key, value
            yield from _dotted_items(value, f"{key}.")
        else:
            yield key, value


def _parse_text(key: str, text: str) -> Any:
    """Parse `text` as a TOML value, else return it as a string."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    return text if accepts_text(_known_fields()[key]) and not isinstance(value, (str, list)) else value


def _resolve_paths(key: str, value: Any, base: Path) -> Any:
    if not is_path(_known_fields()[key]) and not (isinstance(value, str) and _is_relative(key, value)):
        return value
    if isinstance(value, list):
        return [str((base / part).resolve()) if isinstance(part, str) else part for part in value]
    return str((base / Path(value).expanduser()).resolve()) if isinstance(value, str) else value


def _is_relative(key: str, value: str) -> bool:
    """Return whether the value of a setting that is no path alone is a relative path."""
    return value.startswith(".") if key in _NAME_OR_FOLDER else key in _ADDRESS_OR_FOLDER and "://" not in value


def _line_of(text: str, key: str) -> int:
    """Return the line (from 1) that sets a dotted key, under its section's header or in dotted form."""
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if bare.startswith("["):
            section = bare.strip("[]").strip() + "."
            if f"{key}." == section:
                return number
        name = section + bare.partition("=")[0].strip().strip("\"'")
        if "=" in bare and (f"{name}.".startswith(f"{key}.") or key.startswith(f"{name}.")):
            return number
    return 1
