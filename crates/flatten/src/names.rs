//! Names of the parts of an optimized flat function, in graphs, listings and texts; and a table of all of them.
//!
//! ```text
//! %3 = load @time                   a read has the name of what it reads
//! %4 = multiply %3, 2.0             _preshader_cse_0   uniform, and needed more than once by what is uniform
//! %5 = sin %4                       _preshader_0       uniform, and needed by what varies
//! %6 = cos %4                       _preshader_1
//! %7 = add %0, %5                   _cse_0             varies, and is needed more than once
//! ```
//!
//! A splat that only componentwise ops use is not a part: its users are those of the scalar.

use std::fmt::{self, Display, Formatter, Write};

use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Local, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::text::print_function;
use planish_ir::uniform::uniform_values;
use planish_ir::walk;

use crate::options::Options;
use crate::uses::is_componentwise;

/// Role of a value, numbered by role.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// Root of a uniform subtree: used by varying values.
    Preshader(u32),
    /// Uniform, and used more than once inside the preshader.
    PreshaderCse(u32),
    /// Varying, and used more than once.
    Cse(u32),
}

impl Display for Part {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Part::Preshader(n) => write!(f, "_preshader_{n}"),
            Part::PreshaderCse(n) => write!(f, "_preshader_cse_{n}"),
            Part::Cse(n) => write!(f, "_cse_{n}"),
        }
    }
}

/// Use counts of a value.
#[derive(Clone, Copy, Default)]
struct Needs {
    by_uniform: u32,
    /// By varying values, effects and exits.
    by_varying: u32,
}

impl Needs {
    fn all(self) -> u32 {
        self.by_uniform + self.by_varying
    }
}

/// The part of each value of a placed flat function; `barriers` are ops that a preshader cannot contain. O(nodes).
pub fn parts(module: &Module, body: &Body, barriers: fn(Op) -> bool) -> SideTable<Local, Option<Part>> {
    let uniform = uniform_values(module, body, &barriers);
    let needs = needs(module, body, &uniform);
    let mut parts: SideTable<Local, Option<Part>> = SideTable::with_capacity(body.local_count());
    let (mut preshaders, mut shared, mut varying) = (0, 0, 0);
    let next = |count: &mut u32| {
        *count += 1;
        *count - 1
    };
    for node in listed(body).filter(|&n| !is_read(body, n)) {
        for local in body.results(node) {
            let need = needs[local];
            parts[local] = match uniform[local] {
                true if need.by_varying > 0 => Some(Part::Preshader(next(&mut preshaders))),
                true if need.all() > 1 => Some(Part::PreshaderCse(next(&mut shared))),
                false if need.all() > 1 => Some(Part::Cse(next(&mut varying))),
                _ => None,
            };
        }
    }
    parts
}

/// The value numbers of a placed flat function as a table, for users who look for missed sharing: each node with its
/// number of uses and its part, and the differences from a constant, by which sums are regrouped.
///
/// # Panics
/// If the function has no body.
pub fn value_numbers(module: &Module, func: Func, options: &Options) -> String {
    let body = module.funcs[func].body.as_ref().expect("the function has an inside");
    let uniform = uniform_values(module, body, &options.barriers);
    let (needs, parts) = (needs(module, body, &uniform), parts(module, body, options.barriers));
    let text = print_function(module, func);
    // Lines of nodes with results, and only those, begin like this.
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with('%'));
    let nodes = listed(body).filter(|&n| body.result(n).is_some());
    let mut out = format!("value numbers of @{}\n", module.funcs[func].name.text);
    let mut differences = String::new();
    for (line, node) in lines.zip(nodes) {
        let local = body.result(node).expect("it has a result");
        let part = parts[local].map_or_else(String::new, |part| part.to_string());
        let _ = writeln!(out, "{:>6}  {part:<20} {line}", needs[local].all());
        if body.node(node).op == Op::Subtract && body.args(node)[0].as_const().is_some() {
            let _ = writeln!(differences, "{:>6}  {line}", needs[local].all());
        }
    }
    if !differences.is_empty() {
        let _ = write!(out, "constants minus values\n{differences}");
    }
    out
}

fn listed(body: &Body) -> impl Iterator<Item = Node> + '_ {
    walk::blocks(body).flat_map(|b| body.blocks[b].nodes.iter().copied())
}

/// Whether a node only loads an input of the function.
fn is_read(body: &Body, node: Node) -> bool {
    let data = body.node(node);
    let of_read = || body.node_of(body.args(node)[0]).is_some_and(|of| body.node(of).op == Op::Load);
    data.op == Op::Load || data.op.info().class == Class::Access || data.op == Op::ExtractStructField && of_read()
}

/// Use counts of each value.
fn needs(module: &Module, body: &Body, uniform: &SideTable<Local, bool>) -> SideTable<Local, Needs> {
    let free = free_splats(module, body);
    let mut needs: SideTable<Local, Needs> = SideTable::with_capacity(body.local_count());
    let mut need = |value: Value, is_uniform: bool| {
        let through = body.node_of(value).filter(|_| value.as_local().is_some_and(|l| free[l]));
        let value = through.map_or(value, |splat| body.args(splat)[0]);
        if let Some(local) = value.as_local() {
            let count = if is_uniform { &mut needs[local].by_uniform } else { &mut needs[local].by_varying };
            *count += 1;
        }
    };
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            let is_uniform = body.result(node).is_some_and(|r| uniform[r]);
            if !body.result(node).is_some_and(|r| free[r]) {
                body.args(node).iter().for_each(|&a| need(a, is_uniform));
            }
        }
        body.blocks[block].exit.for_each_operand(|v| need(v, false));
    }
    needs
}

/// By value, whether it is a splat that only componentwise ops use.
fn free_splats(module: &Module, body: &Body) -> SideTable<Local, bool> {
    let mut free: SideTable<Local, bool> = SideTable::with_capacity(body.local_count());
    let scalar_of = |v: Value| module.types.scalar_of(module.type_of(body, v));
    for node in listed(body) {
        let (op, args) = (body.node(node).op, body.args(node));
        if let (Op::ConstructVectorFromScalar, Some(result)) = (op, body.result(node)) {
            free[result] = scalar_of(args[0]) == scalar_of(result.into());
        }
        if !args.iter().any(|&a| scalar_of(a).is_some_and(|s| is_componentwise(op, s))) {
            args.iter().filter_map(|a| a.as_local()).for_each(|local| free[local] = false);
        }
    }
    walk::blocks(body).for_each(|b| {
        body.blocks[b].exit.for_each_operand(|v| {
            if let Some(local) = v.as_local() {
                free[local] = false;
            }
        });
    });
    free
}
