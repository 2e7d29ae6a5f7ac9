"""Settings of a project that runs on a schedule: warnings of checks, alerts, backups, memory and GPUs of its steps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kohaku_lib.settings.section import NonNegativeInt, PositiveFloat, PositiveInt, Section, Share


class BackupSettings(Section):
    """Where backups of the store are kept; does not affect results."""

    url: str | None = Field(
        default=None,
        description="folder or bucket (s3://bucket/folder, with the extra [s3]) of 'kohaku backup' and 'restore'",
    )
    keep: PositiveInt | None = Field(default=None, description="number of backups to keep; none: all")
    after_refresh: bool = Field(
        default=False, description="make a backup at the end of every run that changed something"
    )


class BucketSettings(Section):
    """A bucket that several machines share as their store; does not affect results."""

    url: str | None = Field(
        default=None,
        description="bucket (s3://bucket/folder, with the extra [s3]) or common folder that holds the store for all its machines",
    )
    keep: PositiveInt = Field(default=3, description="number of states of the store that the bucket keeps")
    lease_s: Annotated[float, Field(ge=10, le=86_400)] = Field(
        default=120, description="time after which a machine that no longer answers is replaced as the one that writes"
    )
    upload_every_s: Annotated[float, Field(ge=1, le=86_400)] = Field(
        default=60, description="time between uploads of finished outputs and paid calls during a run"
    )


class WatchSettings(Section):
    """Warnings and alerts of a project that is refreshed on a schedule; does not affect results."""

    failed_documents: Share = Field(default=0.1, description="share of failed documents above which a check warns")
    blank_answers: Share = Field(default=0.5, description="share of blank answers above which a check warns")
    unsupported_answers: Share = Field(
        default=0.3, description="share of answers without a quote found in its document above which a check warns"
    )
    unfound_quotes: Share = Field(
        default=0.1, description="share of cited quotes not found in their document above which a check warns"
    )
    published_within_days: PositiveInt | None = Field(
        default=None, description="Dagster shows an index as overdue that was published earlier than this; none: never"
    )
    files_url: str | None = Field(
        default=None,
        description="address under which the store's folder is served; links to reports in Dagster's UI begin with it",
    )
    webhook_env: str = Field(
        default="KOHAKU_ALERT_WEBHOOK",
        description="environment variable with the address that alerts are posted to; without one none are sent",
    )
    webhook_format: Literal["slack", "json"] = Field(
        default="slack", description="form of an alert: a Slack message, or an object with kind, project and text"
    )
    webhook_timeout_s: Annotated[float, Field(gt=0, le=300)] = Field(
        default=10, description="time limit of posting an alert"
    )
    store_budget_gb: Annotated[float, Field(gt=0, le=1e9)] | None = Field(
        default=None,
        description="size of the store that a refresh warns about before it is exceeded; none: the free disk",
    )
    stale_after_h: Annotated[float, Field(gt=0, le=100_000)] = Field(
        default=36, description="hours after which assets that are out of date cause an alert"
    )


class StepResources(Section):
    """What steps of one kind ask Kubernetes for; does not affect results."""

    memory_gib: PositiveFloat | None = Field(
        default=None, description="memory of such a step, asked for and at most; none: the default of the cluster"
    )
    cpus: PositiveFloat | None = Field(
        default=None, description="processor cores of such a step; none: the default of the cluster"
    )
    gpus: NonNegativeInt | None = Field(
        default=None, description="NVIDIA GPUs of such a step; none or 0: the default of the cluster"
    )


class ResourcesSettings(Section):
    """Memory, cores and GPUs of steps on Kubernetes, written as Dagster's tags; does not affect results."""

    parse: StepResources = StepResources()
    embed: StepResources = StepResources()
    answer: StepResources = StepResources()
