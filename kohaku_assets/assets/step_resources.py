"""The tags by which Dagster asks Kubernetes for the memory, cores and GPUs of steps and of whole runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kohaku_assets.pipeline.stage import Stage
from kohaku_assets.pipeline.stages import STAGES
from kohaku_lib.settings.operations_settings import ResourcesSettings, StepResources

K8S_CONFIG = "dagster-k8s/config"


def step_tags(stage: Stage, settings: ResourcesSettings) -> dict[str, Any]:
    """Return the tags of the step of `stage`; none unless `settings` set something for what it does.

    >>> settings = ResourcesSettings(embed=StepResources(cpus=1.5))
    >>> step_tags(STAGES["sentence_embeddings"], settings)
    {'dagster-k8s/config': {'container_config': {'resources': {'requests': {'cpu': '1500m'}}}}}
    >>> step_tags(STAGES["scores"], settings)
    {}
    """
    return _tags([] if stage.work is None else [getattr(settings, stage.work)])


def run_tags(group: str | None, settings: ResourcesSettings) -> dict[str, Any]:
    """Return the tags of a run over the stages of `group` (None: all), whose steps share one process.

    They ask for the most that any of its steps asks for.
    """
    works = {stage.work for stage in STAGES.values() if stage.work is not None and group in (None, stage.group)}
    return _tags([getattr(settings, work) for work in sorted(works)])


def _tags(asked: Sequence[StepResources]) -> dict[str, Any]:
    cpus, memory_gib, gpus = (
        max((getattr(one, name) or 0 for one in asked), default=0) for name in ("cpus", "memory_gib", "gpus")
    )
    memory = {"memory": f"{math.ceil(memory_gib * 1024)}Mi"} if memory_gib else {}
    requests = ({"cpu": f"{math.ceil(cpus * 1000)}m"} if cpus else {}) | memory
    limits = memory | ({"nvidia.com/gpu": str(gpus)} if gpus else {})  # Kubernetes requests as many as the limit
    resources = {name: values for name, values in (("requests", requests), ("limits", limits)) if values}
    return {K8S_CONFIG: {"container_config": {"resources": resources}}} if resources else {}
