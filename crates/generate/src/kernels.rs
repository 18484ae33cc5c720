//! Random compute shaders in GLSL 4.50, which read and write blocks of memory.
//!
//! Uniform and storage blocks, push constants and shared memory have members of numbers of 8 to 64 bits, vectors, matrices by columns and
//! rows, arrays and structs, in `std140`, `std430` and `scalar`, with offsets and alignments of their own; read and written whole and in
//! parts, at constant and computed indices, which stay in bounds. [`memory`] has that; [`shared`] also several invocations, with barriers
//! and atomics; [`subgroups`] operations on subgroups.
//!
//! The result does not depend on the order of invocations: each writes slots of its own, and reads those of others only between barriers
//! where nobody writes; atomics on a variable change places with each other, and their results are not used.
//!
//! ```
//! use planish_generate::{Choices, kernels};
//! let kernel = kernels::memory(&mut Choices::from_seed(7));
//! assert!(kernel.to_string().starts_with("#version 450\n"));
//! ```

mod blocks;
mod expressions;
mod statements;
mod subgroup;
mod tree;
mod types;

use std::fmt;

use crate::Choices;
use tree::{Part, Stmt, change_block, line, stmt};
use types::Number::{self, *};
use types::{Ty, random};

/// A generated compute shader.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    lines: Vec<Stmt>,
    /// Work groups along the first axis.
    pub groups: u32,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl Kernel {
    /// The smallest kernel found for which `fails` returns true. `fails` must return false for invalid programs, which a step may
    /// produce. Calls `fails` at most `budget` times.
    pub fn reduce(&self, budget: usize, fails: &mut dyn FnMut(&Kernel) -> bool) -> Kernel {
        let mut best = self.clone();
        let mut left = budget;
        loop {
            let (mut shrunk, mut step) = (false, 0);
            while left > 0 {
                let mut candidate = best.clone();
                if !change_block(&mut candidate.lines, &mut step.clone()) {
                    break;
                }
                left -= 1;
                if fails(&candidate) {
                    (best, shrunk) = (candidate, true);
                } else {
                    step += 1;
                }
            }
            if !shrunk || left == 0 {
                return best;
            }
        }
    }
}

/// A scalar or vector type: its numbers, and how many.
type ValueType = (Number, u8);

/// A phase between barriers: invocations write their slots of shared memory, or read those of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Write,
    Read,
}

/// A place with a name.
#[derive(Clone, Debug)]
struct Root {
    text: String,
    ty: Ty,
    writable: bool,
    /// The phase in which it may be used; `None`: in any.
    phase: Option<Phase>,
    /// Whether all invocations see the same, whenever they look.
    is_uniform: bool,
    /// The length of an array, if that is an expression as well.
    length: Option<String>,
}

impl Root {
    /// A variable of one invocation.
    fn own(text: String, ty: Ty) -> Self {
        Root { text, ty, writable: true, phase: None, is_uniform: false, length: None }
    }
}

/// A variable for atomic operations of one kind, which change places with each other.
#[derive(Clone, Debug)]
struct Counter {
    place: String,
    number: Number,
    op: &'static str,
    /// Its length, if it is an array.
    len: Option<u32>,
    phase: Option<Phase>,
}

struct Generator<'c, 'b> {
    choices: &'c mut Choices<'b>,
    /// Types of numbers of the program, and of those in memory that the host shares.
    numbers: Vec<Number>,
    host_numbers: Vec<Number>,
    subgroups: bool,
    /// Whether there is one invocation.
    is_alone: bool,
    /// Invocations of a work group, and of all.
    count: u32,
    all: u32,
    structs: Vec<Vec<Ty>>,
    roots: Vec<Root>,
    atomics: Vec<Counter>,
    phase: Phase,
    only_uniform: bool,
    /// Result and parameters of functions that write nothing.
    helpers: Vec<(ValueType, Vec<ValueType>)>,
    /// Types of the parameters of functions that write.
    procedures: Vec<(Ty, ValueType)>,
    /// Result of the function being written.
    result: Option<ValueType>,
    may_return: bool,
    counters: Vec<String>,
    loops: usize,
    names: usize,
}

