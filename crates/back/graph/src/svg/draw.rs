//! Writes the picture: wires, boxes over them, a legend at the top.

use std::fmt::{self, Write};

use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;

use super::layers::{BOX_HEIGHT, CHARACTER, Layout, SMALL_CHARACTER, Vertex, Wire, texts};
use super::place::Places;
use crate::graph::{Graph, Group, Kind, NodeId};
use crate::label;
use crate::shape::Shape;
use crate::stats::Stats;

/// Margin around the picture.
const MARGIN: f32 = 16.0;
/// Height of title and legend.
const HEAD: f32 = 66.0;

/// Classes of boxes: style, and text of the legend.
const LEGEND: [(&str, &str); 8] = [
    ("in", "input"),
    ("un", "uniform"),
    ("ar", "arithmetic"),
    ("ch", "choice"),
    ("sh", "shape"),
    ("te", "texture"),
    ("ot", "call"),
    ("ou", "output"),
];

const STYLE: &str = "\
text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11.5px;fill:#1c2430}\
.t{font-size:9px;fill:#5d6877}.h{font-size:14px;font-weight:600}.s{font-size:10.5px;fill:#465262}\
rect{stroke:#8b96a5;stroke-width:1}.in{fill:#d5efd9}.un{fill:#d3e3f8}.ar{fill:#eef1f5}.ch{fill:#fbe1e4}\
.sh{fill:#fbf3cf}.te{fill:#cdeee9}.ot{fill:#e9e0f7}.ou{fill:#fddfbd}.pre{stroke:#2f6fb3;stroke-width:1.8}\
.w{fill:none;stroke-width:1.3}.p{stroke:none}\
.w1{stroke:#8793a3}.w2{stroke:#4d9a62}.w3{stroke:#b58a1f}.w4{stroke:#b0568f}.wb{stroke:#c4545c}.wm{stroke:#4878b8}\
.f1{fill:#8793a3}.f2{fill:#4d9a62}.f3{fill:#b58a1f}.f4{fill:#b0568f}.fb{fill:#c4545c}.fm{fill:#4878b8}";

/// Writes the picture.
pub(super) fn write(graph: &Graph, layout: &Layout, places: &Places, out: &mut dyn Write) -> fmt::Result {
    let stats = Stats::new(graph);
    let legend = legend_entries(graph, layout);
    let width = places.width.max(legend_width(&legend)).max(420.0) + 2.0 * MARGIN;
    let height = places.height + HEAD + 2.0 * MARGIN;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">"
    )?;
    writeln!(out, "<style>{STYLE}</style>\n<rect class=\"p\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")?;
    write_head(graph, &stats, &legend, out)?;
    let shift = MARGIN + ((width - 2.0 * MARGIN - places.width) / 2.0).max(0.0);
    let mut draw = Draw { graph, layout, places, out, shift, rows: vec![0; layout.vertices.len()] };
    for (row, layer) in layout.layers.iter().enumerate() {
        layer.iter().for_each(|&v| draw.rows[v as usize] = row as u32);
    }
    draw.wires()?;
    for (v, vertex) in layout.vertices.iter().enumerate().filter(|(_, v)| v.is_box) {
        draw.vertex(v as u32, vertex)?;
    }
    out.write_str("</svg>\n")
}

/// Entries of the legend: the classes that occur.
fn legend_entries(graph: &Graph, layout: &Layout) -> Vec<(&'static str, &'static str)> {
    let boxes = layout.vertices.iter().filter(|v| v.is_box);
    let used: std::collections::BTreeSet<&str> = boxes.map(|v| class(graph, v.node)).collect();
    let mut entries: Vec<_> = LEGEND.into_iter().filter(|(style, _)| used.contains(style)).collect();
    let has_preshader = graph.nodes.iter().any(|n| n.group == Some(Group::Preshader));
    entries.extend(has_preshader.then_some(("ar pre", "once a draw")));
    entries
}

