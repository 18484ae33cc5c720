//! The record (tape) of reverse mode: nodes, and back propagation through them.
//!
//! A value contains only the age of a node. Its definition is known to the frame that created it or received it from a
//! call: so a procedure that computes with recorded numbers has one binding, independently of the size of the record
//! before it, and returns the definitions of the nodes in its result.
//!
//! At the merge of an unknown condition's arms, two nodes of one shape are joined to a node of that shape; any other
//! two to a node that is either of them.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::value::{Mismatch, NODE, Value, ValueId, Values};
use super::{Analysis, Frame};
use crate::core::Step;

/// Maximum depth to which nodes are compared for equal shape.
const MAX_ALIKE: u32 = 100;

/// The definition of a node, in the numbering of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Definition {
    /// An operation: a list of `(factor . node)`.
    Operation(ValueId),
    /// One of two, selected by an unknown condition; `None` is no node.
    Either(Option<u32>, Option<u32>),
}

/// The nodes of an unknown condition.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The slot of the condition.
    pub(crate) slot: u32,
    /// Those of the first arm are from here on,
    pub(crate) first: u32,
    /// those of the second from here on,
    pub(crate) middle: u32,
    /// those of the merge from here on,
    pub(crate) end: u32,
    /// and others from here on.
    pub(crate) after: u32,
    /// For nodes of one shape: the two that each node of the merge was joined from.
    pub(crate) alike: Vec<(u32, u32)>,
}

/// State of the join of two arms.
pub(crate) struct NodeJoin {
    given: u32,
    definitions: Vec<Definition>,
    /// The first node of the arms.
    first: u32,
    /// Whether only nodes of one shape are joined.
    alike: bool,
    depth: u32,
    /// The joined pairs, in order.
    pairs: Vec<(Option<u32>, Option<u32>)>,
    numbers: FxHashMap<(Option<u32>, Option<u32>), u32>,
    /// Nodes of either arm that are part of a pair; with `alike`, each may be part of one only.
    used: [FxHashSet<u32>; 2],
    /// The operands of the joined nodes, if nodes of one shape are joined.
    operands: Vec<ValueId>,
}

/// The operands of a node: factors and nodes.
pub(crate) fn operands(values: &Values, list: ValueId) -> Vec<(ValueId, u32)> {
    let (mut operands, mut rest) = (Vec::new(), list);
    while let Value::Pair(operand, tail) = values.get(rest) {
        if let Value::Pair(factor, node) = values.get(operand)
            && let Value::Node(node) = values.get(node)
        {
            operands.push((factor, node));
        }
        rest = tail;
    }
    operands
}

/// The nodes known to a frame.
#[derive(Clone, Default, Debug)]
pub(crate) struct Nodes {
    /// Number of nodes in captures and argument, whose definitions are unknown.
    pub(crate) given: u32,
    /// Definitions of the nodes after those.
    pub(crate) definitions: Vec<Definition>,
}

impl Nodes {
    pub(crate) fn next(&self) -> u32 {
        self.given + self.definitions.len() as u32
    }

    pub(crate) fn definition(&self, node: u32) -> Option<Definition> {
        self.definitions.get(node.checked_sub(self.given)? as usize).copied()
    }

    /// The nodes of a frame whose definitions values depend on, oldest first.
    pub(crate) fn needed(&self, values: &Values, roots: impl IntoIterator<Item = ValueId>) -> BTreeSet<u32> {
        let mut needed = BTreeSet::new();
        let mut open: Vec<u32> = roots.into_iter().flat_map(|value| values.nodes(value).collect::<Vec<_>>()).collect();
        while let Some(node) = open.pop() {
            let Some(definition) = self.definition(node).filter(|_| needed.insert(node)) else { continue };
            match definition {
                Definition::Operation(operands) => open.extend(values.nodes(operands)),
                Definition::Either(a, b) => open.extend(a.into_iter().chain(b)),
            }
        }
        needed
    }