const ALL: &[Number] = &[I8, U8, I16, U16, F16, I32, U32, F32, I64, U64, F64, Bool];
/// Numbers of all targets.
const PLAIN: &[Number] = &[I32, U32, F32];
const HALVES: &[Number] = &[I32, U32, F32, F16];
const WIDE: &[Number] = &[I32, U32, F32, I64, U64, F64];

/// Memory of one invocation, or of some that have nothing to do with each other.
pub fn memory(choices: &mut Choices<'_>) -> Kernel {
    let size = choices.pick(&[1, 1, 3, 5, 8]);
    generate(choices, size, false, false)
}

/// Invocations that share memory.
pub fn shared(choices: &mut Choices<'_>) -> Kernel {
    let size = choices.pick(&[4, 6, 8, 13, 16, 20]);
    generate(choices, size, true, false)
}

/// Invocations that compute together, with shared memory or without.
pub fn subgroups(choices: &mut Choices<'_>) -> Kernel {
    let size = choices.pick(&[4, 8, 20, 32, 40]);
    let shares = choices.chance(30);
    generate(choices, size, shares, true)
}

fn generate(choices: &mut Choices<'_>, count: u32, shares: bool, subgroups: bool) -> Kernel {
    let (numbers, host_numbers) = match choices.below(8) {
        0 | 1 => (PLAIN, PLAIN),
        2 => (ALL, PLAIN),
        3 => (HALVES, HALVES),
        4 | 5 => (WIDE, WIDE),
        6 => (ALL, WIDE),
        _ => (ALL, ALL),
    };
    let groups = if count == 1 { 1 } else { 1 + choices.below(3) as u32 };
    let mut generator = Generator {
        choices,
        numbers: numbers.into(),
        host_numbers: host_numbers.into(),
        subgroups: false,
        is_alone: count == 1,
        count,
        all: count * groups,
        structs: vec![],
        roots: vec![],
        atomics: vec![],
        phase: Phase::Write,
        only_uniform: false,
        helpers: vec![],
        procedures: vec![],
        result: None,
        may_return: false,
        counters: vec![],
        loops: 0,
        names: 0,
    };
    Kernel { lines: generator.program(shares, subgroups), groups }
}

impl Generator<'_, '_> {
    fn number(&mut self) -> Number {
        self.choices.pick(&self.numbers)
    }

    /// The places that may be read now.
    fn readable(&self) -> Vec<Root> {
        let is_now =
            |root: &&Root| root.phase.is_none_or(|p| p == self.phase) && (root.is_uniform || !self.only_uniform);
        self.roots.iter().filter(is_now).cloned().collect()
    }

