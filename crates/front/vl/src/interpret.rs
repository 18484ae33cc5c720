//! The direct interpreter of core programs: slow, simple, with concrete values. The reference for compiled code.
//!
//! It keeps its own stack, and calls in tail position replace their frame.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use planish_ir::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::{Atom, Block, Core, LambdaId, Operation, Step};
use crate::primitive::{Action, Primitive, Test, meaning};
use crate::terms::{Constant, Pattern};

/// Input and output of a program.
pub trait World {
    /// The next real, if there is one.
    fn read_real(&mut self) -> Option<f64>;
    /// Takes a real.
    fn write_real(&mut self, value: f64);
}

/// A concrete value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Nil,
    Bool(bool),
    /// The bits of an `f64`.
    Real(u64),
    /// Numbered by age.
    Token(u64),
    Pair(Rc<Pair>),
    Bundle(Rc<[Value; 3]>),
    /// Numbered by age, with their operands.
    Node(Rc<Node>),
    Closure(LambdaId, Rc<Captures>),
    Primitive(Primitive),
}

/// Two values.
#[derive(Debug)]
pub(crate) struct Pair(Value, Value);

/// A node of reverse mode's record: a number, and a list of `(factor . node)`.
#[derive(Debug)]
pub(crate) struct Node(u64, Value);

/// The captures of a procedure.
#[derive(Debug)]
pub(crate) struct Captures(Box<[Value]>);

/// Why a program ended without a value.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    /// Span in the user's own text, if something there leads to it.
    pub(crate) span: Span,
    pub(crate) message: String,
    /// Span in the standard library, if it is there.
    pub(crate) library_span: Option<Span>,
}

/// The value of a program, within `fuel` steps; `library` is the span of the standard library's text.
pub(crate) fn run(core: &Core, library: Span, world: &mut dyn World, fuel: u64) -> Result<Value, Stop> {
    let mut interpreter = Interpreter { core, world, tokens: 0, stack: Vec::new(), fuel };
    interpreter.stack.push(Frame {
        slots: vec![Value::Nil; core.slots as usize],
        captures: Rc::new(Captures([].into())),
        group: &[],
        blocks: vec![(&core.main, 0)],
    });
    interpreter.run(0).map_err(|stop| interpreter.located(stop, library))
}

/// A procedure that is being evaluated.
struct Frame<'c> {
    slots: Vec<Value>,
    captures: Rc<Captures>,
    group: &'c [LambdaId],
    /// The open blocks, outermost first, and the number of their steps begun.
    blocks: Vec<(&'c Block, usize)>,
}

struct Interpreter<'c, 'w> {
    core: &'c Core,
    world: &'w mut dyn World,
    tokens: u64,
    stack: Vec<Frame<'c>>,
    fuel: u64,
}

