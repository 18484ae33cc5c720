"""Functions of VL and WebAssembly over numbers and NumPy arrays, and their gradients."""

import concurrent.futures
import gc
import sys

import numpy
import planish
import pytest

VL = """
(define (f x y) (* x (sin y)))
(define (both x) (list (* x x) (< x 0)))
(define (pick b x) (if b x (- 0 x)))
(define (refuse x) (if (< x 0) (error "x is negative") (sqrt x)))
(define (power x n) (let loop ((n n) (p (real 1))) (if (< n 1) p (loop (- n 1) (* p x)))))
(export f (real real)) (export both (real)) (export pick (boolean real)) (export refuse (real)) (export power (real real))
0
"""

WAT = """(module
  (memory 1)
  (global $count (mut i32) (i32.const 0))
  (func (export "div") (param i32 i32) (result i32) local.get 0 local.get 1 i32.div_s)
  (func (export "wide") (param i64 f32) (result i64 f32) local.get 0 i64.const 1 i64.add local.get 1 f32.const 2 f32.mul)
  (func (export "count") (result i32)
    global.get $count i32.const 1 i32.add global.set $count global.get $count)
  (func (export "nothing"))
  (func (export "reference") (param externref))
  (func (export "square") (param f64) (result f64) local.get 0 local.get 0 f64.mul)
  (func (export "stored") (param f64) (result f64) i32.const 0 local.get 0 f64.store i32.const 0 f64.load))
"""


@pytest.fixture(scope="module")
def vl():
    return planish.Program(VL, name="f.vl").functions


@pytest.fixture(scope="module")
def wat():
    return planish.Program(WAT, name="f.wat").functions


def test_the_mapping(vl, wat):
    assert {"f", "both", "pick", "refuse"} <= set(vl)
    assert vl["f"].signature == "(float64, float64) -> float64" and vl["f"].__name__ == "f"
    assert vl["both"].signature == "(float64) -> (float64, bool)"
    assert wat["wide"].signature == "(int64, float32) -> (int64, float32)"
    assert wat["nothing"].signature == "() -> None"
    assert repr(vl["f"]) == "<planish.Function f(float64, float64) -> float64>"
    with pytest.raises(KeyError):
        vl["g"]
    with pytest.raises(TypeError):
        vl["f"] = None


def test_numbers(vl, wat):
    result = vl["f"](2.0, 1)
    assert type(result) is float and abs(result - 2 * numpy.sin(1)) < 1e-12
    assert vl["both"](-3) == (9.0, True) and vl["pick"](False, 2) == -2.0
    assert wat["div"](7, -2) == -3 and wat["wide"](2**40, 0.5) == (2**40 + 1, 1.0)
    assert [wat["count"](), wat["count"]()] == [1, 2] and wat["nothing"]() is None
    assert vl["f"](numpy.float64(2), 0) == 0.0 and wat["div"](numpy.int32(8), 2) == 4


def test_arrays_are_broadcast(vl):
    x, y = numpy.linspace(-2, 2, 7).reshape(7, 1), numpy.linspace(0, 3, 5)
    given, wanted = vl["f"](x, y), x * numpy.sin(y)
    assert given.shape == (7, 5) and given.dtype == numpy.float64
    numpy.testing.assert_allclose(given, wanted, rtol=1e-12, atol=1e-15)
    squares, negative = vl["both"](x)
    assert squares.shape == negative.shape == (7, 1) and negative.dtype == numpy.bool_
    assert (squares == x * x).all() and (negative == (x < 0)).all()
    assert vl["f"](numpy.zeros((0, 3)), 1.0).shape == (0, 3)
    assert vl["f"](numpy.zeros((3, 0))[::-1], 1.0).shape == (3, 0)
    assert type(vl["f"](numpy.array(2.0), 0.0)) is float
    with pytest.raises(ValueError, match="do not go together"):
        vl["f"](numpy.zeros(3), numpy.zeros(4))
    with pytest.raises(MemoryError):
        vl["f"](numpy.zeros((2**21, 1)), numpy.broadcast_to(numpy.zeros(1), (2**42,)))


def test_arrays_are_read_where_they_lie(vl):
    whole = numpy.arange(60.0).reshape(3, 4, 5)
    views = [whole[::2, ::-1, 1:4], whole.T, whole[:, 2], numpy.asfortranarray(whole), whole[::-1, ::-1, ::-1]]
    views += [numpy.broadcast_to(whole[0], (2, 4, 5)), numpy.zeros(4, [("a", "f8"), ("b", "f8")])["b"]]
    for view in views:
        numpy.testing.assert_array_equal(vl["pick"](True, view), view)
    whole.flags.writeable = False
    numpy.testing.assert_array_equal(vl["pick"](False, whole), -whole)
    # Elements that lie at no multiple of their size.
    for odd in (numpy.zeros(4, [("a", "i1"), ("b", "f8")])["b"], numpy.zeros(4, [("a", "f4"), ("b", "f8")])["b"]):
        with pytest.raises(ValueError, match="does not lie in memory"):
            vl["f"](odd, 1.0)
        assert vl["f"](odd.copy(), 1.0).tolist() == [0.0] * 4
    # A byte that is neither 0 nor 1 is true.
    odd = numpy.array([0, 1, 2, 255], numpy.uint8).view(numpy.bool_)
    assert vl["pick"](odd, 1.0).tolist() == [-1, 1, 1, 1]