    fn program(&mut self, shares: bool, subgroups: bool) -> Vec<Stmt> {
        let mut lines = vec![line("#version 450")];
        let explicit = "GL_EXT_shader_explicit_arithmetic_types";
        let mut extension = |name: &str| lines.push(line(format!("#extension {name} : require")));
        extension(explicit);
        extension("GL_EXT_scalar_block_layout");
        if subgroups {
            for part in ["basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative", "clustered", "quad"] {
                extension(&format!("GL_KHR_shader_subgroup_{part}"));
            }
        }
        let sides = match self.choices.chance(30) {
            true if self.count.is_multiple_of(2) => [self.count / 2, 2],
            _ => [self.count, 1],
        };
        lines.push(line(format!("layout(local_size_x = {}, local_size_y = {}) in;", sides[0], sides[1])));
        for number in 0..1 + self.choices.below(3) {
            let members =
                (0..1 + self.choices.below(4)).map(|_| random(self.choices, &self.host_numbers, &self.structs, 2));
            let members: Vec<Ty> = members.collect();
            let texts = members.iter().enumerate().map(|(i, member)| line(format!("{} m{i};", member.name())));
            lines.push(stmt(&format!("struct S{number} {{\n$}};"), vec![texts.collect::<Vec<Stmt>>().into()]));
            self.structs.push(members);
        }
        lines.push(line("uint i, g;"));
        let mut first =
            vec![line("i = gl_LocalInvocationIndex;"), line(format!("g = gl_WorkGroupID.x * {}u + i;", self.count))];
        self.blocks(&mut lines);
        for p in 0..self.choices.below(3) {
            let ty = random(self.choices, &self.numbers, &self.structs, 2);
            let declaration = self.variable(format!("p{p}"), ty);
            lines.push(declaration);
        }
        if shares {
            self.memory_of_groups(self.all / self.count, &mut lines, &mut first);
        }
        self.subgroups = subgroups;
        let own = self.phase;
        for _ in 0..self.choices.below(3) {
            let helper = self.helper_between_phases();
            lines.push(helper);
        }
        for _ in 0..self.choices.below(2) {
            let procedure = self.procedure_between_phases();
            lines.push(procedure);
        }
        self.phase = own;
        for v in 0..1 + self.choices.below(3) {
            let ty = random(self.choices, &self.numbers, &self.structs, 2);
            let declaration = self.variable(format!("v{v}"), ty);
            first.push(declaration);
        }
        let body = if shares { self.phases() } else { self.last_phase() };
        first.extend(body);
        lines.push(stmt("void main() {\n$}", vec![first.into()]));
        lines
    }

    /// A function that may be called in any phase: it has nothing of shared memory.
    fn helper_between_phases(&mut self) -> Stmt {
        let all = self.roots.clone();
        let atomics = std::mem::take(&mut self.atomics);
        self.roots.retain(|root| root.phase.is_none());
        let helper = self.helper();
        (self.roots, self.atomics) = (all, atomics);
        helper
    }

    fn procedure_between_phases(&mut self) -> Stmt {
        let all = self.roots.clone();
        let atomics = std::mem::take(&mut self.atomics);
        self.roots.retain(|root| root.phase.is_none());
        let procedure = self.procedure();
        (self.roots, self.atomics) = (all, atomics);
        procedure
    }

    fn last_phase(&mut self) -> Vec<Stmt> {
        self.may_return = true;
        let count = 5 + self.choices.below(8);
        (0..count).map(|_| self.statement(0)).collect()
    }

    /// Rounds of writing and reading, between barriers that all invocations of a group get to.
    fn phases(&mut self) -> Vec<Stmt> {
        let barrier = || line("memoryBarrier(); barrier();");
        let mut body = vec![barrier()];
        for _ in 0..1 + self.choices.below(3) {
            let around = self.choices.below(4);
            let counter = format!("r{}", self.names);
            self.names += 1;
            let condition = (around == 1).then(|| self.uniform_condition());
            if around == 0 {
                self.counters.push(counter.clone());
            }
            let mut round = vec![];
            for phase in [Phase::Write, Phase::Read] {
                self.phase = phase;
                let count = 1 + self.choices.below(4);
                round.extend((0..count).map(|_| self.statement(1)).collect::<Vec<Stmt>>());
                round.push(barrier());
            }
            match (around, condition) {
                (0, _) => {
                    self.counters.pop();
                    let text = format!("for (uint {counter} = 0u; {counter} < 2u; {counter}++) {{\n$}}");
                    body.push(stmt(&text, vec![round.into()]));
                }
                (_, Some(condition)) => body.push(stmt("if ($) {\n$}", vec![condition, round.into()])),
                _ => body.extend(round),
            }
        }
        body
    }

    fn uniform_condition(&mut self) -> Part {
        let (subgroups, helpers) = (self.subgroups, std::mem::take(&mut self.helpers));
        (self.subgroups, self.only_uniform) = (false, true);
        let condition = match self.choices.chance(50) {
            true => self.value(Bool, 1, 0).into(),
            false => format!("gl_WorkGroupID.x != {}u", self.choices.below(3)).into(),
        };
        (self.subgroups, self.only_uniform, self.helpers) = (subgroups, false, helpers);
        condition
    }
}
