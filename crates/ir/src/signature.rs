//! The structure of the parameters and results of an exported function, as the host sees them.
//!
//! The function itself takes and returns the scalars, in the order in which they occur: so no pass has to split a value, and engines need no types
//! for it. Back ends that write a language give the function its records and lists again.

use std::sync::Arc;

/// The structure of a function's parameters and of its result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// Parameters of the host's function.
    pub params: Vec<Field>,
    /// The result; `None` if there is nothing in it.
    pub result: Option<Shape>,
}

/// A part of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name; empty for one that has only its position.
    pub name: Arc<str>,
    /// Its structure.
    pub shape: Shape,
}

/// The structure of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One parameter or result of the function.
    Scalar,
    /// Parts of any structure.
    Record {
        /// Its name; empty for one without.
        name: Arc<str>,
        /// The parts, each with a scalar in it. Either all of them have names or none has.
        fields: Vec<Field>,
    },
    /// Parts of equal structure and type.
    List {
        /// The structure of a part.
        element: Box<Shape>,
        /// Number of parts, at least 1.
        len: u32,
    },
}

/// Maximum number of scalars of a signature.
pub const MAX_SCALARS: usize = 1 << 20;

impl Shape {
    /// Number of scalars; `None` if there are more than [`MAX_SCALARS`].
    /// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels in a valid module.
    pub fn width(&self) -> Option<usize> {
        let width = match self {
            Shape::Scalar => 1,
            Shape::Record { fields, .. } => width(fields)?,
            Shape::List { element, len } => element.width()?.checked_mul(*len as usize)?,
        };
        (width <= MAX_SCALARS).then_some(width)
    }

    /// Nesting depth: of a scalar, 0.
    /// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels in a valid module.
    pub fn nesting(&self) -> u32 {
        match self {
            Shape::Scalar => 0,
            Shape::Record { fields, .. } => 1 + fields.iter().map(|field| field.shape.nesting()).max().unwrap_or(0),
            Shape::List { element, .. } => 1 + element.nesting(),
        }
    }

    /// Whether it is a record whose parts have names.
    pub fn is_named(&self) -> bool {
        matches!(self, Shape::Record { fields, .. } if fields.iter().any(|field| !field.name.is_empty()))
    }
}

/// Number of scalars of several parts; `None` if there are more than [`MAX_SCALARS`].
/// Recursion: see [`Shape::width`].
pub fn width(fields: &[Field]) -> Option<usize> {
    let width = fields.iter().try_fold(0usize, |sum, field| sum.checked_add(field.shape.width()?))?;
    (width <= MAX_SCALARS).then_some(width)
}

impl Signature {
    /// Whether a host sees something else than the function's own parameters and results: a record or a list.
    pub fn is_structured(&self) -> bool {
        self.params.iter().any(|param| param.shape != Shape::Scalar)
            || !matches!(self.result, None | Some(Shape::Scalar))
    }

    /// Reasons why it is not the signature of a function whose parameters and results have these types, numbered by type: the same number is the
    /// same type.
    pub fn faults(&self, params: &[u32], results: &[u32]) -> Vec<String> {
        let shapes = || self.params.iter().map(|param| &param.shape).chain(&self.result);
        if shapes().any(|shape| shape.nesting() > crate::types::MAX_TYPE_NESTING) {
            return vec!["its shape is nested too deeply".into()];
        }
        let mut faults = Vec::new();
        let result = self.result.as_ref().map_or(Some(0), Shape::width);
        if width(&self.params) != Some(params.len()) || result != Some(results.len()) {
            faults.push("its shape does not have a scalar for each parameter and result".into());
            return faults;
        }
        let mut params = params.iter().copied();
        for param in &self.params {
            check(&param.shape, &mut params, &mut faults);
        }
        if let Some(result) = &self.result {
            check(result, &mut results.iter().copied(), &mut faults);
        }
        faults
    }
}

