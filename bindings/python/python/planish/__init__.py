"""Planish: a compiler for shaders, WebAssembly and VL, which also draws and runs them.

>>> import planish
>>> source = "precision mediump float; uniform float level; void main() { gl_FragColor = vec4(level); }"
>>> "@fragment" in planish.compile(source, "wgsl")
True
>>> planish.Program(source).draw((2, 1), level=0.5).shape
(1, 2, 4)
"""

from ._errors import Diagnostic, Error, InternalError
from ._picture import Picture
from ._planish import Function, Graph, Program, __version__, check, compile, explain, settings, targets

__all__ = [
    "Diagnostic",
    "Error",
    "Function",
    "Graph",
    "InternalError",
    "Picture",
    "Program",
    "__version__",
    "check",
    "compile",
    "explain",
    "settings",
    "targets",
]

# Their names in messages.
for _class in (Diagnostic, Error, InternalError, Picture):
    _class.__module__ = "planish"
del _class
