//! The graph as JSON. `docs/targets/graph.md` explains every field; `docs/targets/graph.schema.json` is the schema.

use std::fmt::{self, Write};

use planish_ir::decoration::Precision;
use planish_ir::ops::{ImmKind, Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType};

use crate::graph::{Graph, InputKind, Kind, Node, NodeId, UniformKind};
use crate::literal::write_string;
use crate::shape::{Shape, TypeId};
use crate::stats::{Of, Stats};

/// Version of the format: increased by incompatible changes.
pub const VERSION: u32 = 1;

/// The graph as JSON.
pub fn text(graph: &Graph) -> String {
    // About a hundred bytes per node.
    let mut out = String::with_capacity(100 * graph.nodes.len());
    write(graph, &mut out).expect("a string takes all");
    out
}

/// Writes the graph as JSON, one node per line, incrementally: no tree is built. O(nodes and operands).
///
/// # Errors
/// Those of `out`.
pub fn write(graph: &Graph, out: &mut dyn Write) -> fmt::Result {
    write!(out, "{{\n\"format\": \"planish-graph\",\n\"version\": {VERSION},\n\"function\": ")?;
    write_string(out, &graph.function)?;
    if let Some(stage) = graph.stage {
        write!(out, ",\n\"stage\": \"{}\"", stage.name())?;
    }
    if !graph.files.is_empty() {
        out.write_str(",\n\"files\": ")?;
        write_list(out, graph.files.iter(), |out, file| write_string(out, file))?;
    }
    out.write_str(",\n\"stats\": ")?;
    write_stats(out, &Stats::new(graph))?;
    out.write_str(",\n\"types\": {")?;
    for (i, row) in graph.types.iter().enumerate() {
        out.write_str(if i > 0 { ",\n  " } else { "\n  " })?;
        write_string(out, &row.name)?;
        out.write_str(": ")?;
        write_shape(graph, out, &row.shape)?;
    }
    out.write_str("\n}")?;
    write_interface(graph, out)?;
    out.write_str(",\n\"nodes\": [")?;
    for (id, node) in graph.nodes.iter().enumerate() {
        out.write_str(if id > 0 { ",\n  " } else { "\n  " })?;
        write_node(graph, out, id as NodeId, node)?;
    }
    out.write_str("\n]\n}\n")
}

fn write_list<T>(
    out: &mut dyn Write,
    items: impl Iterator<Item = T>,
    mut each: impl FnMut(&mut dyn Write, T) -> fmt::Result,
) -> fmt::Result {
    out.write_char('[')?;
    for (i, item) in items.enumerate() {
        out.write_str(if i > 0 { ", " } else { "" })?;
        each(out, item)?;
    }
    out.write_char(']')
}

/// A list with one item per line.
fn write_lines<T>(
    out: &mut dyn Write,
    key: &str,
    items: &[T],
    mut each: impl FnMut(&mut dyn Write, &T) -> fmt::Result,
) -> fmt::Result {
    write!(out, ",\n\"{key}\": [")?;
    for (i, item) in items.iter().enumerate() {
        out.write_str(if i > 0 { ",\n  " } else { "\n  " })?;
        each(out, item)?;
    }
    out.write_str(if items.is_empty() { "]" } else { "\n]" })
}

fn write_stats(out: &mut dyn Write, stats: &Stats) -> fmt::Result {
    let one = |out: &mut dyn Write, of: &Of| {
        write!(out, "{{\"nodes\": {}, \"cost\": {}, \"depth\": {}, \"classes\": {{", of.nodes, of.cost, of.depth)?;
        for (i, (class, count)) in of.classes.iter().enumerate() {
            write!(out, "{}\"{class}\": {count}", if i > 0 { ", " } else { "" })?;
        }
        out.write_str("}}")
    };
    out.write_str("{\n  \"preshader\": ")?;
    one(out, &stats.preshader)?;
    out.write_str(",\n  \"pixel\": ")?;
    one(out, &stats.pixel)?;
    out.write_str("\n}")
}

fn write_shape(graph: &Graph, out: &mut dyn Write, shape: &Shape) -> fmt::Result {
    match shape {
        Shape::Scalar(s) => write!(out, "{{\"kind\": \"scalar\", \"scalar\": \"{}\"}}", s.name()),
        Shape::Vector(s, n) => {
            write!(out, "{{\"kind\": \"vector\", \"scalar\": \"{}\", \"components\": {n}}}", s.name())
        }
        Shape::Matrix { scalar, columns, rows } => {
            let scalar = scalar.name();
            write!(out, "{{\"kind\": \"matrix\", \"scalar\": \"{scalar}\", \"columns\": {columns}, \"rows\": {rows}}}")
        }
        Shape::Array(element, len) => {
            out.write_str("{\"kind\": \"array\", \"element\": ")?;
            write_string(out, graph.type_name(*element))?;
            write!(out, ", \"length\": {len}}}")
        }
        Shape::Struct(members) => {
            out.write_str("{\"kind\": \"struct\", \"members\": ")?;
            write_list(out, members.iter(), |out, (name, ty)| {
                out.write_str("{\"name\": ")?;
                write_string(out, name)?;
                out.write_str(", \"type\": ")?;
                write_string(out, graph.type_name(*ty))?;
                out.write_char('}')
            })?;
            out.write_char('}')
        }
        Shape::Image(image) => write_image(out, *image),
        Shape::Sampler { comparison } => write!(out, "{{\"kind\": \"sampler\", \"comparison\": {comparison}}}"),
        Shape::Yuv => out.write_str("{\"kind\": \"yuv_standard\"}"),
        Shape::Tuple(parts) => {
            out.write_str("{\"kind\": \"tuple\", \"parts\": ")?;
            write_list(out, parts.iter(), |out, &ty| write_string(out, graph.type_name(ty)))?;
            out.write_char('}')
        }
    }
}

