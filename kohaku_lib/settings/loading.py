"""From kohaku.toml, the environment and --set to one checked `Settings`, knowing where each value came from."""

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

from kohaku_lib.errors import SettingsError
from kohaku_lib.masking import masked
from kohaku_lib.settings.combinations import find_contradiction
from kohaku_lib.settings.keys import accepts_text, is_path, leaf_fields, pick
from kohaku_lib.settings.models import Settings
from kohaku_lib.settings.profiles import PROFILES

FILE_NAME = "kohaku.toml"
ENVIRONMENT_PREFIX = "KOHAKU_"
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Given:
    """A value that somebody set, and where: "kohaku.toml line 4", "KOHAKU_STORE", "--set", "profile 'fast'"."""

    value: Any
    place: str


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Resolved settings, the place each key's value came from, and the file that was read (None without one)."""

    settings: Settings
    places: dict[str, str]
    file: Path | None

    @property
    def home(self) -> Path:
        """The project's folder: that of the file, else the working directory."""
        return self.file.parent if self.file else Path.cwd()


def load_settings(
    config: Path | None = None,
    overrides: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> LoadedSettings:
    """Read the settings of a project: defaults < profile < file < environment < `overrides` ("key=value").

    `config` is the file; without it, kohaku.toml is looked for in `folder` (the working directory) and its
    parents, and it is no error if there is none. Relative paths in the file are taken from the file's folder,
    elsewhere from `folder`. Raises SettingsError, one sentence that names the key, the value, what is allowed
    and the place.

    >>> load_settings(overrides=["retrieval.top_k=12"], environment={}, folder=Path("/")).settings.retrieval.top_k
    12
    """
    base = (folder or Path.cwd()).resolve()
    environment = os.environ if environment is None else environment
    file = _find_file(config, environment, base)
    given = _read_file(file) if file else {}
    given |= _from_environment(environment, base)
    _apply_overrides(given, overrides, base)
    return _resolved(_profile_values(given) | given, file, base)


def override(loaded: LoadedSettings, overrides: Sequence[str]) -> LoadedSettings:
    """Return the settings of `loaded` with `overrides` ("key=value") over them; raises SettingsError as loading does.

    >>> loaded = load_settings(overrides=["retrieval.top_k=12"], environment={}, folder=Path("/"))
    >>> changed = override(loaded, ["retrieval.rerank=score"]).settings.retrieval
    >>> changed.top_k, changed.rerank
    (12, 'score')
    """
    base = loaded.file.parent if loaded.file else Path.cwd()
    plain = pick(loaded.settings, leaf_fields())
    given = {key: Given(plain[key], place) for key, place in loaded.places.items() if place != DEFAULT}
    given["store"] = Given(str(loaded.settings.store), loaded.places["store"])
    _apply_overrides(given, overrides, base)
    return _resolved(given, loaded.file, base)


def _resolved(given: dict[str, Given], file: Path | None, base: Path) -> LoadedSettings:
    settings = _validated(given)
    if "store" not in given:
        settings = settings.model_copy(update={"store": (file.parent if file else base) / settings.store})
    places = {key: given[key].place if key in given else DEFAULT for key in leaf_fields()}
    contradiction = find_contradiction(settings)
    if contradiction:
        where = "; ".join(f"{key}: {places[key]}" for key in contradiction.keys)
        msg = f"{contradiction.sentence} ({where})"
        raise SettingsError(msg)
    return LoadedSettings(settings, places, file)


def _find_file(config: Path | None, environment: Mapping[str, str], base: Path) -> Path | None:
    named = config or (Path(environment["KOHAKU_CONFIG"]) if environment.get("KOHAKU_CONFIG") else None)
    if named is not None:
        file = (base / named).resolve()
        if not file.is_file():
            msg = (
                f"the settings file {str(file)!r} does not exist; name another with --config, or run 'kohaku init DIR'"
            )
            raise SettingsError(msg)
        return file
    return next((place / FILE_NAME for place in (base, *base.parents) if (place / FILE_NAME).is_file()), None)


def _read_file(file: Path) -> dict[str, Given]:
    try:
        text = file.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        msg = f"the settings file {str(file)!r} cannot be read: {error}; it must be TOML in UTF-8"
        raise SettingsError(msg) from error
    given = {}
    for key, value in _flatten(content, ""):
        place = f"{file.name} line {_line_of(text, key)}"
        _check_known(key, place)
        if value == "" and is_path(key):
            msg = f"the setting {key} must be a path, got '' ({place}); leave it out to have none"
            raise SettingsError(msg)
        given[key] = Given(_resolve_paths(key, value, file.parent), place)
    return given


def _from_environment(environment: Mapping[str, str], base: Path) -> dict[str, Given]:
    given = {}
    for variable, text in environment.items():
        if not variable.startswith(ENVIRONMENT_PREFIX):
            continue
        key = variable.removeprefix(ENVIRONMENT_PREFIX).lower().replace("__", ".")
        if "." not in key and key not in leaf_fields():
            continue  # somebody else's variable, KOHAKU_CONFIG among them
        _check_known(key, variable)
        if not text:
            continue  # set to nothing is not set
        given[key] = Given(_resolve_paths(key, _parse(key, text), base), variable)
    return given


def _apply_overrides(given: dict[str, Given], overrides: Sequence[str], base: Path) -> None:
    """Put each "key=value" over what is given; "key=" drops what file and environment say."""
    for override in overrides:
        key, equals, text = override.partition("=")
        key = key.strip()
        if not equals:
            msg = f"--set takes KEY=VALUE, got {masked(override)!r}"
            raise SettingsError(msg)
        _check_known(key, "--set")
        if text:
            given[key] = Given(_resolve_paths(key, _parse(key, text), base), "--set")
        else:
            given.pop(key, None)


def _profile_values(given: Mapping[str, Given]) -> dict[str, Given]:
    name = given["profile"].value if "profile" in given else None
    values = PROFILES.get(name, {}) if isinstance(name, str) else {}
    return {key: Given(value, f"profile {name!r}") for key, value in values.items()}


def _validated(given: Mapping[str, Given]) -> Settings:
    nested: dict[str, Any] = {}
    for key, item in given.items():
        *sections, name = key.split(".")
        place = nested
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = item.value
    try:
        return Settings.model_validate_json(json.dumps(nested, default=str), strict=True)
    except ValidationError as error:
        raise SettingsError(masked(_sentence(error, given))) from None


def _sentence(error: ValidationError, given: Mapping[str, Given]) -> str:
    first = error.errors(include_url=False)[0]
    names = [str(name) for name in first["loc"]]
    key = next((".".join(names[:n]) for n in range(len(names), 0, -1) if ".".join(names[:n]) in given), ".".join(names))
    place = f" ({given[key].place})" if key in given else ""
    if first["type"] in ("missing", "extra_forbidden"):
        fault = "lacks" if first["type"] == "missing" else "has no use for"
        return f"the setting {'.'.join(names[:-1])} {fault} {names[-1]}, got {first['input']!r}{place}"
    rule = first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return f"the setting {key} must be {rule}, got {first['input']!r}{place}"


def _check_known(key: str, place: str) -> None:
    if key in leaf_fields():
        return
    close = difflib.get_close_matches(key, leaf_fields(), n=1, cutoff=0.6)
    remedy = f"did you mean {close[0]}?" if close else "'kohaku settings' lists all"
    msg = f"there is no setting {key!r} ({place}); {remedy}"
    raise SettingsError(msg)


def _flatten(content: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in content.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and key not in leaf_fields():
            if not any(known.startswith(f"{key}.") for known in leaf_fields()):
                yield key, value
            yield from _flatten(value, f"{key}.")
        else:
            yield key, value


def _parse(key: str, text: str) -> Any:
    """The TOML value that `text` is, else the text itself."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    return text if accepts_text(key) and not isinstance(value, (str, list)) else value


def _resolve_paths(key: str, value: Any, base: Path) -> Any:
    if not is_path(key) and not (key == "embedding.model" and isinstance(value, str) and value.startswith(".")):
        return value
    if isinstance(value, list):
        return [str((base / part).resolve()) if isinstance(part, str) else part for part in value]
    return str((base / Path(value).expanduser()).resolve()) if isinstance(value, str) else value


def _line_of(text: str, key: str) -> int:
    """The line (from 1) on which a dotted key is set: under its section's header, or written out in dots."""
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if bare.startswith("["):
            section = bare.strip("[]").strip() + "."
            if f"{key}." == section:
                return number
        name = section + bare.partition("=")[0].strip().strip("\"'")
        if "=" in bare and (name == key or key.startswith(f"{name}.")):
            return number
    return 1