impl<'c> Interpreter<'c, '_> {
    /// Runs until `until` frames are left; returns the value of the last one removed.
    fn run(&mut self, until: usize) -> Result<Value, Stop> {
        loop {
            let frame = self.stack.last_mut().expect("there are more frames than are left");
            let (block, next) = frame.blocks.last_mut().expect("a frame without blocks is gone");
            if let Some(step) = block.steps.get(*next) {
                *next += 1;
                self.fuel = self.fuel.checked_sub(1).ok_or_else(|| stop(step, "the program takes too many steps"))?;
                self.step(step)?;
                continue;
            }
            let value = block.value;
            let value = frame.atom(value);
            frame.blocks.pop();
            if frame.blocks.is_empty() {
                self.stack.pop();
            }
            let frames = self.stack.len();
            match self.stack.last_mut().filter(|_| frames > until) {
                Some(frame) => frame.finish_step(value),
                None => return Ok(value),
            }
        }
    }

    /// The reason for the program's end, at the innermost position in the user's own text that leads there.
    fn located(&self, stop: Stop, library: Span) -> Stop {
        let is_library = |span: Span| library.start <= span.start && span.end <= library.end;
        if !is_library(stop.span) {
            return stop;
        }
        let steps = self.stack.iter().rev().flat_map(|frame| frame.blocks.iter().rev());
        let mut spans = steps.filter_map(|(block, next)| Some(block.steps.get(next.checked_sub(1)?)?.span));
        match spans.find(|&span| !is_library(span)) {
            Some(span) => Stop { span, library_span: Some(stop.span), ..stop },
            None => stop,
        }
    }

    fn step(&mut self, step: &'c Step) -> Result<(), Stop> {
        let frame = self.stack.last_mut().expect("a step has a frame");
        let value = match &step.operation {
            Operation::Pair(a, b) => Value::Pair(Rc::new(Pair(frame.atom(*a), frame.atom(*b)))),
            Operation::Apply(procedure, argument) => {
                let (procedure, argument) = (frame.atom(*procedure), frame.atom(*argument));
                return self.apply(procedure, argument, step);
            }
            Operation::If(test, blocks) => {
                let chosen = if matches!(frame.atom(*test), Value::Bool(false)) { &blocks.1 } else { &blocks.0 };
                frame.blocks.push((chosen, 0));
                return Ok(());
            }
            Operation::Close(group, captures) => {
                let captures = captures.iter().map(|&atom| frame.atom(atom)).collect();
                let captures = Rc::new(Captures(captures));
                for (index, &member) in group.iter().enumerate() {
                    frame.slots[step.slot as usize + index] = Value::Closure(member, captures.clone());
                }
                return Ok(());
            }
            Operation::Match(pattern, atom) => {
                let value = frame.atom(*atom);
                return fill(pattern, &value, &mut frame.slots)
                    .then_some(())
                    .ok_or_else(|| stop(step, &format!("{value} does not fit {}", Shown(pattern))));
            }
            Operation::Error(message) => return Err(stop(step, message)),
        };
        frame.slots[step.slot as usize] = value;
        Ok(())
    }

    /// Recursion: once, through `propagate_back`: the procedures of the library that it calls do not propagate back.
    /// `gather` recurses as deep as the structure nests.
    fn apply(&mut self, procedure: Value, argument: Value, step: &'c Step) -> Result<(), Stop> {
        let (id, captures) = match procedure {
            Value::Closure(id, captures) => (id, captures),
            Value::Primitive(primitive) => {
                let value = match primitive.action() {
                    Action::PropagateBack => self.propagate_back(&argument, step)?,
                    _ => self.primitive(primitive, argument).map_err(|message| stop(step, &message))?,
                };
                self.stack.last_mut().expect("a step has a frame").slots[step.slot as usize] = value;
                return Ok(());
            }
            other => return Err(stop(step, &format!("{other} is no procedure"))),
        };
        let frame = self.frame(id, captures, &argument, step)?;
        if self.stack.last().is_some_and(Frame::returns_next) {
            self.stack.pop();
        }
        self.stack.push(frame);
        Ok(())
    }

    /// The frame of an application.
    fn frame(&self, id: LambdaId, captures: Rc<Captures>, argument: &Value, step: &Step) -> Result<Frame<'c>, Stop> {
        let lambda = self.core.lambda(id);
        let mut slots = vec![Value::Nil; lambda.slots as usize];
        if !fill(&lambda.pattern, argument, &mut slots) {
            let message = format!("`{}` takes {}, not {argument}", lambda.name, Shown(&lambda.pattern));
            return Err(stop(step, &message));
        }
        Ok(Frame { slots, captures, group: &lambda.group, blocks: vec![(&lambda.body, 0)] })
    }

    /// The result of a procedure of the library, called immediately.
    fn call(&mut self, procedure: &Value, argument: &Value, step: &'c Step) -> Result<Value, Stop> {
        let Value::Closure(id, captures) = procedure else {
            return Err(stop(step, &format!("{procedure} is no procedure")));
        };
        let frame = self.frame(*id, captures.clone(), argument, step)?;
        self.stack.push(frame);
        self.run(self.stack.len() - 1)
    }

    /// Propagates back through all nodes that operands depend on, newest first; returns a structure with the adjoints
    /// of its nodes.
    fn propagate_back(&mut self, argument: &Value, step: &'c Step) -> Result<Value, Stop> {
        let wrong = || stop(step, "`propagate-back` takes its internal operands");
        let (accumulate, rest) = argument.pair().ok_or_else(wrong)?;
        let (adjoint_of, rest) = rest.pair().ok_or_else(wrong)?;
        let (operands, structure) = rest.pair().ok_or_else(wrong)?;
        let mut reachable = BTreeMap::new();
        let mut open: Vec<Rc<Node>> = operands.operands().map(|(_, node)| node.clone()).collect();
        while let Some(node) = open.pop() {
            if reachable.insert(node.0, node.clone()).is_none() {
                open.extend(node.1.operands().map(|(_, node)| node.clone()));
            }
        }
        let mut adjoints: FxHashMap<u64, Value> = FxHashMap::default();
        let one = Value::Real(1f64.to_bits());
        self.propagate(accumulate, &one, operands, &mut adjoints, step)?;
        for (number, node) in reachable.iter().rev() {
            if let Some(adjoint) = adjoints.get(number).cloned() {
                self.propagate(accumulate, &adjoint, &node.1, &mut adjoints, step)?;
            }
        }
        self.gather(adjoint_of, structure, &adjoints, step)
    }

    fn propagate(
        &mut self,
        accumulate: &Value,
        adjoint: &Value,
        operands: &Value,
        adjoints: &mut FxHashMap<u64, Value>,
        step: &'c Step,
    ) -> Result<(), Stop> {
        for (factor, node) in operands.operands() {
            let before = adjoints.get(&node.0).cloned().unwrap_or(Value::Nil);
            let rest = cons(adjoint.clone(), cons(factor.clone(), Value::Nil));
            let now = self.call(accumulate, &cons(before, rest), step)?;
            adjoints.insert(node.0, now);
        }
        Ok(())
    }

    fn gather(
        &mut self,
        adjoint_of: &Value,
        structure: &Value,
        adjoints: &FxHashMap<u64, Value>,
        step: &'c Step,
    ) -> Result<Value, Stop> {
        let (mut items, mut rest) = (Vec::new(), structure);
        while let Value::Pair(pair) = rest {
            items.push(self.gather(adjoint_of, &pair.0, adjoints, step)?);
            rest = &pair.1;
        }
        let rest = match rest {
            Value::Node(node) => {
                let adjoint = adjoints.get(&node.0).cloned().unwrap_or(Value::Nil);
                self.call(adjoint_of, &adjoint, step)?
            }
            other => other.clone(),
        };
        Ok(items.into_iter().rev().fold(rest, |rest, item| cons(item, rest)))
    }

    fn primitive(&mut self, primitive: Primitive, argument: Value) -> Result<Value, String> {
        let wrong = |wanted: &str| format!("`{}` takes {wanted}, not {argument}", primitive.public_name());
        Ok(match (primitive.action(), &argument) {
            (Action::Unary(op), &Value::Real(x)) => Value::Real(meaning(op, &[x])),
            (Action::Unary(_), _) => return Err(wrong("a real")),
            (Action::Binary(op), Value::Pair(pair)) => match **pair {
                Pair(Value::Real(x), Value::Real(y)) => Value::Real(meaning(op, &[x, y])),
                _ => return Err(wrong("two reals")),
            },
            (Action::Compare(op), Value::Pair(pair)) => match **pair {
                Pair(Value::Real(x), Value::Real(y)) => Value::Bool(meaning(op, &[x, y]) != 0),
                _ => return Err(wrong("two reals")),
            },
            (Action::Binary(_) | Action::Compare(_), _) => return Err(wrong("two reals")),
            (Action::Is(test), value) => Value::Bool(is(test, value)),
            (Action::Car, Value::Pair(pair)) => pair.0.clone(),
            (Action::Cdr, Value::Pair(pair)) => pair.1.clone(),
            (Action::Car | Action::Cdr, _) => return Err(wrong("a pair")),
            (Action::Gensym, _) => {
                self.tokens += 1;
                Value::Token(self.tokens)
            }
            (Action::Node, _) => {
                self.tokens += 1;
                Value::Node(Rc::new(Node(self.tokens, argument)))
            }
            (Action::PropagateBack, _) => unreachable!("it calls procedures"),
            (action @ (Action::GensymEqual | Action::GensymLess), Value::Pair(pair)) => match **pair {
                Pair(Value::Token(a), Value::Token(b)) => {
                    Value::Bool(if action == Action::GensymEqual { a == b } else { a < b })
                }
                _ => return Err(wrong("two tokens")),
            },
            (Action::GensymEqual | Action::GensymLess, _) => return Err(wrong("two tokens")),
            (Action::Real, Value::Real(_)) => argument,
            (Action::ReadReal, _) => {
                Value::Real(self.world.read_real().ok_or("there is no more input for `read-real`")?.to_bits())
            }
            (Action::WriteReal, &Value::Real(x)) => {
                self.world.write_real(f64::from_bits(x));
                argument
            }
            (Action::Real | Action::WriteReal, _) => return Err(wrong("a real")),
            (Action::Bundle, Value::Pair(pair)) => match &**pair {
                Pair(token @ Value::Token(_), Value::Pair(parts)) => {
                    Value::Bundle(Rc::new([token.clone(), parts.0.clone(), parts.1.clone()]))
                }
                _ => return Err(wrong("a token, a primal and a tangent")),
            },
            (Action::Bundle, _) => return Err(wrong("a token, a primal and a tangent")),
            (Action::BundleToken, Value::Bundle(parts)) => parts[0].clone(),
            (Action::BundlePrimal, Value::Bundle(parts)) => parts[1].clone(),
            (Action::BundleTangent, Value::Bundle(parts)) => parts[2].clone(),
            (Action::BundleToken | Action::BundlePrimal | Action::BundleTangent, _) => return Err(wrong("a bundle")),
        })
    }
}

