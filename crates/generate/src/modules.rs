//! Random modules without stages, as text of the IR, with calls of their exports.
//!
//! [`plain`] has variables of all address spaces and types with initial values, which several exported functions access
//! by constant and dynamic paths. [`aliasing`] has functions with pointer parameters, called with the same variables,
//! parts of one, and variables that the callee accesses too; they call themselves and each other.
//!
//! The variables of a module keep their values between calls, so the calls are a sequence on one instance. All calls
//! end, and none traps. A result that is NaN may be any NaN.

mod body;
mod types;

use crate::Choices;
use types::{Ty, random};

pub use types::Number;

/// A generated module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The IR's text.
    pub text: String,
    /// Its exported functions.
    pub exports: Vec<Export>,
    /// Calls, in order.
    pub calls: Vec<Call>,
}

/// An exported function of one result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Export {
    /// Its name.
    pub name: String,
    /// Types of its parameters.
    pub params: Vec<Number>,
    /// Type of its result.
    pub result: Number,
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Index of the exported function.
    pub export: usize,
    /// The bits of the arguments.
    pub args: Vec<u64>,
}

/// A variable, or the target of a pointer parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    /// Operand that refers to it.
    label: String,
    ty: Ty,
    space: &'static str,
}

impl Place {
    fn is_writable(&self) -> bool {
        !matches!(self.space, "uniform" | "input" | "push_constant")
    }
}

/// A function called by others.
#[derive(Clone, Debug)]
struct Helper {
    name: String,
    /// Pointer parameters, by address space.
    pointers: Vec<(Ty, &'static str)>,
    values: Vec<Ty>,
    result: Ty,
    /// Whether it calls itself, as often as its first parameter says.
    recursive: bool,
}

struct Generator<'c, 'b> {
    choices: &'c mut Choices<'b>,
    structs: Vec<Vec<Ty>>,
    globals: Vec<Place>,
    helpers: Vec<Helper>,
    /// Types of pointer parameters and of the variables passed to them.
    pool: Vec<Ty>,
    text: String,
    /// Whether numbers may have 8 or 16 bits.
    narrow: bool,
}

/// A module with variables in all address spaces.
pub fn plain(choices: &mut Choices<'_>) -> Module {
    let spaces =
        ["private", "private", "private", "workgroup", "storage", "output", "uniform", "input", "push_constant"];
    with_variables(Generator::new(choices), &spaces)
}

/// As [`plain`], with numbers of 8 and 16 bits besides the wider ones, but not where the host sees them.
pub fn narrow(choices: &mut Choices<'_>) -> Module {
    let generator = Generator { narrow: true, ..Generator::new(choices) };
    with_variables(generator, &["private", "private", "workgroup"])
}

fn with_variables(mut generator: Generator<'_, '_>, spaces: &[&'static str]) -> Module {
    generator.structs();
    for _ in 0..2 + generator.choices.below(6) {
        let space = generator.choices.pick(spaces);
        let ty = generator.random(space == "private");
        generator.global(ty, space);
    }
    generator.module()
}

/// A module with pointer parameters whose arguments may alias.
pub fn aliasing(choices: &mut Choices<'_>) -> Module {
    let mut generator = Generator::new(choices);
    generator.structs();
    for _ in 0..2 {
        let ty = generator.random(false);
        generator.pool.extend(ty.parts(&generator.structs).into_iter().take(2));
        generator.pool.push(ty);
    }
    generator.pool.push(Ty::Scalar(Number::I32));
    for _ in 0..2 + generator.choices.below(3) {
        let space = generator.choices.pick(&["private", "private", "private", "workgroup", "storage"]);
        let ty = generator.of_pool();
        let ty = if generator.choices.chance(30) { Ty::Array(Box::new(ty), 2) } else { ty };
        generator.global(ty, space);
    }
    generator.module()
}

impl<'c, 'b> Generator<'c, 'b> {
    fn new(choices: &'c mut Choices<'b>) -> Self {
        Generator {
            choices,
            structs: vec![],
            globals: vec![],
            helpers: vec![],
            pool: vec![],
            text: "module ir\n".into(),
            narrow: false,
        }
    }

    fn write(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Structs without booleans, allowed in all address spaces.
    fn structs(&mut self) {
        for number in 0..self.choices.below(3) {
            let count = 1 + self.choices.below(3);
            let members: Vec<Ty> = (0..count).map(|_| self.random(false)).collect();
            self.write(&format!("struct $S{number} {{"));
            for (i, member) in members.iter().enumerate() {
                self.write(&format!("  m{i}: {}", member.text()));
            }
            self.write("}");
            self.structs.push(members);
        }
    }

    fn random(&mut self, booleans: bool) -> Ty {
        random(self.choices, &self.structs, booleans, self.narrow)
    }

    fn of_pool(&mut self) -> Ty {
        self.pool[self.choices.below(self.pool.len())].clone()
    }

    /// A variable of module scope. Those of some address spaces have no initial value.
    fn global(&mut self, ty: Ty, space: &'static str) {
        let label = format!("@g{}", self.globals.len());
        let has_value = matches!(space, "private" | "output" | "uniform") && self.choices.chance(80);
        let value = if has_value { format!(" = {}", ty.constant(self.choices, &self.structs)) } else { String::new() };
        self.write(&format!("var {space} {label}: {}{value}", ty.text()));
        self.globals.push(Place { label, ty, space });
    }

    /// Writes the functions and exports after the declarations.
    fn module(mut self) -> Module {
        for number in 0..1 + self.choices.below(3) {
            let helper = self.signature(number);
            self.helper(&helper);
            self.helpers.push(helper);
        }
        let mut exports = Vec::new();
        for number in 0..1 + self.choices.below(3) {
            let mut number_type = || self.choices.pick(&[Number::I32, Number::F32, Number::U32, Number::F64]);
            let result = number_type();
            let params = vec![Number::I32, number_type()];
            let export = Export { name: format!("e{number}"), params, result };
            self.export(&export);
            exports.push(export);
        }
        for export in &exports {
            self.write(&format!("export @{0} \"{0}\"", export.name));
        }
        let calls = (0..3 + self.choices.below(5)).map(|_| {
            let number = self.choices.below(exports.len());
            Call { export: number, args: exports[number].params.iter().map(|p| p.bits(self.choices)).collect() }
        });
        let calls = calls.collect();
        Module { text: self.text, exports, calls }
    }

    fn signature(&mut self, number: usize) -> Helper {
        let mut pointers = Vec::new();
        if !self.pool.is_empty() {
            for _ in 0..1 + self.choices.below(3) {
                let space = self.choices.pick(&["private", "private", "function", "workgroup", "storage"]);
                pointers.push((self.of_pool(), space));
            }
        }
        let values = (0..self.choices.below(3)).map(|_| self.random(true)).collect();
        Helper {
            name: format!("f{number}"),
            recursive: !pointers.is_empty() && self.choices.chance(50),
            pointers,
            values,
            result: self.random(true),
        }
    }
}
