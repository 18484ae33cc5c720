//! Layer assignment of boxes, and bends of wires that cross layers.

use rustc_hash::FxHashMap;

use crate::graph::{Graph, Group, Kind, NodeId};
use crate::label;

/// Height of a box.
pub(super) const BOX_HEIGHT: f32 = 24.0;
/// Width of a character of the boxes' text, and of the smaller one of the types.
pub(super) const CHARACTER: f32 = 7.0;
pub(super) const SMALL_CHARACTER: f32 = 5.4;
/// Padding left and right of the text.
const PADDING: f32 = 9.0;
/// Width of a wire that crosses a layer.
const BEND_WIDTH: f32 = 4.0;
/// Maximum number of layers of a wire with bends, in very large graphs; longer ones are straight.
const MAX_SPAN: u32 = 32;

/// A box, or a bend where a wire crosses a layer.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    /// The node of the box, or the source of the wire.
    pub(super) node: NodeId,
    pub(super) is_box: bool,
    pub(super) width: f32,
    /// Number of operands with wires; they arrive side by side in order.
    pub(super) ports: u32,
}

/// A segment of a wire, from a vertex to one in the next layer (or, for a straight wire, in a later one).
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Port at which it arrives.
    pub(super) port: u32,
}

/// Vertices and wires by layer.
pub(super) struct Layout {
    pub(super) vertices: Vec<Vertex>,
    /// By layer from the top, vertices from left to right.
    pub(super) layers: Vec<Vec<u32>>,
    /// By layer of their upper end.
    pub(super) wires: Vec<Vec<Wire>>,
    /// Wires that cross layers without bends.
    pub(super) straight: Vec<Wire>,
}

impl Vertex {
    /// Horizontal offset of a port from the center of the vertex.
    pub(super) fn port_offset(&self, port: u32) -> f32 {
        if self.ports < 2 || !self.is_box {
            return 0.0;
        }
        let inner = self.width - 2.0 * PADDING;
        inner * (port as f32 / (self.ports - 1) as f32 - 0.5)
    }
}

/// Label and type of a box.
pub(super) fn texts(graph: &Graph, id: NodeId) -> (String, String) {
    let node = &graph.nodes[id as usize];
    let label = label::shorten(&label::text(graph, id), 48);
    let ty = match node.kind {
        Kind::Constant(_) | Kind::Discard | Kind::Trap(_) => String::new(),
        _ => label::shorten(graph.type_name(node.ty), 24),
    };
    (label, ty)
}

impl Layout {
    pub(super) fn new(graph: &Graph) -> Self {
        let rows = rows(graph);
        let height = rows.iter().max().map_or(0, |&r| r as usize + 1);
        let mut layout =
            Layout { vertices: vec![], layers: vec![vec![]; height], wires: vec![vec![]; height], straight: vec![] };
        let mut at: Vec<u32> = vec![u32::MAX; graph.nodes.len()];
        for (id, node) in graph.nodes.iter().enumerate() {
            if !node.kind.is_leaf() {
                at[id] = layout.add_box(graph, id as NodeId, rows[id]);
            }
        }
        layout.connect(graph, &rows, &at);
        layout
    }

    fn add_box(&mut self, graph: &Graph, id: NodeId, row: u32) -> u32 {
        let node = &graph.nodes[id as usize];
        let (label, ty) = texts(graph, id);
        let mut width = label.chars().count() as f32 * CHARACTER + 2.0 * PADDING;
        if !ty.is_empty() {
            width += (ty.chars().count() + 1) as f32 * SMALL_CHARACTER;
        }
        let ports = wired(graph, id).count() as u32;
        let is_result = matches!(node.kind, Kind::Result(_));
        let width = width.max(if is_result { 20.0 } else { 34.0 });
        self.add(Vertex { node: id, is_box: true, width, ports }, row)
    }

    fn add(&mut self, vertex: Vertex, row: u32) -> u32 {
        let id = self.vertices.len() as u32;
        self.vertices.push(vertex);
        self.layers[row as usize].push(id);
        id
    }

