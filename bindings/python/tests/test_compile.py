"""Compilations: the same bytes as the command writes, errors with places, included files, settings."""

import gc
import pickle
import sys
import warnings

import planish
import pytest

GREY = "precision mediump float;\nuniform float level;\nvoid main() { gl_FragColor = vec4(level); }\n"

COMPILED = [
    ("apollonian.frag", "wgsl", {}),
    ("aurora.frag", "glsl", {"level": 2}),
    ("basket.frag", "spirv", {}),
    ("bitmap_text.frag", "wgsl", {"minify": True}),
    ("blackbody.frag", "glsl", {"glsl_version": "300es"}),
    ("blinds.frag", "hlsl", {"shader_model": "6.0"}),
    ("blinn_phong.frag", "reflect", {}),
    ("bricks.frag", "msl", {"msl_version": 2.3}),
    ("burning_ship.frag", "wasm", {"level": "s"}),
    ("caustics.frag", "spirv", {"spirv_version": "1.3"}),
    ("collatz.frag", "js", {}),
    ("clock.frag", "glsl", {"limit": ["unroll-iterations=4", "unroll-growth=100"]}),
    ("clouds.frag", "graph", {"flatten": ""}),
]


@pytest.mark.parametrize("file,target,settings", COMPILED)
def test_the_output_is_that_of_the_command(examples, command, tmp_path, file, target, settings):
    source = (examples / "shaders" / file).read_bytes()
    (tmp_path / file).write_bytes(source)
    options = []
    for name, value in settings.items():
        name = name.replace("_", "-")
        for one in value if isinstance(value, list) else [value]:
            if name == "level":
                options.append(f"-O{one}")
            elif one is True or one == "":
                options.append(f"--{name}")
            else:
                options.append(f"--{name}={one}")
    written = command("compile", file, f"--emit={target}", "-o", "out", *options, cwd=tmp_path)
    assert written == b""
    wanted = (tmp_path / "out").read_bytes()
    given = planish.compile(source, target, name=file, **settings)
    assert (given.encode() if isinstance(given, str) else given) == wanted
    assert isinstance(given, bytes) == (target in ("spirv", "wasm"))
    if target != "graph":
        program = planish.Program(source.decode(), name=file, **settings)
        assert program.emit(target) == given or target == "wasm"


def test_an_error_has_diagnostics_with_places():
    with pytest.raises(planish.Error) as caught:
        planish.compile("void main() {\n  gl_FragColor = vec4(levle);\n  float x = true;\n}\n", "wgsl", name="a.frag")
    error = caught.value
    assert "a.frag:2:23" in str(error) and "levle" in str(error)
    assert [one.code for one in error.diagnostics] == ["E0301", "E0403", "W0101", "E0302"]
    assert "mediump" in error.diagnostics[1].help[0] and error.diagnostics[2].severity == "warning"
    first = error.diagnostics[0]
    assert (first.severity, first.code, first.file, first.line, first.column) == ("error", "E0301", "a.frag", 2, 23)
    assert (first.end_line, first.end_column) == (2, 28)
    assert "unknown name `levle`" in first.message and first.rendered in str(error) + "\n"
    assert planish.explain("e0301").startswith("# E0301: ")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.diagnostics == error.diagnostics


def test_check_returns_errors_and_warnings():
    assert planish.check(GREY) == []
    source = "precision mediump float;\nvoid main() { float unused; gl_FragColor = vec4(1.0); }\n"
    (warning,) = planish.check(source, name="w.frag")
    assert warning.severity == "warning" and warning.line == 2
    assert planish.Program(source).warnings[0].code == warning.code
    with pytest.raises(planish.Error):
        planish.compile(source, "glsl", deny="unused-variable")
    assert planish.check(source, allow=["unused-variable"]) == []


def test_reflection_is_a_dict():
    reflection = planish.Program(GREY).reflect()
    assert reflection["uniforms"]["members"][0]["name"] == "level"