def test_nothing_is_converted(vl, wat):
    for array in (numpy.zeros(3, numpy.float32), numpy.zeros(3, int), numpy.zeros(3, ">f8"), numpy.zeros(3, object)):
        with pytest.raises(TypeError, match=r"argument 1 of `f` is an array of .*, and float64 is wanted; .*astype"):
            vl["f"](array, 1.0)
    with pytest.raises(TypeError, match="bool is wanted"):
        vl["pick"](numpy.zeros(3, numpy.uint8), 1.0)
    with pytest.raises(TypeError, match="float32"):
        vl["f"](numpy.float32(1), 1.0)
    for value in (None, "1", [1.0], 1j, True, object()):
        with pytest.raises(TypeError, match="argument 1 of `f` is a number, or an array, not "):
            vl["f"](value, 1.0)
    for value in (1.0, None, True):
        with pytest.raises(TypeError, match="argument 2 of `div` is an int, or an array, not "):
            wat["div"](1, value)
    with pytest.raises(OverflowError, match="too large for int32"):
        wat["div"](2**31, 1)
    with pytest.raises(OverflowError, match="too large for float64"):
        vl["f"](10**400, 1)
    with pytest.raises(TypeError, match="takes 2 arguments, not 1"):
        vl["f"](1.0)
    with pytest.raises(TypeError):
        vl["f"](x=1.0, y=2.0)
    with pytest.raises(TypeError, match="values that Python cannot hold"):
        wat["reference"](None)


def test_traps_are_errors(vl, wat):
    with pytest.raises(planish.Error) as caught:
        vl["refuse"](numpy.array([4.0, -1.0]))
    assert caught.value.diagnostics[0].code == "E1301" and "x is negative" in str(caught.value)
    with pytest.raises(planish.Error, match="E1301"):
        wat["div"](1, 0)
    assert wat["div"](4, 2) == 2 and vl["refuse"](4) == 2.0


def test_several_threads_call_one_function(vl):
    arrays = [numpy.full(10_000, float(i)) for i in range(16)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda x: vl["f"](x, 1.0), arrays))
    for i, result in enumerate(results):
        numpy.testing.assert_allclose(result, i * numpy.sin(1), rtol=1e-12)


def test_gradients():
    program = planish.Program(VL, name="f.vl")
    gradient = program.gradient("f")
    assert gradient.signature == "(float64, float64) -> (float64, float64)"
    x, y = numpy.linspace(-2, 2, 7).reshape(7, 1), numpy.linspace(0, 3, 5)
    by_x, by_y = gradient(x, y)
    numpy.testing.assert_allclose(by_x, numpy.sin(y) + 0 * x, atol=1e-12)
    numpy.testing.assert_allclose(by_y, x * numpy.cos(y), atol=1e-12)
    value, by_x, by_y = program.gradient("f", value=True)(2.0, 1.0)
    numpy.testing.assert_allclose([value, by_x, by_y], [2 * numpy.sin(1), numpy.sin(1), 2 * numpy.cos(1)], rtol=1e-12)
    # A boolean has no derivative; a loop and a condition do.
    assert program.gradient("pick")(numpy.array([True, False]), 3.0).tolist() == [1.0, -1.0]
    by_x, by_n = program.gradient("power")(numpy.array([1.5, -2.0]), 5.0)
    numpy.testing.assert_allclose(by_x, 5 * numpy.array([1.5, -2.0]) ** 4, rtol=1e-12)
    assert by_n.tolist() == [0.0, 0.0]
    assert program.gradient("refuse")(4.0) == 0.25
    with pytest.raises(planish.Error, match="x is negative"):
        program.gradient("refuse")(-1.0)
    with pytest.raises(planish.Error, match="there is no function `g`; there are: "):
        program.gradient("g")
    with pytest.raises(planish.Error, match="has no gradient"):
        program.gradient("both")
    with pytest.raises(TypeError):
        program.gradient(None)


def test_only_vl_has_gradients():
    # A derivative would have to go through memories and variables.
    program = planish.Program(WAT, name="f.wat")
    for name in ("square", "stored", "div"):
        with pytest.raises(planish.Error, match="only functions in VL"):
            program.gradient(name)


@pytest.mark.parametrize("settings", [{"level": 0}, {"level": 1}, {"level": 2}, {"level": "s"}])
def test_gradients_do_not_depend_on_the_level(settings):
    source = """
    (define (newton x n) (let loop ((k n) (y x)) (if (< k 1) y (loop (- k 1) (/ (+ y (/ x y)) 2)))))
    (define (mixed x y) (if (< x y) (exp (* x y)) (+ (newton (* x x y) 6) (cos (atan y x)))))
    (export mixed (real real)) 0"""
    program = planish.Program(source, name="m.vl", **settings)
    function, gradient = program.functions["mixed"], program.gradient("mixed")
    x, y = numpy.meshgrid(numpy.linspace(0.3, 2, 6), numpy.linspace(0.25, 1.9, 7))
    step = 1e-6
    by_x, by_y = gradient(x, y)
    numpy.testing.assert_allclose(by_x, (function(x + step, y) - function(x - step, y)) / (2 * step), rtol=1e-6, atol=1e-6)
    numpy.testing.assert_allclose(by_y, (function(x, y + step) - function(x, y - step)) / (2 * step), rtol=1e-6, atol=1e-6)


def test_nothing_leaks(vl):
    x = numpy.arange(100.0)
    for _ in range(3):
        vl["f"](x, 1.0)
    gc.collect()
    before = sys.getrefcount(x)
    for _ in range(200):
        vl["f"](x, x)
        with pytest.raises(TypeError):
            vl["f"](x, None)
    gc.collect()
    assert sys.getrefcount(x) == before


def test_a_shader_has_no_functions_and_imports_are_errors():
    source = "precision mediump float;\nvoid main() { gl_FragColor = vec4(1.0); }\n"
    assert dict(planish.Program(source).functions) == {}
    wat = '(module (import "a" "b" (func)) (func (export "f") call 0))'
    with pytest.raises(planish.Error, match="a"):
        planish.Program(wat, name="f.wat").functions