impl Frame<'_> {
    fn atom(&self, atom: Atom) -> Value {
        match atom {
            Atom::Slot(slot) => self.slots[slot as usize].clone(),
            Atom::Captured(index) => self.captures.0[index as usize].clone(),
            Atom::Member(index) => Value::Closure(self.group[index as usize], self.captures.clone()),
            Atom::Const(Constant::Real(bits)) => Value::Real(bits),
            Atom::Const(Constant::Bool(b)) => Value::Bool(b),
            Atom::Const(Constant::Nil) => Value::Nil,
            Atom::Const(Constant::Primitive(primitive)) => Value::Primitive(primitive),
        }
    }

    /// Stores the result of the step begun last.
    fn finish_step(&mut self, value: Value) {
        if let Some((block, next)) = self.blocks.last() {
            let slot = block.steps[next - 1].slot;
            self.slots[slot as usize] = value;
        }
    }

    /// Whether the step begun last is in tail position.
    fn returns_next(&self) -> bool {
        self.blocks
            .iter()
            .all(|&(block, next)| next == block.steps.len() && block.value == Atom::Slot(block.steps[next - 1].slot))
    }
}

fn stop(step: &Step, message: &str) -> Stop {
    Stop { span: step.span, message: message.to_owned(), library_span: None }
}