INCLUDING = """#extension GL_GOOGLE_include_directive : enable
precision mediump float;
#include "tint.glsl"
void main() { gl_FragColor = vec4(TINT); }
"""


def test_includes_are_a_dict_or_a_function():
    from_dict = planish.compile(INCLUDING, "glsl", includes={"tint.glsl": "#define TINT 0.25\n"})
    assert "0.25" in from_dict
    asked = []

    def find(name, file, system):
        asked.append((name, file, system))
        return "#define TINT 0.25\n" if name == "tint.glsl" else None

    assert planish.compile(INCLUDING, "glsl", name="a.frag", includes=find) == from_dict
    assert asked == [("tint.glsl", "a.frag", False)]
    with pytest.raises(planish.Error, match="tint.glsl"):
        planish.compile(INCLUDING, "glsl")
    with pytest.raises(planish.Error, match="tint.glsl"):
        planish.compile(INCLUDING, "glsl", includes=lambda *_: None)
    # The graph reads it once more, without asking again.
    program = planish.Program(INCLUDING, name="a.frag", includes=find)
    asked.clear()
    assert "0.25" in program.graph().to_json() and asked == []


def test_an_exception_of_the_function_comes_out_and_leaks_nothing():
    class Refused(Exception):
        pass

    def find(name, file, system):
        raise Refused(name)

    for compile in (
        lambda: planish.compile(INCLUDING, "glsl", includes=find),
        lambda: planish.check(INCLUDING, includes=find),
        lambda: planish.Program(INCLUDING, includes=find),
    ):
        with pytest.raises(Refused, match="tint.glsl"):
            compile()
    gc.collect()
    before = sys.getrefcount(find)
    for _ in range(50):
        with pytest.raises(Refused):
            planish.compile(INCLUDING, "glsl", includes=find)
    gc.collect()
    assert sys.getrefcount(find) <= before + 1
    with pytest.raises(TypeError, match="must return a str or None, not int"):
        planish.compile(INCLUDING, "glsl", includes=lambda *_: 7)


def test_a_function_may_compile_itself():
    def find(name, file, system):
        return f"#define TINT {len(planish.compile(GREY, 'wgsl'))}.0\n"

    assert str(len(planish.compile(GREY, "wgsl"))) in planish.compile(INCLUDING, "glsl", includes=find)


WRONG_SETTINGS = [
    ({"minfy": True}, TypeError, "did you mean `minify`"),
    ({"minify": "yes"}, TypeError, "`minify` takes True or False, not str"),
    ({"minify": 1}, TypeError, "`minify` takes True or False, not int"),
    ({"level": True}, TypeError, "`level` takes a text or a number, not bool"),
    ({"level": 9}, ValueError, "there is no optimization level `9`"),
    ({"level": [1]}, TypeError, "`level` takes a text or a number, not list"),
    ({"define": [None]}, TypeError, "`define` takes a text, a list of texts"),
    ({"define": {"A": object()}}, TypeError, "`define` takes"),
    ({"passes": "inlin"}, ValueError, "there is no pass `inlin`"),
    ({"glsl_version": b"300es"}, TypeError, "`glsl_version` takes"),
    ({"override": {"NOTHING": 1}}, planish.Error, "NOTHING"),
]


@pytest.mark.parametrize("settings,kind,message", WRONG_SETTINGS)
def test_wrong_settings(settings, kind, message):
    with pytest.raises(kind, match=message):
        planish.compile(GREY, "wgsl", **settings)


def test_settings_have_the_names_of_options():
    known = planish.settings()
    assert (known["minify"], known["define"], known["glsl_version"]) == ("flag", "many", "one")
    source = "precision mediump float;\nvoid main() { gl_FragColor = vec4(A, B, 0.0, 1.0); }\n"
    texts = [
        planish.compile(source, "glsl", define={"A": 0.25, "B": "0.5"}),
        planish.compile(source, "glsl", define=["A=0.25", "B=0.5"]),
        planish.compile(source, "glsl", define=("A=0.25", "B=0.5"), minify=None, from_="glsl"),
    ]
    assert texts[0] == texts[1] == texts[2] and "0.25" in texts[0]


