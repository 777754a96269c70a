"""Runs the notebooks without Jupyter: ``python docs/notebooks.py`` writes what they print into them."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notebooks"


def run(notebook: dict[str, Any]) -> list[str]:
    """Run the code cells in order; return what each printed."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
            printed.append(out.getvalue())
    return printed


def stored(notebook: dict[str, Any]) -> list[str]:
    """What the notebook says that its code cells printed."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return ["".join(line for out in cell["outputs"] for line in out["text"]) for cell in cells]


def main() -> None:
    """Run each notebook, and store what it prints."""
    for path in [FOLDER / f"{name}.ipynb" for name in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        texts = iter(run(notebook))
        count = 0
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                text, count = next(texts), count + 1
                stream = {"name": "stdout", "output_type": "stream"}
                cell["outputs"] = [{**stream, "text": text.splitlines(True)}] if text else []
                cell["execution_count"] = count
        made = json.dumps(notebook, indent=1, ensure_ascii=False)
        path.write_text(f"{made}\n", "utf-8")


if __name__ == "__main__":
    main()