fn write_image(out: &mut dyn Write, image: ImageType) -> fmt::Result {
    let dimension = match image.dim {
        Dim::D1 => "1d",
        Dim::D2 => "2d",
        Dim::D3 => "3d",
        Dim::Cube => "cube",
        Dim::Rect => "rect",
        Dim::Buffer => "buffer",
        Dim::Subpass => "subpass",
        Dim::External => "external",
        Dim::ExternalYuv => "external_yuv",
    };
    let access = match image.kind {
        ImageKind::Combined => "combined",
        ImageKind::Texture => "texture",
        ImageKind::Storage(_) => "storage",
    };
    write!(out, "{{\"kind\": \"image\", \"access\": \"{access}\", \"dimension\": \"{dimension}\"")?;
    write!(out, ", \"sampled\": \"{}\"", image.sampled.name())?;
    write!(out, ", \"arrayed\": {}, \"multisampled\": {}", image.arrayed, image.multisampled)?;
    write!(out, ", \"comparison\": {}", image.shadow)?;
    if let ImageKind::Storage(format) = image.kind {
        write!(out, ", \"format\": \"{}\"", format.name())?;
    }
    out.write_char('}')
}

fn write_interface(graph: &Graph, out: &mut dyn Write) -> fmt::Result {
    write_lines(out, "inputs", &graph.inputs, |out, input| {
        begin(graph, out, input.node, &input.name, input.ty)?;
        write_input_kind(out, input.kind)?;
        out.write_char('}')
    })?;
    write_lines(out, "uniforms", &graph.uniforms, |out, uniform| {
        begin(graph, out, uniform.node, &uniform.name, uniform.ty)?;
        write_uniform_kind(out, uniform.kind)?;
        if let Some(default) = &uniform.default {
            out.write_str(", \"default\": ")?;
            default.write_json(out)?;
        }
        if uniform.is_color {
            out.write_str(", \"hint\": \"color\"")?;
        }
        out.write_char('}')
    })?;
    write_lines(out, "resources", &graph.resources, |out, resource| {
        begin(graph, out, resource.node, &resource.name, resource.ty)?;
        if let Some((group, binding)) = resource.binding {
            write!(out, ", \"group\": {group}, \"binding\": {binding}")?;
        }
        if let Some((group, binding)) = resource.sampler {
            write!(out, ", \"sampler\": {{\"group\": {group}, \"binding\": {binding}}}")?;
        }
        out.write_char('}')
    })?;
    write_lines(out, "outputs", &graph.outputs, |out, output| {
        begin(graph, out, output.node, &output.name, output.ty)?;
        write_number(out, "location", output.location)?;
        if let Some(b) = output.builtin {
            write!(out, ", \"builtin\": \"{}\"", b.glsl_name())?;
        }
        out.write_char('}')
    })?;
    if let Some(node) = graph.discard {
        write!(out, ",\n\"discard\": {node}")?;
    }
    if graph.traps.is_empty() {
        return Ok(());
    }
    out.write_str(",\n\"traps\": ")?;
    write_list(out, graph.traps.iter(), |out, node| write!(out, "{node}"))
}

/// Common first fields of a row of the interface.
fn begin(graph: &Graph, out: &mut dyn Write, node: NodeId, name: &str, ty: TypeId) -> fmt::Result {
    write!(out, "{{\"node\": {node}, \"name\": ")?;
    write_string(out, name)?;
    out.write_str(", \"type\": ")?;
    write_string(out, graph.type_name(ty))
}

fn write_number(out: &mut dyn Write, key: &str, value: Option<u32>) -> fmt::Result {
    match value {
        Some(value) => write!(out, ", \"{key}\": {value}"),
        None => Ok(()),
    }
}

fn write_input_kind(out: &mut dyn Write, kind: InputKind) -> fmt::Result {
    match kind {
        InputKind::Parameter => out.write_str(", \"kind\": \"parameter\""),
        InputKind::BuiltIn(b) => write!(out, ", \"kind\": \"builtin\", \"builtin\": \"{}\"", b.glsl_name()),
        InputKind::Framebuffer { location } => {
            out.write_str(", \"kind\": \"framebuffer\"")?;
            write_number(out, "location", location)
        }
        InputKind::Varying { location, interpolation } => {
            out.write_str(", \"kind\": \"varying\"")?;
            write_number(out, "location", location)?;
            match interpolation {
                Some(i) => write!(out, ", \"interpolation\": \"{}\"", i.name()),
                None => Ok(()),
            }
        }
    }
}

