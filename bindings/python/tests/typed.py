"""A user's program, for the type checker: it is not run."""

import warnings

import numpy
import planish


def small(source: str) -> str:
    text: str = planish.compile(source, "wgsl", minify=True, define={"COUNT": 4}, includes={"a.glsl": ""})
    for diagnostic in planish.check(source, name="a.frag", warn=["unused-variable"]):
        line: int | None = diagnostic.line
        print(line, diagnostic.message)
    return text


def picture(source: str) -> numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float32]]:
    program = planish.Program(source, includes=lambda name, file, system: None)
    image = program.draw((640, 360), time=1.0, textures={"map": numpy.zeros((2, 2, 4), numpy.uint8)}, level=0.5)
    image.save("a.png")
    return image


def values() -> None:
    program = planish.Program("(define (f x) (* x x)) (export f (real)) 0", name="f.vl")
    function = program.functions["f"]
    print(function.signature, function(numpy.linspace(0.0, 1.0, 10)), program.gradient("f")(2.0))
    print(program.graph("f").to_json(), program.reflect()["entryPoints"])


try:
    small("void main() {}")
except planish.Error as error:
    codes: list[str] = [diagnostic.code for diagnostic in error.diagnostics]

with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always", planish.PlanishWarning)
    small("void main() {}")
    for one in found:
        if isinstance(one.message, planish.PlanishWarning):
            code: str = one.message.diagnostic.code