fn legend_width(entries: &[(&str, &str)]) -> f32 {
    entries.iter().map(|(_, name)| legend_step(name)).sum()
}

fn legend_step(name: &str) -> f32 {
    30.0 + name.chars().count() as f32 * 6.6
}

fn write_head(graph: &Graph, stats: &Stats, legend: &[(&str, &str)], out: &mut dyn Write) -> fmt::Result {
    let stage = graph.stage.map_or(String::new(), |s| format!(" ({})", s.name()));
    write!(out, "<text class=\"h\" x=\"{MARGIN}\" y=\"{}\">", MARGIN + 11.0)?;
    escaped(out, &format!("{}{stage}", graph.function))?;
    out.write_str("</text>\n")?;
    let of = |group| {
        let of = stats.of(group);
        format!("{} nodes, cost {}, depth {}", of.nodes, of.cost, of.depth)
    };
    let mut line = format!("per pixel: {}", of(Group::Pixel));
    if stats.preshader.nodes > 0 {
        line += &format!("; once a draw: {}", of(Group::Preshader));
    }
    writeln!(out, "<text class=\"s\" x=\"{MARGIN}\" y=\"{}\">{line}</text>", MARGIN + 28.0)?;
    let mut x = MARGIN;
    for (style, name) in legend {
        let y = MARGIN + 38.0;
        write!(out, "<rect class=\"{style}\" x=\"{x:.1}\" y=\"{y}\" width=\"14\" height=\"11\" rx=\"3\"/>")?;
        writeln!(out, "<text class=\"s\" x=\"{:.1}\" y=\"{}\">{name}</text>", x + 18.0, y + 9.5)?;
        x += legend_step(name);
    }
    Ok(())
}

/// The style of a box.
fn class(graph: &Graph, id: NodeId) -> &'static str {
    let node = &graph.nodes[id as usize];
    let is_bool =
        matches!(graph.types[node.ty as usize].shape, Shape::Scalar(Scalar::Bool) | Shape::Vector(Scalar::Bool, _));
    match node.kind {
        Kind::Input(_) => "in",
        Kind::Uniform(_) | Kind::Resource(_) => "un",
        Kind::Constant(_) => "ar",
        Kind::Output(_) | Kind::Discard | Kind::Trap(_) => "ou",
        Kind::Call(_) => "ot",
        Kind::Result(_) => "sh",
        Kind::Op(Op::Select, _) => "ch",
        Kind::Op(op, _) => match op.info().class {
            Class::Construct | Class::Extract => "sh",
            Class::Texture => "te",
            _ if is_bool => "ch",
            _ => "ar",
        },
    }
}

/// The style of a wire, by its number of components.
fn wire_class(graph: &Graph, id: NodeId) -> &'static str {
    match graph.types[graph.nodes[id as usize].ty as usize].shape {
        Shape::Scalar(Scalar::Bool) | Shape::Vector(Scalar::Bool, _) => "b",
        Shape::Vector(_, 2) => "2",
        Shape::Vector(_, 3) => "3",
        Shape::Vector(_, _) => "4",
        Shape::Matrix { .. } | Shape::Array(..) | Shape::Struct(_) => "m",
        _ => "1",
    }
}

struct Draw<'a> {
    graph: &'a Graph,
    layout: &'a Layout,
    places: &'a Places,
    out: &'a mut dyn Write,
    shift: f32,
    /// The row of each vertex.
    rows: Vec<u32>,
}

