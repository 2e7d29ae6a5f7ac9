"""Composing a project: its settings are loaded and checked against the kinds that there are."""

from kohaku_lib.composition.kind_names import allowed_names
from kohaku_lib.composition.loading import LoadedSettings, load_settings, overlaid, override
from kohaku_lib.composition.model import settings_model

__all__ = ["LoadedSettings", "allowed_names", "load_settings", "overlaid", "override", "settings_model"]
