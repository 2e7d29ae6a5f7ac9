"""Errors that the user can correct: one sentence each, with the rule, the value, the remedy and the place."""


class KohakuError(Exception):
    """A mistake in the input that the user can correct; its text is one sentence and needs no traceback."""


class SettingsError(KohakuError):
    """A setting is unknown, has the wrong type or contradicts another one."""


class SliceError(KohakuError):
    """A stage reads a setting that its version does not depend on, so that a change of it would give old results."""


class InputFileError(KohakuError):
    """A file that the user named is missing or cannot be read as what it should be."""


class DocumentError(KohakuError):
    """One document cannot be parsed; the others go on."""


class ModelError(KohakuError):
    """A model is not at hand or refuses the request."""


class StoreError(KohakuError):
    """The store is locked, incomplete or holds something else than was asked for."""


class RetrievalError(KohakuError):
    """No channel of a search gave an answer, so that there is no context rather than an empty one."""