impl Draw<'_> {
    fn x(&self, vertex: u32) -> f32 {
        self.places.x[vertex as usize] + self.shift
    }

    fn top(&self, vertex: u32) -> f32 {
        self.places.y[self.rows[vertex as usize] as usize] + HEAD + MARGIN
    }

    fn wires(&mut self) -> fmt::Result {
        let layout = self.layout;
        for &wire in layout.wires.iter().flatten().chain(&layout.straight) {
            self.wire(wire)?;
        }
        Ok(())
    }

    fn wire(&mut self, wire: Wire) -> fmt::Result {
        let (from, to) = (&self.layout.vertices[wire.from as usize], &self.layout.vertices[wire.to as usize]);
        let style = wire_class(self.graph, from.node);
        let (x0, y0) = (self.x(wire.from), self.top(wire.from) + BOX_HEIGHT);
        let (x1, y1) = (self.x(wire.to) + to.port_offset(wire.port), self.top(wire.to));
        let middle = (y0 + y1) / 2.0;
        write!(self.out, "<path class=\"w w{style}\" d=\"M{x0:.1} ")?;
        // A bend extends from top to bottom of its row.
        let begin = if from.is_box { y0 } else { y0 - BOX_HEIGHT };
        write!(self.out, "{begin:.1}")?;
        if begin != y0 {
            write!(self.out, "V{y0:.1}")?;
        }
        if (x0 - x1).abs() < 0.05 {
            write!(self.out, "V{y1:.1}")?;
        } else {
            write!(self.out, "C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}")?;
        }
        self.out.write_str("\"/>")?;
        if to.is_box {
            write!(self.out, "<circle class=\"f{style}\" cx=\"{x1:.1}\" cy=\"{y1:.1}\" r=\"2.2\"/>")?;
        }
        self.out.write_char('\n')
    }

    fn vertex(&mut self, id: u32, vertex: &Vertex) -> fmt::Result {
        let (graph, node) = (self.graph, &self.graph.nodes[vertex.node as usize]);
        let (x, y, w) = (self.x(id) - vertex.width / 2.0, self.top(id), vertex.width);
        let class = class(graph, vertex.node);
        let group = if node.group == Some(Group::Preshader) { " pre" } else { "" };
        let radius = if node.kind.is_leaf() { BOX_HEIGHT / 2.0 } else { 4.0 };
        self.out.write_str("<g><title>")?;
        escaped(self.out, &title(graph, vertex.node))?;
        write!(
            self.out,
            "</title><rect class=\"{class}{group}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{BOX_HEIGHT}\" rx=\"{radius}\"/>"
        )?;
        let (label, ty) = texts(graph, vertex.node);
        let small = if ty.is_empty() { 0.0 } else { (ty.chars().count() + 1) as f32 * SMALL_CHARACTER };
        let length = label.chars().count() as f32 * CHARACTER;
        let start = x + (w - length - small) / 2.0;
        let base = y + BOX_HEIGHT / 2.0 + 4.0;
        write!(self.out, "<text x=\"{start:.1}\" y=\"{base:.1}\">")?;
        escaped(self.out, &label)?;
        self.out.write_str("</text>")?;
        if !ty.is_empty() {
            let at = start + length + SMALL_CHARACTER;
            write!(self.out, "<text class=\"t\" x=\"{at:.1}\" y=\"{base:.1}\">")?;
            escaped(self.out, &ty)?;
            self.out.write_str("</text>")?;
        }
        self.out.write_str("</g>\n")
    }
}

/// Tooltip of a box.
fn title(graph: &Graph, id: NodeId) -> String {
    let node = &graph.nodes[id as usize];
    let mut text = format!("%{id} {} {}", graph.type_name(node.ty), node.kind.opcode());
    if let Some(group) = node.group {
        text += &format!(", {}, cost {}", group.name(), node.cost);
    }
    if let Some(name) = graph.name(id) {
        text += &format!(", {name}");
    }
    let default = label::default(graph, id);
    if !default.is_empty() {
        text += &format!(" {default}");
    }
    if let Some(source) = node.source {
        text += &format!(", line {}:{}", source.line, source.column);
    }
    text
}

fn escaped(out: &mut dyn Write, text: &str) -> fmt::Result {
    for c in text.chars() {
        match c {
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            '&' => out.write_str("&amp;")?,
            c if c.is_control() => out.write_char(' ')?,
            c => out.write_char(c)?,
        }
    }
    Ok(())
}
