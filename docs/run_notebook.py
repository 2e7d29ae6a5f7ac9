"""Runs a notebook in the working directory and stores what its cells print and draw: `python docs/run_notebook.py FILE`.

No Jupyter is needed: cells run one after the other in one namespace, an expression at the end of a cell is shown, and
every open figure of matplotlib becomes a picture.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def run_notebook(path: Path) -> dict[str, Any]:
    """Return the notebook at `path` with the outputs of its code cells, run anew; the first error ends it.

    Raises:
        Exception: Whatever a cell raises.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    codes = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    for number, cell in enumerate(codes, start=1):
        cell |= {"execution_count": number, "outputs": _outputs("".join(cell["source"]), names, f"cell {number}")}
    return notebook


def _outputs(source: str, names: dict[str, Any], place: str) -> list[dict[str, Any]]:
    body = ast.parse(source).body
    last = body[-1] if body else None
    shows = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body[:-1] if shows else body, []), place, "exec"), names)  # noqa: S102 - our own notebook
        value = eval(compile(shows, place, "eval"), names) if shows else None  # noqa: S307 - our own notebook
        if value is not None:
            print(repr(value))  # noqa: T201 - into the output
    text = printed.getvalue()
    shown = [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}] if text else []
    return [*shown, *_pictures()]


def _pictures() -> list[dict[str, Any]]:
    from matplotlib import pyplot as plt

    pictures = []
    for number in plt.get_fignums():
        stream = io.BytesIO()
        plt.figure(number).savefig(stream, format="png", dpi=80, bbox_inches="tight")
        data = {"image/png": base64.b64encode(stream.getvalue()).decode(), "text/plain": ["<Figure>"]}
        pictures.append({"output_type": "display_data", "metadata": {}, "data": data})
    plt.close("all")
    return pictures


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(json.dumps(run_notebook(file), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
