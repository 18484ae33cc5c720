//! Value numbering of loops: a loop without effects is described by its computation, and if the same has been computed in a
//! place that always comes before, its values are taken.

use std::hash::{Hash, Hasher};

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Local, Value, ValueKind};
use planish_ir::function::{Args, Exit};
use planish_ir::walk::{Event, events};
use rustc_hash::{FxHashMap, FxHasher};

use super::engine::Engine;
use super::state::{Delta, Key};

/// Maximum length of a description in words: longer ones are not compared. A nest would be described again at each of its levels.
const MOST_WORDS: usize = 512;

/// A loop that has been written.
struct Known {
    /// The description of its computation.
    words: Vec<u64>,
    /// Its key among the nodes that are made once.
    number: u32,
    /// Its values, in the order of the description.
    values: Vec<Local>,
    /// The one before with the same hash.
    before: Option<usize>,
}

/// A new loop that is complete but for its owner's exit.
pub(super) struct Finished<'a> {
    pub(super) source: Block,
    pub(super) owner: Block,
    /// The first blocks of its chains.
    pub(super) chains: &'a [Block],
    pub(super) merge: Block,
    /// Arguments of the header on entry.
    pub(super) entry: &'a [Value],
    /// Values of its merge block's inputs.
    pub(super) args: &'a [Value],
    pub(super) delta: &'a Delta,
    /// Local values made before it.
    pub(super) limit: u32,
}

/// The values of an equal loop that replace those of a loop.
pub(super) struct Shared {
    pub(super) args: Args,
    pub(super) delta: Delta,
    /// For the source condition's values that are used after the loop.
    pub(super) escaped: Vec<(Local, Value)>,
}

/// The loops without effects that have been written.
#[derive(Default)]
pub(super) struct Loops {
    all: Vec<Known>,
    /// By hash of the description: the last one.
    last: FxHashMap<u64, usize>,
}

impl Loops {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Forgets all but the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        while self.all.len() > len {
            let known = self.all.pop().expect("there are more");
            match known.before {
                Some(before) => self.last.insert(hash(&known.words), before),
                None => self.last.remove(&hash(&known.words)),
            };
        }
    }

    fn find(&self, words: &[u64], is_here: impl Fn(u32) -> bool) -> Option<&Known> {
        let mut at = self.last.get(&hash(words)).copied();
        while let Some(known) = at.map(|at| &self.all[at]) {
            if known.words == words && is_here(known.number) {
                return Some(known);
            }
            at = known.before;
        }
        None
    }

    fn add(&mut self, words: Vec<u64>, number: u32, values: Vec<Local>) {
        let before = self.last.insert(hash(&words), self.all.len());
        self.all.push(Known { words, number, values, before });
    }
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    words.hash(&mut hasher);
    hasher.finish()
}

/// A canonical description of a loop, and its values in the order of the description.
pub(super) struct Description {
    words: Vec<u64>,
    values: Vec<Local>,
    numbers: FxHashMap<Local, u32>,
}

