"""The platform over `kohaku_lib`: Dagster assets, their staleness, and the `kohaku` command."""
