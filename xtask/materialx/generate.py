"""Generates GLSL of MaterialX documents, of the first output of each graph, beside the documents.

Prints a line for each document of which none can be generated, and in the end of how many it was.
"""

import sys
from pathlib import Path

import MaterialX as mx
from MaterialX.PyMaterialXGenGlsl import GlslShaderGenerator
from MaterialX.PyMaterialXGenShader import GenContext

library = mx.createDocument()
mx.loadLibraries(mx.getDefaultDataLibraryFolders(), mx.getDefaultDataSearchPath(), library)
generator = GlslShaderGenerator.create()
context = GenContext(generator)
context.registerSourceCodeSearchPath(mx.getDefaultDataSearchPath())
generated = 0
for path in sorted(Path(sys.argv[1]).glob("*.mtlx")):
    document = mx.createDocument()
    mx.readFromXmlFile(document, str(path))
    own = [graph.getName() for graph in document.getNodeGraphs()]
    document.setDataLibrary(library)
    try:
        output = document.getNodeGraph(own[0]).getOutputs()[0]
        shader = generator.generate("shader", output, context)
        Path(f"{path}.glsl").write_text(shader.getSourceCode("pixel"))
        generated += 1
    except Exception as error:
        print(f"{path.name}: {error}")
print(f"GENERATED {generated}")
