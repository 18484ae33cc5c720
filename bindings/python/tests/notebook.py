"""Executes a notebook, and checks that it shows pictures, a drawing and numbers. Writes nothing."""

import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
assert not any(cell.get("outputs") for cell in notebook.cells), "the notebook is kept without outputs"
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
shown = {kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
assert {"image/png", "image/svg+xml", "text/plain"} <= shown, shown
