"""Validates MaterialX documents: the format, and that the standard library defines every node with the types that it has.

Prints a line for each document that is not valid, and in the end how many are.
"""

import sys
from pathlib import Path

import MaterialX as mx

library = mx.createDocument()
mx.loadLibraries(mx.getDefaultDataLibraryFolders(), mx.getDefaultDataSearchPath(), library)
valid = 0
for path in sorted(Path(sys.argv[1]).glob("*.mtlx")):
    document = mx.createDocument()
    mx.readFromXmlFile(document, str(path))
    document.setDataLibrary(library)
    is_valid, message = document.validate()
    graphs = document.getNodeGraphs()
    unknown = {f"{node.getCategory()}: {node.getType()}" for graph in graphs for node in graph.getNodes() if node.getNodeDef() is None}
    if is_valid and graphs and not unknown:
        valid += 1
    else:
        print(f"{path.name}: {message} {' '.join(sorted(unknown))}")
print(f"VALID {valid}")