    /// The operations that back propagation visits, newest first.
    pub(crate) fn reachable_from(&self, values: &Values, list: ValueId) -> Vec<u32> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<u32> = operands(values, list).into_iter().map(|(_, node)| node).collect();
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            match self.definition(node) {
                Some(Definition::Operation(list)) => {
                    open.extend(operands(values, list).into_iter().map(|(_, node)| node));
                }
                Some(Definition::Either(a, b)) => open.extend(a.into_iter().chain(b)),
                None => {}
            }
        }
        seen.into_iter().rev().collect()
    }

    /// The operations that a node may be; `known` caches other nodes.
    pub(crate) fn targets(&self, node: u32, known: &mut FxHashMap<u32, Rc<[u32]>>) -> Rc<[u32]> {
        let mut open = vec![node];
        while let Some(&at) = open.last() {
            let targets: Rc<[u32]> = match self.definition(at) {
                Some(Definition::Either(a, b)) => {
                    let parts: Vec<u32> = a.into_iter().chain(b).collect();
                    let missing: Vec<u32> = parts.iter().copied().filter(|part| !known.contains_key(part)).collect();
                    if !missing.is_empty() {
                        open.extend(missing);
                        continue;
                    }
                    let all: BTreeSet<u32> = parts.iter().flat_map(|part| known[part].iter().copied()).collect();
                    all.into_iter().collect()
                }
                _ => [at].into(),
            };
            known.insert(at, targets);
            open.pop();
        }
        known[&node].clone()
    }
}

impl Values {
    /// The numbers of the nodes in a value.
    pub(crate) fn nodes(&self, value: ValueId) -> impl Iterator<Item = u32> {
        let all = self.tokens(value).clone();
        let first = all.partition_point(|&t| t < NODE);
        (first..all.len()).map(move |index| all[index] & !NODE)
    }

    /// One more than the number of the last token in a value.
    pub(super) fn next_token(&self, value: ValueId) -> u32 {
        let all = self.tokens(value);
        let count = all.partition_point(|&t| t < NODE);
        all[..count].last().map_or(0, |last| last + 1)
    }

    /// One more than the number of the last node in a value.
    pub(super) fn next_node(&self, value: ValueId) -> u32 {
        self.nodes(value).last().map_or(0, |last| last + 1)
    }

    /// Joins two nodes at a merge; `None` if they cannot be joined.
    pub(super) fn join_nodes(&mut self, a: Option<u32>, b: Option<u32>) -> Option<ValueId> {
        let node_join = self.node_join.as_mut()?;
        let next = node_join.given + node_join.definitions.len() as u32;
        if let Some(&number) = node_join.numbers.get(&(a, b)) {
            return Some(self.intern(Value::Node(next + number)));
        }
        let number = node_join.pairs.len() as u32;
        if node_join.alike {
            let operands = |node: Option<u32>| {
                let node = node.filter(|&node| node >= node_join.first)?;
                match node_join.definitions[(node - node_join.given) as usize] {
                    Definition::Operation(operands) => Some((node, operands)),
                    Definition::Either(..) => None,
                }
            };
            let ((node_a, list_a), (node_b, list_b)) = (operands(a)?, operands(b)?);
            if !node_join.used[0].insert(node_a) || !node_join.used[1].insert(node_b) || node_join.depth > MAX_ALIKE {
                return None;
            }
            node_join.depth += 1;
            node_join.pairs.push((a, b));
            node_join.numbers.insert((a, b), number);
            node_join.operands.push(Values::NIL);
            let joined = self.join(list_a, list_b).ok()?;
            let node_join = self.node_join.as_mut()?;
            node_join.operands[number as usize] = joined;
            node_join.depth -= 1;
        } else {
            node_join.pairs.push((a, b));
            node_join.numbers.insert((a, b), number);
        }
        Some(self.intern(Value::Node(next + number)))
    }
}

