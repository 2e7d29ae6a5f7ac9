"""A stage: all that is told of one asset, and the settings that its code may read. Needs no Dagster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal, Protocol

from kohaku_assets.pipeline.effective_values import EFFECTIVE, rerank_identities
from kohaku_assets.pipeline.setting_keys import Implied
from kohaku_lib.llm.providers.interface import PROVIDERS
from kohaku_lib.prompts import PROMPTS
from kohaku_lib.settings import Settings, pick, value_of

if TYPE_CHECKING:
    import pyarrow as pa

    from kohaku_assets.pipeline.effect import Effect
    from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutput
    from kohaku_lib.project.session import Session

Work = Literal["parse", "embed", "answer"]


class StageRun(Protocol):
    """What every step may ask of its run (kohaku_assets.pipeline.run.Run): the settings of its slice, and shared state."""

    @property
    def settings(self) -> Settings:
        """The settings that the stage may read."""
        ...

    @property
    def session(self) -> Session:
        """The state shared by the components of the run."""
        ...


@dataclass(frozen=True, slots=True)
class Stage:
    """One asset: `reads` are its parents, `keys` the settings and `prompts` the prompts that affect its result.

    A stage with a `switch` is off unless that setting is true: then nothing reads it, and no refresh runs it. The code tag
    is raised by hand when the step gives another result for the same input; tests pin a golden hash of each output.

    Attributes:
        step: The function that computes the output, or the module with a function of the stage's name, which is loaded
            where it runs; its docstring is the description for users.
        effect: The side effect besides the table (a written file, a swapped pointer); runs whether the table was computed
            or found in the store.
        intact: Returns whether the companion files for an input key are intact.
        may_wait: The step may raise BatchWaitingError and produce no output, which is not a failure.
    """

    name: str
    group: str
    step: str | Callable[[StageRun, Inputs], StageOutput]
    reads: tuple[str, ...] = ()
    keys: tuple[str, ...] | Callable[[Settings], Iterable[str]] = ()
    prompts: Callable[[Settings], Iterable[str]] = lambda settings: ()
    code_tag: str = "1"
    reads_files: bool = False  # user files, whose digest is part of the version
    hash_inputs: bool = False  # for floats: the content hash is that of the inputs, not of the bits
    switch: str | None = None  # None: always on
    work: Work | None = None  # what it mostly does, by which memory and GPUs are set; None: little
    effect: Callable[[StageRun, pa.Table], Effect | None] | None = None
    intact: Callable[[StageRun, str], bool] | None = None
    kinds: tuple[str, ...] = ("python", "parquet")
    may_wait: bool = False

    @property
    def compute(self) -> Callable[[StageRun, Inputs], StageOutput]:
        """The function that computes the output."""
        return resolve_name(f"{self.step}:{self.name}") if isinstance(self.step, str) else self.step

    @property
    def description(self) -> str:
        """The description of the stage for users."""
        return (self.compute.__doc__ or "").strip()

    def is_on(self, settings: Settings | None) -> bool:
        """Return whether `settings` (None: the defaults) switch the stage on."""
        return self.switch is None or (settings is not None and value_of(settings, self.switch) is True)

    def slice(self, settings: Settings) -> dict[str, Any]:
        """Return the values that affect the result of this stage, by dotted name.

        These are the settings read by the selected kinds and, as "prompts.<name>", the versions of the prompts sent.
        """
        values = pick(settings, (key for key in self.keys_read(settings) if not isinstance(key, Implied)))
        provider = settings.llm.provider
        effective = {**EFFECTIVE, **rerank_identities(), **(PROVIDERS.get(provider).identities if provider else {})}
        values |= {key: resolve(settings) for key, resolve in effective.items() if key in values}
        return values | {f"prompts.{name}": PROMPTS.get(name).version for name in self.prompts(settings)}

    def keys_read(self, settings: Settings) -> Iterable[str]:
        """Return the settings that the step may read, those of the slice and those that it implies."""
        own = self.keys(settings) if callable(self.keys) else self.keys
        return own if self.switch is None else (*own, Implied(self.switch))
