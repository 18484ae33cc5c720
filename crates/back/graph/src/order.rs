//! Last step of construction: dead nodes are removed, the others sorted and numbered, with names and locations.

use planish_ir::module::Module;
use planish_ir::source::{SourceMap, Span};
use rustc_hash::FxHashMap;

use crate::build::{Draft, Drafts};
use crate::graph::{Graph, Group, Input, Kind, Node, NodeId, Output, Resource, Source, Uniform};
use crate::interface::Interface;
use crate::places::{Leaf, Root};

/// Builds the graph from the drafts.
pub(crate) fn finish(mut built: Drafts<'_>, interface: &Interface<'_>) -> Graph {
    let sinks = add_sinks(&mut built);
    let live = live(&built, &sinks);
    let order = order(&built, &live);
    let mut number = vec![NodeId::MAX; built.drafts.len()];
    for (new, &old) in order.iter().enumerate() {
        number[old as usize] = new as NodeId;
    }
    let function = &built.module.funcs[built.func];
    let mut graph = Graph {
        function: function.name.text.to_string(),
        stage: stage(built.module, &built),
        types: std::mem::take(&mut built.shapes.rows),
        functions: std::mem::take(&mut built.functions),
        ..Graph::default()
    };
    let sources = sources(built.options.map, &order, &built.drafts, &mut graph.files);
    for &old in &order {
        let Draft { mut node, span, local } = built.drafts[old as usize].clone();
        let id = graph.nodes.len() as NodeId;
        let operands = &built.pool[node.operands.0 as usize..][..node.operands.1 as usize];
        node.operands.0 = graph.pool.len() as u32;
        graph.pool.extend(operands.iter().map(|&o| number[o as usize]));
        node.source = sources.get(&span.start).copied();
        match node.kind {
            Kind::Constant(i) => {
                node.kind = Kind::Constant(graph.constants.len() as u32);
                graph.constants.push(built.constants[i as usize].clone());
            }
            // It computes nothing: the group only placed it beside its op.
            Kind::Result(_) => node.group = None,
            _ => {}
        }
        if let Some(name) = local.and_then(|local| (built.options.name)(local)) {
            graph.names.insert(id, name);
        }
        graph.nodes.push(node);
    }
    list_leaves(&mut graph, &built, interface, &number);
    list_outputs(&mut graph, &built, interface, &sinks, &number);
    graph
}

/// The stage of an entry point; `None` for other functions.
fn stage(module: &Module, built: &Drafts<'_>) -> Option<planish_ir::module::Stage> {
    module.entry_points.iter().find(|e| e.func == built.func).and_then(|e| e.stage)
}

/// Adds the sinks: outputs in the order of their declarations, then results, then `discard`, then traps.
fn add_sinks(built: &mut Drafts<'_>) -> Vec<NodeId> {
    built.outputs.sort_by(|a, b| a.0.cmp(&b.0));
    let values: Vec<NodeId> = built.outputs.iter().map(|o| o.1).chain(built.results.iter().copied()).collect();
    let mut sinks = vec![];
    let kinds = values.iter().enumerate().map(|(i, &value)| (Kind::Output(i as u32), value));
    let ends = built.discard.map(|mask| (Kind::Discard, mask)).into_iter();
    let ends = ends.chain(built.traps.iter().map(|&(mask, kind)| (Kind::Trap(kind), mask)));
    for (kind, value) in kinds.chain(ends) {
        let operands = (built.pool.len() as u32, 1);
        built.pool.push(value);
        let node = Node {
            kind,
            group: None,
            cost: 0,
            precise: false,
            span: Span::NONE,
            operands,
            ..built.drafts[value as usize].node
        };
        sinks.push(built.drafts.len() as NodeId);
        built.drafts.push(Draft { node, span: Span::NONE, local: None });
    }
    sinks
}

/// Marks the live drafts. Operands have smaller indices than their users, so one sweep suffices.
fn live(built: &Drafts<'_>, sinks: &[NodeId]) -> Vec<bool> {
    let mut live = vec![false; built.drafts.len()];
    sinks.iter().for_each(|&s| live[s as usize] = true);
    for (id, draft) in built.drafts.iter().enumerate().rev() {
        if live[id] {
            let (start, count) = draft.node.operands;
            built.pool[start as usize..][..count as usize].iter().for_each(|&o| live[o as usize] = true);
        }
    }
    live
}

