"""Who owns the assets, as Dagster's UI shows it."""

OWNERS = ("team:data",)
