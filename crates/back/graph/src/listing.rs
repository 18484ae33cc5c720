//! The graph as a listing: one node per line, by sections.

use std::fmt::{self, Write};

use planish_ir::ops::{ImmKind, TextureFlags};

use crate::graph::{Graph, Group, InputKind, Kind, NodeId, UniformKind};
use crate::stats::Stats;

/// Column of the comment after a node.
const COLUMN: usize = 44;

/// Number of parts of a default value that are shown.
const MOST_PARTS: usize = 16;

/// The listing.
pub fn text(graph: &Graph) -> String {
    let mut out = String::new();
    write(graph, &mut out).expect("a string takes all");
    out
}

/// Writes the listing.
///
/// # Errors
/// Those of `out`.
pub fn write(graph: &Graph, out: &mut dyn Write) -> fmt::Result {
    write!(out, "graph {}", graph.function)?;
    match graph.stage {
        Some(stage) => writeln!(out, " ({})", stage.name())?,
        None => writeln!(out)?,
    }
    let section = |title: &str, out: &mut dyn Write| writeln!(out, "\n{title}");
    if !graph.inputs.is_empty() {
        section("inputs", out)?;
        for input in &graph.inputs {
            let remark = input_remark(input.kind);
            declaration(out, input.node, graph.type_name(input.ty), &input.name, &remark)?;
        }
    }
    if !graph.uniforms.is_empty() {
        section("uniforms", out)?;
        for uniform in &graph.uniforms {
            let mut remark = uniform_remark(uniform.kind);
            if let Some(default) = &uniform.default {
                remark.push_str(if remark.is_empty() { "default " } else { ", default " });
                default.write_short(&mut remark, MOST_PARTS)?;
            }
            if uniform.is_color {
                remark.push_str(if remark.is_empty() { "color" } else { ", color" });
            }
            declaration(out, uniform.node, graph.type_name(uniform.ty), &uniform.name, &remark)?;
        }
    }
    if !graph.resources.is_empty() {
        section("resources", out)?;
        for r in &graph.resources {
            let mut remark = r.binding.map_or(String::new(), |(g, b)| format!("group {g} binding {b}"));
            if let Some((g, b)) = r.sampler {
                let _ = write!(remark, ", sampler group {g} binding {b}");
            }
            declaration(out, r.node, graph.type_name(r.ty), &r.name, &remark)?;
        }
    }
    write_group(graph, out, Group::Preshader, "preshader")?;
    write_group(graph, out, Group::Pixel, "per pixel")?;
    section("outputs", out)?;
    for output in &graph.outputs {
        let node = &graph.nodes[output.node as usize];
        let mut line = format!("  {}: {} =", output.name, graph.type_name(output.ty));
        write_operand(graph, &mut line, graph.operands(node)[0])?;
        let remark = match (output.location, output.builtin) {
            (Some(location), _) => format!("location {location}"),
            (_, Some(_)) => "built in".into(),
            _ => String::new(),
        };
        finish(out, line, &remark)?;
    }
    if let Some(discard) = graph.discard {
        let mut line = "  discard if".to_string();
        write_operand(graph, &mut line, graph.operands(&graph.nodes[discard as usize])[0])?;
        finish(out, line, "")?;
    }
    for &trap in &graph.traps {
        let node = &graph.nodes[trap as usize];
        let Kind::Trap(kind) = node.kind else { continue };
        let mut line = format!("  trap {} if", kind.name());
        write_operand(graph, &mut line, graph.operands(node)[0])?;
        finish(out, line, "")?;
    }
    let stats = Stats::new(graph).summary();
    stats.lines().try_for_each(|line| write!(out, "\n; {line}"))?;
    out.write_char('\n')
}

/// A line with its comment.
fn finish(out: &mut dyn Write, line: String, remark: &str) -> fmt::Result {
    match remark {
        "" => writeln!(out, "{line}"),
        _ => writeln!(out, "{line:COLUMN$} ; {remark}"),
    }
}

