//! Labels of boxes: the op, abbreviated, and the operands without a box.

use planish_ir::ops::{Imm, ImmKind, Op, TextureFlags};

use crate::graph::{Graph, Kind, NodeId};

/// Short name of an op.
fn short(op: Op) -> &'static str {
    match op {
        Op::ConstructVectorFromScalar => "splat",
        Op::ConstructVectorFromMultiple => "vector",
        Op::ConstructMatrixFromScalar | Op::ConstructMatrixFromMatrix | Op::ConstructMatrixFromMultiple => "matrix",
        Op::ConstructScalarFromScalar => "convert",
        Op::ConstructStruct => "struct",
        Op::ConstructArray => "array",
        Op::ExtractVectorComponentDynamic => "component",
        Op::ExtractMatrixColumn => "column",
        Op::ExtractArrayElement => "element",
        Op::ExtractStructField => "field",
        Op::InsertVectorComponent | Op::InsertVectorComponentDynamic => "set component",
        Op::InsertMatrixColumn => "set column",
        Op::InsertArrayElement => "set element",
        Op::InsertStructField => "set field",
        Op::MatrixTimesVector => "matrix · vector",
        Op::VectorTimesMatrix => "vector · matrix",
        Op::MatrixTimesMatrix => "matrix · matrix",
        Op::MatrixTimesScalar => "matrix · scalar",
        Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad => "sample",
        Op::LessThan => "<",
        Op::LessThanEqual => "≤",
        Op::GreaterThan => ">",
        Op::GreaterThanEqual => "≥",
        Op::Equal => "=",
        Op::NotEqual => "≠",
        Op::LogicalAnd => "and",
        Op::LogicalOr => "or",
        Op::LogicalNot => "not",
        Op::LogicalXor => "xor",
        _ => op.text(),
    }
}

const LANES: [char; 4] = ['x', 'y', 'z', 'w'];

/// The op with its immediate: `multiply`, `.xyz`, `field 2`.
pub(crate) fn op(graph: &Graph, kind: Kind) -> String {
    match kind {
        Kind::Op(Op::ExtractVectorComponent, imm) => format!(".{}", LANES[imm.as_index() as usize & 3]),
        Kind::Op(Op::ExtractVectorComponentMulti, imm) => format!(".{:?}", imm.as_lanes()),
        Kind::Op(Op::InsertVectorComponent, imm) => format!("set .{}", LANES[imm.as_index() as usize & 3]),
        Kind::Op(op, imm) => match op.info().imm {
            ImmKind::Index => format!("{} {}", short(op), imm.as_index()),
            ImmKind::Texture => format!("{}{}", short(op), texture_words(imm)),
            _ => short(op).into(),
        },
        Kind::Call(i) => format!("{}()", graph.functions[i as usize]),
        Kind::Result(i) => format!("result {i}"),
        _ => kind.opcode().into(),
    }
}

fn texture_words(imm: Imm) -> String {
    let flags = imm.as_texture();
    let mut words = String::new();
    for (i, name) in TextureFlags::NAMES.iter().enumerate() {
        if flags.0 >> i & 1 != 0 {
            words += &format!(" {name}");
        }
    }
    words
}

/// The text of a constant or sampler as an operand; `None` for nodes with a box.
fn inline_text(graph: &Graph, id: NodeId) -> Option<String> {
    if let Some(value) = graph.constant(id) {
        let mut text = String::new();
        value.write_short(&mut text, 4).expect("a string takes all");
        return Some(text);
    }
    let is_resource = matches!(graph.nodes[id as usize].kind, Kind::Resource(_));
    is_resource.then(|| graph.name(id).unwrap_or_default().to_string())
}

/// Whether a node is written in the boxes of its users instead of its own.
pub(crate) fn is_inline(graph: &Graph, id: NodeId) -> bool {
    matches!(graph.nodes[id as usize].kind, Kind::Constant(_) | Kind::Resource(_))
}

/// The label of a node: `multiply`, `subtract 1.0 ·`, `uv`. If some operands are inline, a dot is one with a box.
pub(crate) fn text(graph: &Graph, id: NodeId) -> String {
    let node = &graph.nodes[id as usize];
    if node.kind.is_leaf() {
        return match inline_text(graph, id) {
            Some(text) => text,
            None => graph.name(id).unwrap_or_default().to_string(),
        };
    }
    match node.kind {
        Kind::Output(_) => return shorten(graph.name(id).unwrap_or_default(), 24),
        Kind::Discard => return "discard".into(),
        Kind::Trap(kind) => return format!("trap {}", kind.name()),
        _ => {}
    }
    let operands = graph.operands(node);
    let mut text = op(graph, node.kind);
    if operands.iter().any(|&o| is_inline(graph, o)) {
        for &operand in operands {
            text.push(' ');
            match inline_text(graph, operand) {
                Some(word) => text += &shorten(&word, 20),
                None => text.push('·'),
            }
        }
    }
    text
}

/// Default value and hint of a uniform: `= (1.0, 0.5, 0.2), color`; empty for other nodes.
pub(crate) fn default(graph: &Graph, id: NodeId) -> String {
    let Kind::Uniform(i) = graph.nodes[id as usize].kind else { return String::new() };
    let uniform = &graph.uniforms[i as usize];
    let mut text = String::new();
    if let Some(value) = &uniform.default {
        text.push_str("= ");
        value.write_short(&mut text, 4).expect("a string takes all");
    }
    if uniform.is_color {
        text.push_str(if text.is_empty() { "color" } else { ", color" });
    }
    text
}

/// The text, truncated to `most` characters.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
