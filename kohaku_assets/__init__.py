"""The platform over `kohaku_lib`: Dagster assets, their staleness, and the `kohaku` command."""

import os
import sys

# Arrow looks at this once, when it is loaded. Tables of many sizes follow each other here: jemalloc holds less for them
# than the other allocators and gives back at once what is free, so that the peak does not grow with their number.
if sys.platform in ("linux", "darwin"):
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "jemalloc")