@pytest.mark.parametrize("source", [None, 7, ["a"], object(), memoryview(b"a")])
def test_a_source_is_text_or_bytes(source):
    for call in (planish.check, planish.Program, lambda source: planish.compile(source, "wgsl")):
        with pytest.raises(TypeError, match="the source is a str or bytes"):
            call(source)


def test_targets():
    assert {"wgsl", "spirv", "reflect"} <= set(planish.targets())
    with pytest.raises(ValueError, match="did you mean `wgsl`"):
        planish.compile(GREY, "wgls")
    with pytest.raises(TypeError):
        planish.compile(GREY, None)
    with pytest.raises(ValueError, match="there is no code `E9999`"):
        planish.explain("E9999")
    assert planish.__version__.count(".") == 2
    with pytest.raises(UnicodeEncodeError):
        planish.compile("\ud800", "wgsl")
    assert planish.check(b"\xff\xfe\x00", name="a.frag")[0].severity == "error"
    assert planish.check(bytearray(GREY.encode())) == []


def test_headers_of_programs_in_c():
    program = planish.Program("(define (f x) (* x x)) (export f (real)) 0", name="f.vl", prefix="mine")
    assert "mine_f" in program.header("c") and "mine_f" in program.emit("c")
    assert planish.Program(GREY).header("wgsl") is None


def test_graphs_are_shown():
    graph = planish.Program("precision highp float;\nuniform float a;\nvoid main() { gl_FragColor = vec4(a * a); }\n").graph()
    assert graph._repr_svg_().lstrip().startswith("<svg") and graph.to_dot().startswith("digraph")
    assert "nodes" in graph.to_json() and "a" in str(graph)
    with pytest.raises(planish.Error, match="no function `nothing`"):
        planish.Program(GREY).graph("nothing")


POINTS = "#version 450\nvoid main() { gl_Position = vec4(0.0); gl_PointSize = 2.0; }\n"
UNUSED = "precision mediump float;\nvoid main() { float unused; gl_FragColor = vec4(1.0); }\n"


def test_warnings_are_those_of_python():
    """Of reading, of writing, and of settings that do nothing, with the line that has called."""
    with pytest.warns(planish.PlanishWarning, match="W0151") as record:
        planish.compile(POINTS, "wgsl", name="points.vert")
    (warning,) = record
    assert warning.filename == __file__
    diagnostic = warning.message.diagnostic
    assert (diagnostic.severity, diagnostic.code, diagnostic.line) == ("warning", "W0151", 2)
    assert str(warning.message).startswith("warning[W0151]") and not str(warning.message).endswith("\n")
    with pytest.warns(planish.PlanishWarning, match="`glsl_version` has no effect on wgsl"):
        planish.compile(GREY, "wgsl", glsl_version="300es", vulkan=False, shader_model=None)
    with pytest.warns(planish.PlanishWarning, match="unused"):
        planish.compile(UNUSED, "wgsl")
    program = planish.Program(POINTS, name="points.vert")
    assert program.warnings == []
    with pytest.warns(planish.PlanishWarning, match="W0151"):
        program.emit("wgsl")
    assert isinstance(pickle.loads(pickle.dumps(warning.message)), planish.PlanishWarning)


def test_warnings_are_filtered_allowed_and_denied():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert planish.compile(GREY, "glsl", glsl_version="300es")
        assert planish.compile(GREY, "wgsl", vulkan=True, allow="all")
        assert planish.compile(UNUSED, "wgsl", allow="unused-variable")
        with pytest.raises(planish.PlanishWarning) as raised:
            planish.compile(POINTS, "wgsl", name="points.vert")
        assert raised.value.diagnostic.code == "W0151"
        warnings.simplefilter("ignore", planish.PlanishWarning)
        assert planish.compile(POINTS, "wgsl", name="points.vert")
        with pytest.raises(planish.Error, match="has no effect on wgsl"):
            planish.compile(GREY, "wgsl", vulkan=True, deny="W0151")