fn is(test: Test, value: &Value) -> bool {
    match test {
        Test::Pair => matches!(value, Value::Pair(_)),
        Test::Null => matches!(value, Value::Nil),
        Test::Boolean => matches!(value, Value::Bool(_)),
        Test::Procedure => matches!(value, Value::Closure(..) | Value::Primitive(_)),
        Test::Real => matches!(value, Value::Real(_)),
        Test::Gensym => matches!(value, Value::Token(_)),
        Test::Node => matches!(value, Value::Node(_)),
        Test::HoldsNode => holds_node(value),
        Test::Bundle => matches!(value, Value::Bundle(_)),
    }
}

/// Whether a node is in a value, or in its captures. Shared parts are visited once.
fn holds_node(value: &Value) -> bool {
    let mut open = vec![value];
    let mut seen: FxHashSet<*const ()> = FxHashSet::default();
    while let Some(value) = open.pop() {
        match value {
            Value::Node(_) => return true,
            Value::Pair(pair) if seen.insert(Rc::as_ptr(pair).cast()) => open.extend([&pair.0, &pair.1]),
            Value::Bundle(parts) if seen.insert(Rc::as_ptr(parts).cast()) => open.extend(&parts[..]),
            Value::Closure(_, captures) if seen.insert(Rc::as_ptr(captures).cast()) => open.extend(&captures.0),
            _ => {}
        }
    }
    false
}

/// Fills the slots of a pattern; returns whether the value matches it.
/// Recursion: over the pattern, at most `reader::MAX_DEPTH` lists of `MAX_PARAMETERS` each.
fn fill(pattern: &Pattern<u32>, value: &Value, slots: &mut [Value]) -> bool {
    match (pattern, value) {
        (Pattern::Ignore, _) | (Pattern::Nil, Value::Nil) => true,
        (&Pattern::Var(slot), value) => {
            slots[slot as usize] = value.clone();
            true
        }
        (Pattern::Pair(parts), Value::Pair(pair)) => fill(&parts.0, &pair.0, slots) && fill(&parts.1, &pair.1, slots),
        _ => false,
    }
}

