//! The code of reverse mode's record: the factors of each node are scalars of the frame that created it, and of those
//! that it is returned to.

use std::rc::Rc;

use planish_ir::builder::IfBlocks;
use planish_ir::entity::{Type, Value as IrValue};
use planish_ir::ops::Op;
use rustc_hash::FxHashMap;

use super::Generator;
use super::function::{Code, Parts};
use crate::analyze::record::{Definition, Region, operands};
use crate::analyze::value::{Value, ValueId};
use crate::analyze::{Binding, Call};
use crate::core::Step;

impl Generator<'_, '_> {
    /// The types of the scalars of a node.
    pub(super) fn node_types(&self, definition: Definition) -> Vec<Type> {
        match definition {
            Definition::Operation(list) => self.types_of(list),
            Definition::Either(..) => vec![Type::BOOL],
        }
    }

    /// The types of a binding's result: its value and its nodes.
    pub(super) fn given_types(&self, binding: &Binding) -> Vec<Type> {
        let nodes = binding.definitions.iter().flat_map(|&definition| self.node_types(definition));
        self.types_of(binding.value).into_iter().chain(nodes).collect()
    }
}

/// The nodes that are live after a condition, with their types.
pub(super) struct Kept<'a> {
    region: &'a Region,
    nodes: Vec<(u32, Vec<Type>)>,
}