impl NodeJoin {
    /// New numbers of the joined nodes in creation order, if that order is the same in both arms.
    fn places(&self) -> Option<Vec<u32>> {
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.sort_unstable_by_key(|&index| self.pairs[index].0);
        if !order.is_sorted_by_key(|&index| self.pairs[index].1) {
            return None;
        }
        let mut places = vec![0; order.len()];
        for (place, index) in order.into_iter().enumerate() {
            places[index] = place as u32;
        }
        Some(places)
    }
}

impl Analysis<'_> {
    /// The join of two arms' results, and the pairs of nodes of one shape joined there.
    pub(super) fn join_results(
        &mut self,
        a: ValueId,
        b: ValueId,
        first: u32,
        frame: &mut Frame,
    ) -> Result<(ValueId, Vec<(u32, u32)>), Mismatch> {
        let (mut result, mut node_join) = self.join_arms(a, b, first, true, frame);
        if let Some(places) = node_join.places().filter(|_| result.is_ok()) {
            let next = frame.nodes.next() | NODE;
            let number = |t: u32| if t < next { t } else { next + places[(t - next) as usize] };
            let joined = self.values.renumber(result?, &number);
            let mut alike = vec![(0, 0); places.len()];
            let mut definitions = vec![Definition::Either(None, None); places.len()];
            for (index, &place) in places.iter().enumerate() {
                let list = self.values.renumber(node_join.operands[index], &number);
                definitions[place as usize] = Definition::Operation(list);
                let (Some(a), Some(b)) = node_join.pairs[index] else { unreachable!("nodes that are alike are two") };
                alike[place as usize] = (a, b);
            }
            frame.nodes.definitions.extend(definitions);
            return Ok((joined, alike));
        }
        (result, node_join) = self.join_arms(a, b, first, false, frame);
        let joined = result?;
        frame.nodes.definitions.extend(node_join.pairs.iter().map(|&(a, b)| Definition::Either(a, b)));
        Ok((joined, Vec::new()))
    }

    fn join_arms(
        &mut self,
        a: ValueId,
        b: ValueId,
        first: u32,
        alike: bool,
        frame: &mut Frame,
    ) -> (Result<ValueId, Mismatch>, NodeJoin) {
        let definitions = std::mem::take(&mut frame.nodes.definitions);
        self.values.node_join = Some(NodeJoin {
            given: frame.nodes.given,
            definitions,
            first,
            alike,
            depth: 0,
            pairs: Vec::new(),
            numbers: FxHashMap::default(),
            used: Default::default(),
            operands: Vec::new(),
        });
        let joined = self.values.join(a, b);
        let mut node_join = self.values.node_join.take().expect("a join leaves it");
        frame.nodes.definitions = std::mem::take(&mut node_join.definitions);
        (joined, node_join)
    }

    /// The result of a frame, in the numbering of its binding (new tokens and nodes in order after those of captures
    /// and argument), the definitions of its new nodes, and their numbers in the frame.
    pub(super) fn result(
        &mut self,
        value: ValueId,
        given: u32,
        frame: &Frame,
    ) -> (ValueId, Rc<[Definition]>, Vec<u32>) {
        let needed: Vec<u32> = frame.nodes.needed(&self.values, [value]).into_iter().collect();
        let mut tokens = BTreeSet::from_iter(self.values.tokens(value).iter().copied().filter(|&t| t < NODE));
        for &node in &needed {
            if let Some(Definition::Operation(list)) = frame.nodes.definition(node) {
                tokens.extend(self.values.tokens(list).iter().copied().filter(|&t| t < NODE));
            }
        }
        let tokens: Vec<u32> = tokens.into_iter().filter(|&t| t >= given).collect();
        let place = |node: u32| frame.nodes.given + needed.partition_point(|&n| n < node) as u32;
        let number = |t: u32| match t & !NODE {
            _ if t < given => t,
            _ if t < NODE => given + tokens.partition_point(|&x| x < t) as u32,
            node if node < frame.nodes.given => t,
            node => place(node) | NODE,
        };
        let definitions = needed.iter().map(|&node| match frame.nodes.definition(node) {
            Some(Definition::Operation(list)) => Definition::Operation(self.values.renumber(list, &number)),
            Some(Definition::Either(a, b)) => {
                let number = |node: u32| number(node | NODE) & !NODE;
                Definition::Either(a.map(number), b.map(number))
            }
            None => unreachable!("only new nodes are needed"),
        });
        let definitions = definitions.collect();
        (self.values.renumber(value, &number), definitions, needed)
    }

    /// Propagates back through all nodes that operands depend on; returns a structure with the adjoints of its nodes.
    pub(super) fn propagate_back(&mut self, argument: ValueId, step: &Step, frame: &mut Frame) -> Option<ValueId> {
        let Value::Pair(accumulate, rest) = self.values.get(argument) else { return None };
        let Value::Pair(adjoint_of, rest) = self.values.get(rest) else { return None };
        let Value::Pair(list, structure) = self.values.get(rest) else { return None };
        let mut back = Back { accumulate, adjoints: FxHashMap::default(), targets: FxHashMap::default() };
        let one = self.values.real(1f64.to_bits());
        let mut result = self.propagate(one, list, &mut back, step, frame);
        for node in frame.nodes.reachable_from(&self.values, list) {
            let (Some(Definition::Operation(list)), Some(&adjoint)) =
                (frame.nodes.definition(node), back.adjoints.get(&node))
            else {
                continue;
            };
            result = result.and_then(|()| self.propagate(adjoint, list, &mut back, step, frame));
        }
        Some(match result {
            Some(()) => self.gather(adjoint_of, structure, &back, step, frame).unwrap_or(Values::BOTTOM),
            None => Values::BOTTOM,
        })
    }

    /// Adds an adjoint's contribution to operands; `None` while the result is bottom.
    fn propagate(
        &mut self,
        adjoint: ValueId,
        list: ValueId,
        back: &mut Back,
        step: &Step,
        frame: &mut Frame,
    ) -> Option<()> {
        for (factor, node) in operands(&self.values, list) {
            let targets = frame.nodes.targets(node, &mut back.targets);
            let is_certain = *targets == [node];
            for &target in &*targets {
                let open = if is_certain { Values::NIL } else { Values::BOOL };
                let before = back.adjoints.get(&target).copied().unwrap_or(Values::NIL);
                let rest = self.values.pair(factor, open);
                let rest = self.values.pair(adjoint, rest);
                let argument = self.values.pair(before, rest);
                let now = self.apply(back.accumulate, argument, step, frame);
                if now == Values::BOTTOM {
                    return None;
                }
                back.adjoints.insert(target, now);
            }
        }
        Some(())
    }

    /// A structure with what has arrived at its nodes.
    /// Recursion: as deep as the structure nests, at most `MAX_HEIGHT`; tails of lists are a loop.
    fn gather(
        &mut self,
        adjoint_of: ValueId,
        structure: ValueId,
        back: &Back,
        step: &Step,
        frame: &mut Frame,
    ) -> Option<ValueId> {
        let (mut items, mut rest) = (Vec::new(), structure);
        while let Value::Pair(item, tail) = self.values.get(rest) {
            items.push(self.gather(adjoint_of, item, back, step, frame)?);
            rest = tail;
        }
        if let Value::Node(node) = self.values.get(rest) {
            let adjoint = back.adjoints.get(&node).copied().unwrap_or(Values::NIL);
            rest = self.apply(adjoint_of, adjoint, step, frame);
        }
        let rest = Some(rest).filter(|&rest| rest != Values::BOTTOM)?;
        Some(items.into_iter().rev().fold(rest, |rest, item| self.values.pair(item, rest)))
    }
}

/// State of back propagation.
struct Back {
    /// Procedure that adds to the adjoint of a node its contribution from one use: adjoint of the user, factor.
    accumulate: ValueId,
    adjoints: FxHashMap<u32, ValueId>,
    targets: FxHashMap<u32, Rc<[u32]>>,
}
