//! The graph in the DOT language of Graphviz: `dot -Tsvg`.

use std::fmt::{self, Write};

use crate::graph::{Graph, Group, Kind, NodeId};
use crate::label;

/// The graph in the DOT language.
pub fn text(graph: &Graph) -> String {
    let mut out = String::new();
    write(graph, &mut out).expect("a string takes all");
    out
}

/// Writes the graph in the DOT language: a cluster for the preshader and one for the nodes per pixel; edges in the
/// order of the operands; constants and samplers in the boxes.
///
/// # Errors
/// Those of `out`.
pub fn write(graph: &Graph, out: &mut dyn Write) -> fmt::Result {
    write!(out, "digraph ")?;
    quoted(out, &graph.function)?;
    out.write_str(" {\n  graph [ordering=in, rankdir=TB, fontname=\"monospace\", nodesep=0.25, ranksep=0.35];\n")?;
    out.write_str("  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", fontname=\"monospace\", ")?;
    out.write_str("fontsize=11, margin=\"0.08,0.03\", height=0.3];\n  edge [arrowsize=0.6, color=\"#5b6573\"];\n\n")?;
    let mut clusters: [Vec<NodeId>; 3] = Default::default();
    let mut at = 0;
    for (id, node) in graph.nodes.iter().enumerate() {
        at = match (node.kind, node.group) {
            (Kind::Result(_), _) => at,
            (_, Some(Group::Preshader)) => 1,
            (_, Some(Group::Pixel)) => 2,
            (_, None) => 0,
        };
        if !label::is_inline(graph, id as NodeId) || !graph.operands(node).is_empty() {
            clusters[at].push(id as NodeId);
        }
    }
    for &id in &clusters[0] {
        write_node(graph, out, id, "  ")?;
    }
    let titles = [("preshader", "preshader", "#e8f1fb"), ("pixel", "per pixel", "#f7f4ec")];
    for (ids, (name, title, colour)) in clusters[1..].iter().zip(titles).filter(|(ids, _)| !ids.is_empty()) {
        writeln!(out, "\n  subgraph cluster_{name} {{\n    label=\"{title}\"; style=\"rounded,filled\";")?;
        writeln!(out, "    color=\"#c9d1da\"; fillcolor=\"{colour}\";")?;
        for &id in ids {
            write_node(graph, out, id, "    ")?;
        }
        out.write_str("  }\n")?;
    }
    out.write_char('\n')?;
    for (id, node) in graph.nodes.iter().enumerate() {
        for &operand in graph.operands(node) {
            if !label::is_inline(graph, operand) || node.kind.is_sink() {
                writeln!(out, "  n{operand} -> n{id};")?;
            }
        }
    }
    // A constant that is an output has a box.
    for &operand in graph.nodes.iter().filter(|n| n.kind.is_sink()).flat_map(|n| graph.operands(n)) {
        if label::is_inline(graph, operand) {
            write_node(graph, out, operand, "  ")?;
        }
    }
    out.write_str("}\n")
}

fn write_node(graph: &Graph, out: &mut dyn Write, id: NodeId, indent: &str) -> fmt::Result {
    let node = &graph.nodes[id as usize];
    write!(out, "{indent}n{id} [label=")?;
    quoted(out, &label::text(graph, id))?;
    let look = match node.kind {
        Kind::Input(_) => ", shape=ellipse, fillcolor=\"#d8f0dc\"",
        Kind::Uniform(_) | Kind::Resource(_) => ", shape=ellipse, fillcolor=\"#d6e6fa\"",
        Kind::Constant(_) => ", shape=plaintext, style=\"\"",
        Kind::Output(_) => ", style=\"filled,bold\", fillcolor=\"#fde3c8\"",
        Kind::Discard | Kind::Trap(_) => ", style=\"filled,bold\", fillcolor=\"#f8d0d0\"",
        _ => "",
    };
    write!(out, "{look}, tooltip=")?;
    let name = graph.names.get(&id).map_or(String::new(), |name| format!(" {name}"));
    let default = label::default(graph, id);
    let default = if default.is_empty() { default } else { format!(" {default}") };
    quoted(out, &format!("%{id} {} {}{name}{default}", graph.type_name(node.ty), node.kind.opcode()))?;
    out.write_str("];\n")
}

fn quoted(out: &mut dyn Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(out, "\\{c}")?,
            c if c.is_control() => out.write_char(' ')?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}