/// Checks a shape against the types of its scalars, and returns those that it has.
/// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels.
fn check(shape: &Shape, types: &mut dyn Iterator<Item = u32>, faults: &mut Vec<String>) -> Vec<u32> {
    match shape {
        Shape::Scalar => types.next().into_iter().collect(),
        Shape::Record { fields, .. } => {
            let named = fields.iter().filter(|field| !field.name.is_empty()).count();
            let mut names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            names.sort_unstable();
            names.dedup();
            if fields.is_empty() || fields.iter().any(|field| field.shape.width() == Some(0)) {
                faults.push("a part of its shape has nothing in it".into());
            } else if named != 0 && (named != fields.len() || names.len() != fields.len()) {
                faults.push("two parts of its shape have one name, or one has none".into());
            }
            fields.iter().flat_map(|field| check(&field.shape, types, faults)).collect()
        }
        Shape::List { element, len } => {
            if *len == 0 {
                faults.push("a list of its shape has no elements".into());
            }
            let mut all = Vec::new();
            let mut first: Option<Vec<u32>> = None;
            for _ in 0..*len {
                let these = check(element, types, faults);
                if first.as_ref().is_some_and(|first| *first != these) {
                    faults.push("the elements of a list of its shape differ in type".into());
                }
                all.extend(&these);
                first.get_or_insert(these);
                if !faults.is_empty() {
                    break;
                }
            }
            all
        }
    }
}

/// The name of a record as names of types are: `my-point` as `MyPoint`.
pub fn capitals(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    };
    words.map(capital).collect()
}

#[cfg(test)]
mod tests {
    use crate::text::{parse_str, print};
    use crate::verify::verify;

    fn module(types: &str, shape: &str) -> String {
        format!(
            "module ir\n\nfn @f({types}) -> (f64, bool, f64, bool) shape{shape} {{\nb0:\n  return %0, %1, %0, %1\n}}\n"
        )
    }

    const TYPES: &str = "%0 x: f64, %1 y: bool";

    #[test]
    fn signatures_are_printed_and_parsed() {
        for shape in [
            "(x: _, y: _) -> {_, _, _, _}",
            "(p: point{x: _, is_left: _}) -> [2 x point{x: _, is_left: _}]",
            "(p: \"_\"{\"a b\": _, _: _}) -> {{_, _}, tail{rest: {_, _}}}",
            "({_, _}) -> {a: {_, _, _}, b: _}",
        ] {
            let text = module(TYPES, shape);
            let module = parse_str(&text).unwrap_or_else(|e| panic!("{shape}: {e:#?}"));
            assert_eq!(verify(&module), [], "{shape}");
            assert_eq!(print(&module), text);
            assert!(crate::dump::dump(&module).contains(&format!("    Shape {shape}\n")), "{shape}");
        }
    }

    #[test]
    fn signatures_are_verified() {
        for (shape, message) in [
            ("(x: _) -> {_, _, _, _}", "a scalar for each"),
            ("(x: _, y: _)", "a scalar for each"),
            ("(x: _, y: _) -> [4 x _]", "differ in type"),
            ("(x: _, y: _) -> {[2 x _], {_, _}}", "differ in type"),
            ("(x: _, y: _) -> {a: _, a: _, b: _, c: _}", "one name"),
            ("(x: _, y: _) -> {a: _, _, b: _, c: _}", "has none"),
            ("(x: _, y: _, z: {}) -> {_, _, _, _}", "nothing in it"),
            ("(x: _, y: [0 x _]) -> {_, _, _, _}", "a scalar for each"),
            ("([4294967295 x [4294967295 x _]]) -> {_, _, _, _}", "a scalar for each"),
        ] {
            let module = parse_str(&module(TYPES, shape)).unwrap_or_else(|e| panic!("{shape}: {e:#?}"));
            let errors = verify(&module);
            assert!(errors.iter().any(|error| error.message.contains(message)), "{shape}: {errors:?}");
        }
        let vector = "module ir\n\nfn @f(%0 x: vec2) shape(x: _) {\nb0:\n  return\n}\n";
        let errors = verify(&parse_str(vector).expect("it is a module"));
        assert!(errors[0].message.contains("no scalars"), "{errors:?}");
        let deep = format!("({}_{})", "[1 x ".repeat(200), "]".repeat(200));
        assert!(parse_str(&module(TYPES, &deep)).is_err());
    }
}
