"""Writes the weighted mean of the weights of two readers, of which the second was trained on from the first.

    python benchmarks/mean_weights.py OUT/reader.safetensors FIRST SECOND [--share 0.6]

What the second has learnt is kept for the most part, and less of what the first knew is lost (Wortsman et al., 2022).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from safetensors.torch import load_file, save_file


def main() -> None:
    """Write the mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--share", type=float, default=0.6, help="of the second (0.6)")
    options = parser.parse_args()
    first, second = load_file(options.first), load_file(options.second)
    mean = {
        name: (first[name].float() * (1 - options.share) + weight.float() * options.share).half().contiguous()
        for name, weight in second.items()
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    save_file(mean, options.out)


if __name__ == "__main__":
    main()