    /// Adds wires. All wires from one box share their bends; leaves have a box above each row with users.
    fn connect(&mut self, graph: &Graph, rows: &[u32], at: &[u32]) {
        let budget = 10_000 + 8 * graph.nodes.len() as u64;
        let mut lowest: Vec<u32> = rows.to_vec();
        for (id, &to) in rows.iter().enumerate() {
            for operand in wired(graph, id as NodeId).map(|o| o as usize) {
                lowest[operand] = lowest[operand].max(to);
            }
        }
        let inner = |id: &usize| at[*id] != u32::MAX;
        let bends: u64 = (0..rows.len()).filter(inner).map(|id| u64::from(lowest[id] - rows[id])).sum();
        let limit = if bends > budget { MAX_SPAN } else { u32::MAX };
        // The vertex of a node's wire in a row, and the rows of a leaf's boxes.
        let mut reached: FxHashMap<(NodeId, u32), u32> = FxHashMap::default();
        for (id, &row) in rows.iter().enumerate() {
            for (port, operand) in wired(graph, id as NodeId).enumerate() {
                let (to, port) = (at[id], port as u32);
                if to == u32::MAX {
                    continue;
                }
                let source = at[operand as usize];
                if source == u32::MAX {
                    let key = (operand, row - 1);
                    let from = match reached.get(&key) {
                        Some(&from) => from,
                        None => self.add_box(graph, operand, row - 1),
                    };
                    reached.insert(key, from);
                    self.wires[row as usize - 1].push(Wire { from, to, port });
                } else if row - rows[operand as usize] > limit {
                    self.straight.push(Wire { from: source, to, port });
                } else {
                    let from = self.bend(operand, source, rows[operand as usize], row - 1, &mut reached);
                    self.wires[row as usize - 1].push(Wire { from, to, port });
                }
            }
        }
    }

    /// The vertex of a node's wire in a row below it; adds missing bends.
    fn bend(
        &mut self,
        node: NodeId,
        source: u32,
        from: u32,
        row: u32,
        reached: &mut FxHashMap<(NodeId, u32), u32>,
    ) -> u32 {
        let mut above = row;
        while above > from && !reached.contains_key(&(node, above)) {
            above -= 1;
        }
        let mut at = if above == from { source } else { reached[&(node, above)] };
        for row in above + 1..=row {
            let bend = self.add(Vertex { node, is_box: false, width: BEND_WIDTH, ports: 1 }, row);
            self.wires[row as usize - 1].push(Wire { from: at, to: bend, port: 0 });
            reached.insert((node, row), bend);
            at = bend;
        }
        at
    }
}

/// The operands of a node that have wires, in order.
pub(super) fn wired(graph: &Graph, id: NodeId) -> impl Iterator<Item = NodeId> {
    let node = &graph.nodes[id as usize];
    // A sink has a wire even from a constant.
    let all = node.kind.is_sink();
    graph.operands(node).iter().copied().filter(move |&o| all || !label::is_inline(graph, o))
}

/// The row of each node: below its operands, above its users, close to the side with more wires. Leaves have none.
fn rows(graph: &Graph) -> Vec<u32> {
    let count = graph.nodes.len();
    let is_leaf = |id: usize| graph.nodes[id].kind.is_leaf();
    let mut rows = vec![0u32; count];
    let mut users: Vec<u32> = vec![0; count];
    let mut inner: Vec<u32> = vec![0; count];
    for id in 0..count {
        for operand in wired(graph, id as NodeId).map(|o| o as usize) {
            // A leaf occupies the row above.
            rows[id] = rows[id].max(if is_leaf(operand) { 1 } else { rows[operand] + 1 });
            users[operand] += 1;
            inner[id] += u32::from(!is_leaf(operand));
        }
    }
    let last = rows.iter().copied().max().unwrap_or(0);
    for (row, node) in rows.iter_mut().zip(&graph.nodes).filter(|(_, node)| node.kind.is_sink()) {
        debug_assert!(node.group.is_none());
        *row = last;
    }
    // A node with more users than operands moves down to the highest of them, which shortens the total length of wires.
    let mut lowest: Vec<u32> = vec![u32::MAX; count];
    for id in (0..count).rev() {
        let node = &graph.nodes[id];
        if !is_leaf(id) && !node.kind.is_sink() && lowest[id] != u32::MAX {
            let moves = users[id] > 0 && inner[id] <= 1;
            if moves || node.group == Some(Group::Preshader) {
                rows[id] = lowest[id] - 1;
            }
        }
        for operand in wired(graph, id as NodeId).map(|o| o as usize) {
            lowest[operand] = lowest[operand].min(rows[id]);
        }
    }
    rows
}