/// A pattern as messages show it.
pub(crate) struct Shown<'p>(pub(crate) &'p Pattern<u32>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Pattern::Ignore | Pattern::Var(_) => f.write_str("_"),
            Pattern::Nil => f.write_str("()"),
            Pattern::Pair(parts) => {
                write!(f, "({}", Shown(&parts.0))?;
                let mut rest = &parts.1;
                while let Pattern::Pair(parts) = rest {
                    write!(f, " {}", Shown(&parts.0))?;
                    rest = &parts.1;
                }
                match rest {
                    Pattern::Nil => f.write_str(")"),
                    rest => write!(f, " . {})", Shown(rest)),
                }
            }
        }
    }
}

/// Maximum nesting depth to which values are shown.
const MAX_SHOWN: u32 = 500;

/// Maximum number of parts of a value that are shown. With shared parts there may be 2¹⁰⁰.
const MAX_SHOWN_PARTS: u32 = 200_000;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(f, MAX_SHOWN, &mut MAX_SHOWN_PARTS.clone())
    }
}

fn cons(first: Value, second: Value) -> Value {
    Value::Pair(Rc::new(Pair(first, second)))
}

impl Value {
    fn pair(&self) -> Option<(&Value, &Value)> {
        match self {
            Value::Pair(pair) => Some((&pair.0, &pair.1)),
            _ => None,
        }
    }

    /// The factors and nodes of a list of operands.
    fn operands(&self) -> impl Iterator<Item = (&Value, &Rc<Node>)> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let (operand, tail) = rest.pair()?;
            rest = tail;
            match operand.pair()? {
                (factor, Value::Node(node)) => Some((factor, node)),
                _ => None,
            }
        })
    }

    fn show(&self, f: &mut fmt::Formatter<'_>, depth: u32, left: &mut u32) -> fmt::Result {
        let Some(depth) = depth.checked_sub(1).filter(|_| *left > 0) else { return f.write_str("…") };
        *left -= 1;
        match self {
            Value::Nil => f.write_str("()"),
            Value::Bool(b) => f.write_str(if *b { "#t" } else { "#f" }),
            &Value::Real(bits) => f.write_str(&crate::show::real(bits)),
            Value::Token(_) => f.write_str("#[token]"),
            Value::Node(_) => f.write_str("#[node]"),
            Value::Closure(..) | Value::Primitive(_) => f.write_str("#[procedure]"),
            Value::Bundle(parts) => {
                f.write_str("#[dual ")?;
                parts[1].show(f, depth, left)?;
                f.write_str(" ")?;
                parts[2].show(f, depth, left)?;
                f.write_str("]")
            }
            Value::Pair(pair) => {
                f.write_str("(")?;
                pair.0.show(f, depth, left)?;
                let mut rest = &pair.1;
                while let Value::Pair(pair) = rest
                    && *left > 0
                {
                    f.write_str(" ")?;
                    pair.0.show(f, depth, left)?;
                    rest = &pair.1;
                }
                if !matches!(rest, Value::Nil) {
                    f.write_str(" . ")?;
                    rest.show(f, depth, left)?;
                }
                f.write_str(")")
            }
        }
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        release([&mut self.0, &mut self.1]);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        release([&mut self.1]);
    }
}

impl Drop for Captures {
    fn drop(&mut self) {
        release(&mut *self.0);
    }
}

/// Drops the parts of values without recursion: they may be nested deeper than the stack.
fn release<'v>(values: impl IntoIterator<Item = &'v mut Value>) {
    let mut open = Vec::new();
    take(values, &mut open);
    while let Some(value) = open.pop() {
        match value {
            Value::Pair(pair) => {
                if let Some(mut pair) = Rc::into_inner(pair) {
                    let Pair(first, second) = &mut pair;
                    take([first, second], &mut open);
                }
            }
            Value::Bundle(parts) => {
                if let Some(mut parts) = Rc::into_inner(parts) {
                    take(&mut parts, &mut open);
                }
            }
            Value::Node(node) => {
                if let Some(mut node) = Rc::into_inner(node) {
                    take([&mut node.1], &mut open);
                }
            }
            Value::Closure(_, captures) => {
                if let Some(mut captures) = Rc::into_inner(captures) {
                    take(&mut *captures.0, &mut open);
                }
            }
            _ => {}
        }
    }
}

/// Moves those of the values that have parts.
fn take<'v>(values: impl IntoIterator<Item = &'v mut Value>, open: &mut Vec<Value>) {
    let compound =
        |value: &&mut Value| matches!(value, Value::Pair(_) | Value::Bundle(_) | Value::Node(_) | Value::Closure(..));
    open.extend(values.into_iter().filter(compound).map(|value| std::mem::replace(value, Value::Nil)));
}
