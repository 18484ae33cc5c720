"""Planish: a compiler for shaders, WebAssembly and VL, which also draws and runs them.

>>> import planish
>>> source = "precision mediump float; uniform float level; void main() { gl_FragColor = vec4(level); }"
>>> "@fragment" in planish.compile(source, "wgsl")
True
>>> planish.Program(source).draw((2, 1), level=0.5).shape
(1, 2, 4)
"""

from ._errors import Diagnostic, Error, InternalError, PlanishWarning
from ._planish import Function, Graph, Program, __version__, check, compile, explain, settings, targets

__all__ = [
    "Diagnostic",
    "Error",
    "Function",
    "Graph",
    "InternalError",
    "Picture",
    "PlanishWarning",
    "Program",
    "__version__",
    "check",
    "compile",
    "explain",
    "settings",
    "targets",
]

# Their names in messages.
for _class in (Diagnostic, Error, InternalError, PlanishWarning):
    _class.__module__ = "planish"
del _class


def __getattr__(name):
    # The command needs no pictures: NumPy is loaded when there is one.
    if name == "Picture":
        from ._picture import Picture

        return Picture
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
