"""Drawings: the picture of the command, arguments, textures, threads."""

import concurrent.futures
import tracemalloc

import numpy
import planish
import pytest
from conftest import read_png

LEVEL = "precision highp float;\nuniform float level;\nuniform vec2 at;\nvoid main() { gl_FragColor = vec4(level, gl_FragCoord.xy / 4.0, at.x); }\n"
TEXTURED = "precision highp float;\nuniform sampler2D map;\nvoid main() { gl_FragColor = texture2D(map, gl_FragCoord.xy / vec2(4.0, 2.0)); }\n"


@pytest.mark.parametrize("file", ["apollonian.frag", "bricks.frag", "checker_floor.frag", "clock.frag"])
def test_a_picture_is_that_of_the_command(examples, command, tmp_path, file):
    source = examples / "shaders" / file
    command("run", source, "-o", tmp_path / "a.png", "--size", "48x27", "--time", "1.5", "--engine", "eval")
    wanted = read_png((tmp_path / "a.png").read_bytes())
    picture = planish.Program(source.read_text(), name=file).draw((48, 27), time=1.5)
    assert (picture.shape, picture.dtype) == ((27, 48, 4), numpy.float32)
    picture.save(tmp_path / "b.png")
    given = read_png((tmp_path / "b.png").read_bytes())
    assert given.shape == wanted.shape and len(numpy.unique(wanted)) > 3
    far = (numpy.abs(given.astype(int) - wanted.astype(int)) > 1).any(axis=2)
    # As in docs/gpu.md: elementary functions are those of lanes, and an edge may fall on the other side.
    assert far.mean() <= 0.001


def test_uniforms_by_name_and_in_a_dict():
    program = planish.Program(LEVEL)
    picture = program.draw((4, 2), level=0.5, uniforms={"at": (0.25, 1)})
    assert picture[0, 0].tolist() == [0.5, 0.125, 0.375, 0.25]
    assert picture[1, 3].tolist() == [0.5, 0.875, 0.125, 0.25]
    same = program.draw((4, 2), level=numpy.float32(0.5), at=numpy.array([0.25, 1], numpy.float32))
    assert (same == picture).all()
    with pytest.raises(planish.Error, match="there is no `levle`; there are: "):
        program.draw((4, 2), levle=1)
    with pytest.raises(planish.Error, match="has 2 components, not 3"):
        program.draw((4, 2), at=[1, 2, 3])
    with pytest.raises(TypeError, match="given twice"):
        program.draw((4, 2), level=1, uniforms={"level": 2})
    for wrong in (None, "0.5", [None], object()):
        with pytest.raises(TypeError, match="takes a number or a sequence"):
            program.draw((4, 2), level=wrong)
    with pytest.raises(TypeError, match="components in one row"):
        program.draw((4, 2), at=numpy.zeros((1, 2)))


@pytest.mark.parametrize("size,kind", [((0, 1), ValueError), ((16385, 1), ValueError), ((-1, 1), ValueError), ((2**40, 1), ValueError)])
def test_sizes_that_are_none(size, kind):
    with pytest.raises(kind, match="no size of a picture"):
        planish.Program(LEVEL).draw(size)


@pytest.mark.parametrize("size", [None, 7, (1,), (1, 2, 3), ("a", "b"), (1.5, 2), (2**80, 1)])
def test_sizes_of_wrong_types(size):
    with pytest.raises(TypeError, match="`size` is a tuple"):
        planish.Program(LEVEL).draw(size)


def test_other_arguments():
    program = planish.Program(LEVEL)
    for wrong in ({"mouse": 1}, {"mouse": "ab"}, {"time": None}, {"frame": 1.5}, {"textures": []}, {"uniforms": [1]}, {"output": 3}):
        with pytest.raises(TypeError):
            program.draw((4, 2), **wrong)
    with pytest.raises(OverflowError):
        program.draw((4, 2), frame=-1)
    with pytest.raises(ValueError, match="2 or 4 numbers"):
        program.draw((4, 2), mouse=(1, 2, 3))
    with pytest.raises(planish.Error):
        program.draw((4, 2), output="nothing")
    with pytest.raises(planish.Error):
        planish.Program("void main() { gl_Position = vec4(0.0); }", name="a.vert").draw((4, 2))
    assert program.draw((4, 2), mouse=(1, 2)).shape == (2, 4, 4)


def test_textures_of_bytes_and_floats():
    program = planish.Program(TEXTURED)
    pixels = numpy.arange(4 * 2 * 4, dtype=numpy.uint8).reshape(2, 4, 4) * 7
    picture = program.draw((4, 2), textures={"map": pixels})
    assert numpy.abs(picture * 255 - pixels).max() < 0.01
    floats = (pixels / numpy.float32(255)).astype(numpy.float32)
    for array in (floats, numpy.asfortranarray(floats), numpy.flip(numpy.flip(floats, 0).copy(), 0)):
        assert numpy.abs(program.draw((4, 2), textures={"map": array}) - picture).max() < 1e-6
    grey = program.draw((4, 2), textures={"map": pixels[:, :, 0]})
    assert numpy.abs(grey[:, :, 2] * 255 - pixels[:, :, 0]).max() < 0.01 and (grey[:, :, 3] == 1).all()
    three = program.draw((4, 2), textures={"map": pixels[:, :, :3]})
    assert numpy.abs(three[:, :, :3] - picture[:, :, :3]).max() < 1e-6 and (three[:, :, 3] == 1).all()
    with pytest.raises(TypeError, match="float64"):
        program.draw((4, 2), textures={"map": floats.astype(numpy.float64)})
    with pytest.raises(TypeError, match="is a NumPy array, not list"):
        program.draw((4, 2), textures={"map": [[1]]})
    for shape in ((4,), (0, 4, 4), (2, 4, 5), (1, 2, 3, 4)):
        with pytest.raises(ValueError, match="has the shape"):
            program.draw((4, 2), textures={"map": numpy.zeros(shape, numpy.uint8)})
    with pytest.raises(planish.Error, match="nothing"):
        program.draw((4, 2), textures={"nothing": pixels})


def test_several_threads_use_one_program():
    program = planish.Program(LEVEL)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        pictures = list(pool.map(lambda level: program.draw((16, 16), level=level, at=(0, 0)), range(32)))
        texts = list(pool.map(lambda _: program.emit("wgsl"), range(32)))
    assert [picture[0, 0, 0] for picture in pictures] == list(range(32))
    assert len(set(texts)) == 1


def test_pictures_are_shown_and_saved():
    picture = planish.Program(LEVEL).draw((4, 2), level=numpy.nan, at=(0.5, 0))
    png = read_png(picture._repr_png_())
    assert png.shape == (2, 4, 4) and png[0, 0].tolist() == [0, 32, 96, 128]
    assert picture[0]._repr_png_() is None and picture[:1, :2]._repr_png_() is not None
    with pytest.raises(ValueError, match="is no picture"):
        picture[0].to_png()
    with pytest.raises(OSError):
        picture.save("no/such/folder/a.png")


def test_nothing_leaks():
    program = planish.Program(LEVEL)

    def use():
        program.draw((32, 32), level=1, at=(0, 0))
        planish.compile(LEVEL, "wgsl")
        program.reflect()
        with pytest.raises(planish.Error):
            planish.compile("void main() { x; }", "wgsl")
        with pytest.raises(planish.Error):
            program.draw((4, 4), nothing=1)

    for _ in range(5):
        use()
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    for _ in range(30):
        use()
    grown = sum(row.size_diff for row in tracemalloc.take_snapshot().compare_to(before, "filename"))
    tracemalloc.stop()
    assert grown < 30_000