impl<'a> Code<'_, 'a, '_, '_> {
    /// Defines the nodes that a binding returned after its value.
    pub(super) fn receive(&mut self, call: Call, parts: &mut Parts) {
        let analysis = self.generator.analysis;
        let binding = analysis.binding(call.binding);
        let mut start = analysis.values.width(binding.value);
        let width = start;
        for (index, &definition) in binding.definitions.iter().enumerate() {
            let end = start + self.generator.node_types(definition).len();
            let node = parts.get(start..end).unwrap_or_default();
            self.nodes.insert(call.first_node + index as u32, node.into());
            start = end;
        }
        parts.truncate(width);
    }

    /// The scalars of the nodes that the function returns after its value.
    pub(super) fn returned_nodes(&self) -> Parts {
        self.binding.returned_nodes.iter().flat_map(|node| self.nodes[node].iter().copied()).collect()
    }

    fn node_definition(&self, node: u32) -> Definition {
        self.binding.nodes.definition(node).expect("only nodes of the frame have scalars")
    }

    /// The nodes of the arms of a condition that are live after it, where the value is `joined`.
    pub(super) fn kept(&self, slot: u32, joined: ValueId) -> Option<Kept<'a>> {
        let region = self.binding.region(slot)?;
        let values = &self.generator.analysis.values;
        let needed = self.binding.nodes.needed(values, [joined]);
        let is_defined_here = |node: &u32| {
            (region.first..region.end).contains(node)
                || !region.alike.is_empty() && (region.end..region.after).contains(node)
        };
        let nodes = needed.into_iter().filter(is_defined_here);
        let nodes = nodes.map(|node| (node, self.generator.node_types(self.node_definition(node)))).collect();
        Some(Kept { region, nodes })
    }

    /// Appends the scalars of the live nodes, as defined in one arm, to its results.
    pub(super) fn keep(&mut self, kept: &Kept<'_>, is_first: bool, parts: &mut Parts) {
        let region = kept.region;
        for (node, types) in &kept.nodes {
            if let Some(&(a, b)) = node.checked_sub(region.end).and_then(|index| region.alike.get(index as usize)) {
                let from = if is_first { a } else { b };
                let (Definition::Operation(given), Definition::Operation(wanted)) =
                    (self.node_definition(from), self.node_definition(*node))
                else {
                    unreachable!("nodes that are alike are operations")
                };
                let scalars = self.nodes[&from].clone();
                parts.extend(self.convert(&scalars, given, wanted));
            } else if (*node < region.middle) == is_first {
                parts.extend(self.nodes[node].iter().copied());
            } else {
                // A node of the arm that is not taken: never used.
                for &ty in types {
                    let nothing = if ty == Type::BOOL { self.b.bool(false) } else { self.real(0) };
                    parts.push(nothing);
                }
            }
        }
    }

    /// Defines the nodes that are live after a condition.
    pub(super) fn know(&mut self, kept: &Kept<'_>, test: IrValue, ifs: &IfBlocks) {
        for (node, types) in &kept.nodes {
            let scalars = types
                .iter()
                .map(|&ty| self.b.add_input(ifs.merge, ty, planish_ir::decoration::Precision::None))
                .collect();
            self.nodes.insert(*node, scalars);
        }
        for node in kept.region.end..kept.region.after {
            if let Definition::Either(..) = self.node_definition(node) {
                self.nodes.insert(node, [test].into_iter().collect());
            }
        }
    }

    /// Hands back: the same calls in the same order as in the analysis.
    pub(super) fn propagate_back(&mut self, step: &Step, argument: ValueId, parts: &[IrValue]) -> Option<Parts> {
        let values = &self.generator.analysis.values;
        let two = |value: ValueId, parts: &[IrValue]| {
            let Value::Pair(a, b) = values.get(value) else { unreachable!("the analysis has been here") };
            let (first, second) = parts.split_at(values.width(a));
            (a, Parts::from(first), b, Parts::from(second))
        };
        let (_, accumulate, rest, parts) = two(argument, parts);
        let (_, adjoint_of, rest, parts) = two(rest, &parts);
        let (list, operand_parts, structure, parts) = two(rest, &parts);
        let calls = self.binding.calls(step.slot).collect::<Vec<_>>().into_iter();
        let mut back = Back {
            accumulate,
            calls,
            adjoints: FxHashMap::default(),
            targets: FxHashMap::default(),
            open: FxHashMap::default(),
        };
        self.propagate(&Parts::new(), list, &operand_parts, &mut back)?;
        for node in self.binding.nodes.reachable_from(values, list) {
            let (Some(Definition::Operation(list)), Some(adjoint)) =
                (self.binding.nodes.definition(node), back.adjoints.get(&node).cloned())
            else {
                continue;
            };
            let operand_parts = self.nodes[&node].clone();
            self.propagate(&adjoint, list, &operand_parts, &mut back)?;
        }
        let mut result = Parts::new();
        self.gather(structure, &mut parts.iter().copied(), &adjoint_of, &mut back, &mut result)?;
        Some(result)
    }

    fn propagate(&mut self, adjoint: &Parts, list: ValueId, operand_parts: &[IrValue], back: &mut Back) -> Option<()> {
        let values = &self.generator.analysis.values;
        let mut start = 0;
        for (factor, node) in operands(values, list) {
            let end = start + values.width(factor);
            for (target, open) in self.open_targets(node, back) {
                let mut argument = back.adjoints.get(&target).cloned().unwrap_or_default();
                argument.extend_from_slice(adjoint);
                argument.extend_from_slice(&operand_parts[start..end]);
                argument.extend(open);
                let accumulate = back.accumulate.clone();
                let call = back.calls.next().expect("the analysis has been here");
                let now = self.call(call, &accumulate, &argument)?;
                back.adjoints.insert(target, now);
            }
            start = end;
        }
        Some(())
    }

    /// The operations that a node may be, each with the condition that it is that one.
    fn open_targets(&mut self, node: u32, back: &mut Back) -> Vec<(u32, Option<IrValue>)> {
        let targets = self.binding.nodes.targets(node, &mut back.targets);
        if *targets == [node] {
            return vec![(node, None)];
        }
        targets.iter().map(|&target| (target, Some(self.is_open(node, target, back)))).collect()
    }

    /// Whether a node is a given operation.
    fn is_open(&mut self, node: u32, target: u32, back: &mut Back) -> IrValue {
        if let Some(&known) = back.open.get(&(node, target)) {
            return known;
        }
        // Dependencies first, without recursion: each is older.
        let mut needed = vec![node];
        let mut next = 0;
        while next < needed.len() {
            if let Some(Definition::Either(a, b)) = self.binding.nodes.definition(needed[next]) {
                for part in a.into_iter().chain(b) {
                    if !back.open.contains_key(&(part, target)) && !needed.contains(&part) {
                        needed.push(part);
                    }
                }
            }
            next += 1;
        }
        needed.sort_unstable();
        for node in needed {
            let open = match self.binding.nodes.definition(node) {
                Some(Definition::Either(a, b)) => {
                    let test = self.nodes[&node][0];
                    let no = self.b.bool(false);
                    let [a, b] = [a, b].map(|part| part.map_or(no, |part| back.open[&(part, target)]));
                    self.b.op(Op::Select, &[test, a, b])
                }
                _ => self.b.bool(node == target),
            };
            back.open.insert((node, target), open);
        }
        back.open[&(node, target)]
    }

    /// Recursion: as deep as the structure nests, at most `MAX_HEIGHT`; tails of lists are a loop.
    fn gather(
        &mut self,
        structure: ValueId,
        parts: &mut dyn Iterator<Item = IrValue>,
        adjoint_of: &Parts,
        back: &mut Back,
        result: &mut Parts,
    ) -> Option<()> {
        let values = &self.generator.analysis.values;
        let mut rest = structure;
        while let Value::Pair(item, tail) = values.get(rest) {
            self.gather(item, parts, adjoint_of, back, result)?;
            rest = tail;
        }
        match values.get(rest) {
            Value::Node(node) => {
                let adjoint = back.adjoints.get(&node).cloned().unwrap_or_default();
                let call = back.calls.next().expect("the analysis has been here");
                result.extend(self.call(call, adjoint_of, &adjoint)?);
            }
            _ => result.extend(parts.take(values.width(rest))),
        }
        Some(())
    }
}

/// State of back propagation.
struct Back {
    accumulate: Parts,
    calls: std::vec::IntoIter<Call>,
    adjoints: FxHashMap<u32, Parts>,
    targets: FxHashMap<u32, Rc<[u32]>>,
    /// Whether a node (first) is an operation (second).
    open: FxHashMap<(u32, u32), IrValue>,
}
