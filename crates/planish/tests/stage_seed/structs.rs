//! Structs are split into their fields, wherever they are.

use planish::stage::{List, Rep, Seq, Staged, function, if_, list, var};

use super::{Float, index, made, on_engines, steps};

#[derive(Clone, Copy, Staged)]
struct Complex {
    re: Float,
    im: Float,
}

impl std::ops::Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Complex {
    fn conjugate(self) -> Complex {
        Complex { re: self.re, im: -self.im }
    }
}

fn sum(list: &Seq<'_, Complex>) -> Complex {
    let zero = Complex { re: Rep::new(0.0), im: Rep::new(0.0) };
    list.clone().fold(zero, |sum: Complex, z| sum + z)
}

/// `(i, -i)` and `(-i, i)`.
fn vectors() -> [List<Complex>; 2] {
    [
        list(100u32, |i| Complex { re: index(i), im: -index(i) }),
        list(100u32, |i| Complex { re: -index(i), im: index(i) }),
    ]
}

#[test]
fn struct_1() {
    let f = made(function("struct1", |x: Float| {
        let c = var(Complex { re: x, im: Rep::new(0.0) });
        c.set(c.get() + Complex { re: Rep::new(0.0), im: x });
        c.get()
    }));
    let about = "A variable of a struct: two variables, and then two values.";
    steps("21_struct1", about, &f);
    let text = planish::ir::text::print(&f.optimized());
    assert!(!text.contains("var "), "{text}");
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call(3.0).expect("it does not trap"), (3.0, 3.0));
    }
}

#[test]
fn struct_2() {
    let f = made(function("struct2", |x: Rep<i32>| {
        let [first, second] = vectors();
        // A choice between arrays is one between their elements.
        let chosen = Seq::new(100u32, move |i| if_(x.gt(7), || first.at(i), || second.at(i)));
        sum(&chosen)
    }));
    let about = "Arrays of structs are arrays of their fields, and a choice between structs one between fields.";
    let (before, after) = steps("22_struct2", about, &f);
    assert_eq!((before.loops, before.arrays), (3, 4));
    assert!(after.loops <= 1 && after.arrays == 0, "{after:?}");
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call(8).expect("it does not trap"), (4950.0, -4950.0));
        assert_eq!(compiled.call(7).expect("it does not trap"), (-4950.0, 4950.0));
    }
}

#[test]
fn struct_3() {
    let f = made(function("struct3", || {
        let [vector, _] = vectors();
        sum(&vector.iter().map(Complex::conjugate).collect().iter())
    }));
    let about = "A conjugate of what was made with a negated part: the two negations cancel.";
    let (before, after) = steps("23_struct3", about, &f);
    assert_eq!((before.loops, before.arrays), (4, 6));
    assert_eq!((after.loops, after.arrays), (1, 0));
    let text = planish::ir::text::print(&f.optimized());
    assert!(!text.contains("negate"), "{text}");
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call().expect("it does not trap"), (4950.0, 4950.0));
    }
}

#[test]
fn struct_4() {
    let f = made(function("struct4", |x: Rep<i32>| {
        let [vector, _] = vectors();
        let chosen = vector.iter().map(move |z| if_(x.gt(7), || z.conjugate(), || z)).collect();
        sum(&chosen.iter())
    }));
    let about = "A choice that changes one field: the other one does not depend on the condition.";
    let (_, after) = steps("24_struct4", about, &f);
    assert_eq!((after.loops, after.arrays), (1, 0));
    let text = planish::ir::text::print(&f.optimized());
    assert_eq!(text.matches("select").count() + text.matches("  if ").count(), 1, "{text}");
    for compiled in on_engines(&f) {
        assert_eq!(compiled.call(8).expect("it does not trap"), (4950.0, 4950.0));
        assert_eq!(compiled.call(0).expect("it does not trap"), (4950.0, -4950.0));
    }
}
