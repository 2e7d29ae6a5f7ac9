"""The steps: a plain function for each stage, which takes the run and the inputs. Imports no Dagster."""