impl Engine<'_, '_, '_> {
    /// Replacements for the results of a loop without effects, if the same has been computed before. The loop is complete but
    /// for its owner's exit.
    pub(super) fn find_equal(&mut self, this: &Finished<'_>) -> Option<Shared> {
        if !self.policy.facts {
            return None;
        }
        let limit = this.limit;
        let description = self.describe(this.owner, this.chains, this.merge, limit)?;
        let equal = self.equal_loop(description, this.entry, limit)?;
        let stand_in = |engine: &mut Self, v: Value| equal.value(v, !engine.is_visible(v, limit));
        let args = this.args.iter().map(|&v| stand_in(self, v)).collect::<Option<Args>>()?;
        let mut delta = Delta::new();
        for &(key, value) in this.delta {
            let value = match (key, value) {
                (Key::Slot(_), Some(value)) => Some(stand_in(self, value)?),
                // Facts that hold in it only are not part of it.
                _ => None,
            };
            delta.push((key, value));
        }
        let source = self.source();
        let mut escaped = Vec::new();
        for &local in source.escapes(this.source) {
            if let Some(value) = self.frame().values[local] {
                escaped.push((local, stand_in(self, value)?));
            }
        }
        Some(Shared { args, delta, escaped })
    }

    /// Describes the loop that consists of the chains that begin with `chains`, whose body has its exits; `None` if it has an
    /// effect or is left otherwise than to its merge block. `limit` is the number of local values before it.
    pub(super) fn describe(&mut self, owner: Block, chains: &[Block], merge: Block, limit: u32) -> Option<Description> {
        let mut blocks: Vec<Block> = Vec::new();
        for &chain in chains {
            let entered = events(self.b.body(), chain).filter_map(|e| match e {
                Event::Enter { block, .. } => Some(block),
                Event::Leave { .. } => None,
            });
            for block in entered {
                let data = &self.b.body().blocks[block];
                if !data.nodes.is_empty() || !data.variables.is_empty() || blocks.len() > MOST_WORDS {
                    return None;
                }
                blocks.push(block);
            }
        }
        let mut labels: FxHashMap<Block, u64> = FxHashMap::default();
        labels.insert(owner, 0);
        for (i, &block) in blocks.iter().enumerate() {
            labels.insert(block, i as u64 + 1);
        }
        let mut description = Description { words: Vec::new(), values: Vec::new(), numbers: FxHashMap::default() };
        for &block in blocks.iter().chain([&merge]) {
            let data = &self.b.body().blocks[block];
            if !data.nodes.is_empty() || !data.variables.is_empty() {
                return None;
            }
            description.words.push(data.inputs.len() as u64);
            for input in data.inputs.clone() {
                description.words.push(u64::from(self.b.body().local_type(input).as_u32()));
                description.number(input);
            }
        }
        for &block in &blocks {
            let exit = self.b.body().blocks[block].exit.clone();
            let (kind, label) = match &exit {
                Exit::If { .. } => (1, None),
                Exit::Loop { .. } => (2, None),
                Exit::DoLoop { .. } => (3, None),
                Exit::Merge(_) => (4, None),
                Exit::Break(label, _) => (5, Some(*label)),
                Exit::Continue(label, _) => (6, Some(*label)),
                Exit::LoopIf { .. } => (7, None),
                Exit::NextBlock { .. } => (8, None),
                _ => return None,
            };
            description.words.push(kind);
            if let Some(label) = label {
                description.words.push(*labels.get(&label)?);
            }
            let mut operands = Vec::new();
            exit.for_each_operand(|v| operands.push(v));
            for value in operands {
                self.describe_value(&mut description, value, limit)?;
            }
            if description.words.len() > MOST_WORDS {
                return None;
            }
        }
        Some(description)
    }

    /// Adds a value, and before it its operands in the loop.
    fn describe_value(&mut self, to: &mut Description, value: Value, limit: u32) -> Option<()> {
        let mut stack = vec![(value, false)];
        while let Some((value, ready)) = stack.pop() {
            let Some(local) = self.inside(value, limit) else { continue };
            if to.numbers.contains_key(&local) {
                continue;
            }
            if to.words.len() > MOST_WORDS {
                return None;
            }
            let node = self.b.body().node_of(value)?;
            let args = self.b.body().args(node).to_vec();
            if !ready {
                stack.push((value, true));
                stack.extend(args.into_iter().rev().map(|a| (a, false)));
                continue;
            }
            let data = *self.b.body().node(node);
            to.words.extend([data.op as u64 + 100, data.imm.0, u64::from(data.precise), args.len() as u64]);
            to.words.push(u64::from(self.b.body().local_type(local).as_u32()));
            for arg in args {
                self.word(to, arg, limit);
            }
            to.number(local);
        }
        self.word(to, value, limit);
        Some(())
    }

    /// The local, if a value is made of something that is bound in the loop.
    fn inside(&mut self, value: Value, limit: u32) -> Option<Local> {
        value.as_local().filter(|_| !self.is_visible(value, limit))
    }

    fn word(&mut self, to: &mut Description, value: Value, limit: u32) {
        if let Some(local) = self.inside(value, limit) {
            to.words.extend([9, u64::from(to.numbers[&local])]);
            return;
        }
        to.words.extend(match value.kind() {
            ValueKind::Local(local) => [10, local.index() as u64],
            ValueKind::Const(constant) => [11, u64::from(constant.as_u32())],
            ValueKind::Var(var) => [12, u64::from(var.as_u32())],
            ValueKind::Func(func) => [13, u64::from(func.as_u32())],
        });
    }

    /// The values of a loop that is equal to the one that is described, for those of this one; else it is noted as known.
    pub(super) fn equal_loop(&mut self, mut description: Description, entry: &[Value], limit: u32) -> Option<Equal> {
        for &value in entry {
            self.word(&mut description, value, limit);
        }
        let Description { words, values, numbers } = description;
        let is_here = |number: u32| self.state.get(Key::Made(number)).is_some();
        if let Some(known) = self.loops.find(&words, is_here) {
            return Some(Equal { values: known.values.clone(), numbers });
        }
        let &first = values.first()?;
        let number = self.next_made();
        self.loops.add(words, number, values);
        self.state.set(Key::Made(number), Some(first.into()));
        None
    }
}

/// The replacements of the values of a loop that an equal one has computed.
pub(super) struct Equal {
    values: Vec<Local>,
    numbers: FxHashMap<Local, u32>,
}

impl Equal {
    /// The replacement of a value; `inside`: whether it is one of the loop's. `None` if the description does not have it.
    pub(super) fn value(&self, value: Value, inside: bool) -> Option<Value> {
        if !inside {
            return Some(value);
        }
        let number = *self.numbers.get(&value.as_local()?)?;
        Some(self.values[number as usize].into())
    }
}

impl Description {
    fn number(&mut self, local: Local) {
        self.numbers.insert(local, self.values.len() as u32);
        self.values.push(local);
    }
}