/// The old indices in the new order. A preshader node has no operands per pixel, so operands still precede their users.
fn order(built: &Drafts<'_>, live: &[bool]) -> Vec<NodeId> {
    let mut ranks: [Vec<NodeId>; 7] = Default::default();
    let mut leaves: Vec<&(Leaf, NodeId)> = built.leaves.iter().collect();
    leaves.sort_by(|a, b| a.0.cmp(&b.0));
    let rank = |node: &Node| match (node.kind, node.group) {
        (Kind::Input(_), _) => 0,
        (Kind::Uniform(_), _) => 1,
        (Kind::Resource(_), _) => 2,
        (Kind::Constant(_), _) => 3,
        (kind, _) if kind.is_sink() => 6,
        (_, Some(Group::Preshader)) => 4,
        _ => 5,
    };
    for &&(_, id) in leaves.iter().filter(|l| live[l.1 as usize]) {
        ranks[rank(&built.drafts[id as usize].node)].push(id);
    }
    for (id, draft) in built.drafts.iter().enumerate().filter(|(id, _)| live[*id]) {
        let rank = rank(&draft.node);
        if rank > 2 {
            ranks[rank].push(id as NodeId);
        }
    }
    ranks.concat()
}

fn list_leaves(graph: &mut Graph, built: &Drafts<'_>, interface: &Interface<'_>, number: &[NodeId]) {
    let mut leaves: Vec<(NodeId, &Leaf)> =
        built.leaves.iter().map(|(leaf, old)| (number[*old as usize], leaf)).filter(|l| l.0 != NodeId::MAX).collect();
    leaves.sort_by_key(|l| l.0);
    for (node, leaf) in leaves {
        let name = interface.name(leaf);
        let ty = graph.nodes[node as usize].ty;
        let kind = &mut graph.nodes[node as usize].kind;
        match kind {
            Kind::Uniform(_) => {
                *kind = Kind::Uniform(graph.uniforms.len() as u32);
                let (kind, default) = (interface.uniform(leaf), interface.default_of(leaf));
                graph.uniforms.push(Uniform { name, ty, kind, node, default, is_color: false });
            }
            Kind::Resource(_) => {
                *kind = Kind::Resource(graph.resources.len() as u32);
                let (binding, sampler) = interface.resource(leaf);
                graph.resources.push(Resource { name, ty, binding, sampler, node });
            }
            _ => {
                *kind = Kind::Input(graph.inputs.len() as u32);
                graph.inputs.push(Input { name, ty, kind: interface.input(leaf), node });
            }
        }
    }
}

fn list_outputs(graph: &mut Graph, built: &Drafts<'_>, interface: &Interface<'_>, sinks: &[NodeId], number: &[NodeId]) {
    for (i, &sink) in sinks.iter().enumerate() {
        let node = number[sink as usize];
        let ty = graph.nodes[node as usize].ty;
        match graph.nodes[node as usize].kind {
            Kind::Discard => {
                graph.discard = Some(node);
                continue;
            }
            Kind::Trap(_) => {
                graph.traps.push(node);
                continue;
            }
            _ => {}
        }
        let output = match built.outputs.get(i) {
            Some((leaf, _)) => {
                let (location, builtin) = match leaf.root {
                    Root::Var(_) => interface.output(leaf),
                    Root::Param(_) => (None, None),
                };
                Output { name: interface.name(leaf), ty, location, builtin, node }
            }
            None => {
                let number = i - built.outputs.len();
                let name = if built.results.len() == 1 { "result".into() } else { format!("result{number}") };
                Output { name, ty, location: None, builtin: None, node }
            }
        };
        graph.outputs.push(output);
    }
}

/// Line and column of the starts of spans, by offset. Each line is scanned once.
fn sources(
    map: Option<&SourceMap>,
    order: &[NodeId],
    drafts: &[Draft],
    files: &mut Vec<String>,
) -> FxHashMap<u32, Source> {
    let mut known = FxHashMap::default();
    let Some(map) = map else { return known };
    let mut starts: Vec<u32> =
        order.iter().map(|&id| drafts[id as usize].span).filter(|s| !s.is_none()).map(|s| s.start).collect();
    starts.sort_unstable();
    starts.dedup();
    // File, line, column, and byte offset reached.
    let mut at: Option<(u32, usize, u32, usize)> = None;
    for start in starts {
        let Some(file) = map.file_at(start) else { continue };
        let offset = (start - file.start) as usize;
        let line = file.line_at(offset as u32);
        if files.last().is_none_or(|name| **name != *file.name) {
            files.push(file.name.to_string());
            at = None;
        }
        let (mut column, mut from) = (1, file.line_starts()[line] as usize);
        if let Some((_, l, c, b)) = at.filter(|a| a.1 == line) {
            debug_assert_eq!(l, line);
            (column, from) = (c, b);
        }
        // Counts characters: bytes that are not continuation bytes. A binary has no text.
        let end = offset.min(file.text.len());
        let text = &file.text.as_bytes()[from.min(end)..end];
        column += text.iter().filter(|&&b| b & 0xc0 != 0x80).count() as u32;
        let index = files.len() as u32 - 1;
        at = Some((index, line, column, offset));
        known.insert(start, Source { file: index, line: line as u32 + 1, column });
    }
    known
}
