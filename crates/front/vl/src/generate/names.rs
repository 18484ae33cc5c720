//! Names that a reader recognizes: `iterate-R-step`.

use std::fmt::Write as _;

use planish_ir::decoration::Name;
use planish_ir::function::Param;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyze::value::{Value, ValueId, Values};
use crate::analyze::{Analysis, BindingId};

/// Maximum number of characters of a name, before the suffix that makes it unique.
const LONGEST: usize = 48;

/// The names that are taken.
#[derive(Default)]
pub(super) struct Names {
    taken: FxHashMap<String, u32>,
}

impl Names {
    /// The name, with a number if it is taken: programs may have names with numbers, too.
    pub(super) fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        while self.taken.contains_key(&unique) {
            let count = self.taken.entry(name.to_owned()).or_default();
            *count += 1;
            unique = format!("{name}.{count}");
        }
        self.taken.insert(unique.clone(), 1);
        unique
    }

    /// The name of a binding: of the procedure, then of its argument.
    pub(super) fn function(&mut self, analysis: &Analysis<'_>, id: BindingId) -> String {
        let binding = analysis.binding(id);
        let mut name =
            binding.procedure.map_or_else(String::new, |(lambda, _)| analysis.core.lambda(lambda).name.to_string());
        let mut rest = binding.argument;
        while let Value::Pair(item, tail) = analysis.values.get(rest) {
            name.push('-');
            shape(analysis, item, &mut name);
            rest = tail;
            if name.len() > LONGEST {
                break;
            }
        }
        if rest != Values::NIL {
            name.push('-');
            shape(analysis, rest, &mut name);
        }
        if name.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|&at| name.is_char_boundary(at)).unwrap_or(0);
            name.truncate(end);
        }
        self.unique(&name)
    }
}

/// Recursion: at most `MAX_HEIGHT` levels of first items, and [`LONGEST`] of tails.
fn shape(analysis: &Analysis<'_>, value: ValueId, name: &mut String) {
    if name.len() > LONGEST {
        return;
    }
    match analysis.values.get(value) {
        Value::AnyReal | Value::Asked(_) => name.push('R'),
        Value::AnyBool => name.push('B'),
        Value::Real(bits) => name.push_str(&crate::show::real(bits)),
        Value::Bool(b) => write!(name, "{b}").expect("a string takes all"),
        Value::Nil => name.push_str("nil"),
        Value::Closure(lambda, _) => name.push_str(&analysis.core.lambda(lambda).name),
        Value::Primitive(primitive) => name.push_str(primitive.public_name()),
        Value::Token(..) | Value::Node(_) | Value::Bottom => name.push('T'),
        Value::Bundle(_, primal, tangent) => {
            name.push('D');
            shape(analysis, primal, name);
            shape(analysis, tangent, name);
        }
        Value::Pair(a, b) => {
            shape(analysis, a, name);
            name.push('.');
            shape(analysis, b, name);
        }
    }
}

/// Gives parameters of the same name numbers.
pub(super) fn make_unique(params: &mut [Param]) {
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for param in params {
        let mut name = param.name.text.to_string();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{}_{number}", param.name.text);
            number += 1;
        }
        param.name = Name::temporary(name);
    }
}