fn declaration(out: &mut dyn Write, id: NodeId, ty: &str, name: &str, remark: &str) -> fmt::Result {
    finish(out, format!("  %{id} {ty} {name}"), remark)
}

fn input_remark(kind: InputKind) -> String {
    match kind {
        InputKind::Parameter => "parameter".into(),
        InputKind::BuiltIn(_) => "built in".into(),
        InputKind::Framebuffer { .. } => "frame buffer".into(),
        InputKind::Varying { location, interpolation } => {
            let mut remark = location.map_or(String::new(), |l| format!("location {l}"));
            if let Some(interpolation) = interpolation {
                let _ = write!(remark, " {}", interpolation.name());
            }
            remark
        }
    }
}

fn uniform_remark(kind: UniformKind) -> String {
    let at = |offset: Option<u32>| offset.map_or(String::new(), |o| format!(" offset {o}"));
    match kind {
        UniformKind::Buffer { group, binding, offset } => format!("group {group} binding {binding}{}", at(offset)),
        UniformKind::Storage { group, binding, offset } => {
            format!("storage group {group} binding {binding}{}", at(offset))
        }
        UniformKind::PushConstant { offset } => format!("push constant{}", at(offset)),
        UniformKind::Specialization(id) => format!("specialization constant {id}"),
        UniformKind::BuiltIn(_) => "built in".into(),
        UniformKind::Unbound => String::new(),
    }
}

fn write_group(graph: &Graph, out: &mut dyn Write, group: Group, title: &str) -> fmt::Result {
    let mut begun = false;
    // A `result` follows its op.
    let mut in_group = false;
    for (id, node) in graph.nodes.iter().enumerate() {
        in_group = if matches!(node.kind, Kind::Result(_)) { in_group } else { node.group == Some(group) };
        if !in_group {
            continue;
        }
        if !begun {
            writeln!(out, "\n{title}")?;
            begun = true;
        }
        let mut line = format!("  %{id} {} {}", graph.type_name(node.ty), node.kind.opcode());
        write_immediate(graph, &mut line, node.kind)?;
        for &operand in graph.operands(node) {
            write_operand(graph, &mut line, operand)?;
        }
        let mut remark = match node.group {
            Some(group) => format!("{} cost {}", group.name(), node.cost),
            None => String::new(),
        };
        if let Some(name) = graph.name(id as NodeId) {
            let _ = write!(remark, "  {name}");
        }
        if let Some(source) = node.source {
            let _ = write!(remark, "  {}:{}", source.line, source.column);
        }
        finish(out, line, &remark)?;
    }
    Ok(())
}

fn write_operand(graph: &Graph, out: &mut dyn Write, id: NodeId) -> fmt::Result {
    out.write_char(' ')?;
    match graph.constant(id) {
        Some(value) => value.write_short(out, 16),
        None => write!(out, "%{id}"),
    }
}

fn write_immediate(graph: &Graph, out: &mut dyn Write, kind: Kind) -> fmt::Result {
    match kind {
        Kind::Op(op, imm) => match op.info().imm {
            ImmKind::Index => write!(out, "[{}]", imm.as_index()),
            ImmKind::Lanes => write!(out, "[{:?}]", imm.as_lanes()),
            ImmKind::Texture => {
                let flags = imm.as_texture();
                let set = TextureFlags::NAMES.iter().enumerate().filter(|(i, _)| flags.0 >> i & 1 != 0);
                let mut words: Vec<String> = set.map(|(_, name)| name.to_string()).collect();
                words.extend((flags.component() != 0).then(|| format!("component {}", flags.component())));
                if words.is_empty() { Ok(()) } else { write!(out, "[{}]", words.join(" ")) }
            }
            _ => Ok(()),
        },
        Kind::Call(i) => write!(out, "[{}]", graph.functions[i as usize]),
        Kind::Result(i) => write!(out, "[{i}]"),
        _ => Ok(()),
    }
}
