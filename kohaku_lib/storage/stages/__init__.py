"""Stage outputs as Parquet files, written in parts and addressed by input key."""