fn write_uniform_kind(out: &mut dyn Write, kind: UniformKind) -> fmt::Result {
    match kind {
        UniformKind::Buffer { group, binding, offset } => {
            write!(out, ", \"kind\": \"buffer\", \"group\": {group}, \"binding\": {binding}")?;
            write_number(out, "offset", offset)
        }
        UniformKind::Storage { group, binding, offset } => {
            write!(out, ", \"kind\": \"storage\", \"group\": {group}, \"binding\": {binding}")?;
            write_number(out, "offset", offset)
        }
        UniformKind::PushConstant { offset } => {
            out.write_str(", \"kind\": \"push_constant\"")?;
            write_number(out, "offset", offset)
        }
        UniformKind::Specialization(id) => write!(out, ", \"kind\": \"specialization\", \"id\": {id}"),
        UniformKind::BuiltIn(b) => write!(out, ", \"kind\": \"builtin\", \"builtin\": \"{}\"", b.glsl_name()),
        UniformKind::Unbound => out.write_str(", \"kind\": \"unbound\""),
    }
}

fn write_node(graph: &Graph, out: &mut dyn Write, id: NodeId, node: &Node) -> fmt::Result {
    write!(out, "{{\"id\": {id}, \"op\": \"{}\", \"type\": ", node.kind.opcode())?;
    write_string(out, graph.type_name(node.ty))?;
    let operands = graph.operands(node);
    if !operands.is_empty() {
        out.write_str(", \"inputs\": ")?;
        write_list(out, operands.iter(), |out, id| write!(out, "{id}"))?;
    }
    write_immediate(graph, out, node.kind)?;
    if let Some(group) = node.group {
        write!(out, ", \"group\": \"{}\", \"cost\": {}", group.name(), node.cost)?;
    }
    if node.precision != Precision::None {
        write!(out, ", \"precision\": \"{}\"", node.precision.keyword())?;
    }
    if node.precise {
        out.write_str(", \"precise\": true")?;
    }
    if let Some(name) = graph.names.get(&id) {
        out.write_str(", \"name\": ")?;
        write_string(out, name)?;
    }
    if let Some(source) = node.source {
        write!(out, ", \"source\": [{}, {}, {}]", source.file, source.line, source.column)?;
    }
    out.write_char('}')
}

fn write_immediate(graph: &Graph, out: &mut dyn Write, kind: Kind) -> fmt::Result {
    match kind {
        Kind::Constant(i) => {
            out.write_str(", \"value\": ")?;
            graph.constants[i as usize].write_json(out)
        }
        Kind::Call(i) => {
            out.write_str(", \"function\": ")?;
            write_string(out, &graph.functions[i as usize])
        }
        Kind::Result(i) => write!(out, ", \"index\": {i}"),
        Kind::Input(i) | Kind::Uniform(i) | Kind::Resource(i) | Kind::Output(i) => write!(out, ", \"index\": {i}"),
        Kind::Op(op, imm) => match op.info().imm {
            ImmKind::Index => write!(out, ", \"index\": {}", imm.as_index()),
            ImmKind::Lanes => write!(out, ", \"lanes\": \"{:?}\"", imm.as_lanes()),
            ImmKind::Texture => write_texture(out, op, imm.as_texture()),
            _ => Ok(()),
        },
        Kind::Trap(kind) => write!(out, ", \"trap\": \"{}\"", kind.name()),
        Kind::Discard => Ok(()),
    }
}

/// Roles of the operands of a texture op, in order.
fn write_texture(out: &mut dyn Write, op: Op, flags: TextureFlags) -> fmt::Result {
    let mut roles = vec!["texture"];
    // Size queries have no coordinate.
    if op != Op::TextureSize && op != Op::SubpassLoad {
        roles.push("coordinate");
    }
    for (flag, role) in [
        (TextureFlags::COMPARE, &["compare"][..]),
        (TextureFlags::LOD, &["lod"]),
        (TextureFlags::GRAD, &["gradient_x", "gradient_y"]),
        (TextureFlags::SAMPLE, &["sample"]),
        (TextureFlags::BIAS, &["bias"]),
        (TextureFlags::OFFSET, &["offset"]),
        (TextureFlags::OFFSETS, &["offsets"]),
        (TextureFlags::MIN_LOD, &["min_lod"]),
    ] {
        if flags.has(flag) {
            roles.extend(role);
        }
    }
    out.write_str(", \"texture\": {\"operands\": ")?;
    write_list(out, roles.iter(), |out, role| write!(out, "\"{role}\""))?;
    if flags.has(TextureFlags::PROJ) {
        out.write_str(", \"projective\": true")?;
    }
    if op == Op::TextureGather {
        write!(out, ", \"component\": {}", flags.component())?;
    }
    out.write_char('}')
}
