//! Statistics of a graph: number of nodes, by class, depth, cost.

use std::collections::BTreeMap;

use planish_ir::ops::Class;

use crate::graph::{Graph, Group, Kind};

/// Statistics of one group.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Of {
    /// Number of nodes that compute something.
    pub nodes: u32,
    /// Sum of their costs.
    pub cost: u64,
    /// Length of the longest path of them.
    pub depth: u32,
    /// Number of nodes by the class of their op.
    pub classes: BTreeMap<&'static str, u32>,
}

/// Statistics of a graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Of the preshader.
    pub preshader: Of,
    /// Of the nodes per pixel.
    pub pixel: Of,
}

impl Stats {
    /// Computes the statistics. O(nodes and operands).
    pub fn new(graph: &Graph) -> Self {
        let mut stats = Stats::default();
        // By node, the length of the longest path that ends with it: of preshader nodes, of pixel nodes.
        let mut depths: Vec<[u32; 2]> = Vec::with_capacity(graph.nodes.len());
        for node in &graph.nodes {
            let mut depth = [0, 0];
            for &operand in graph.operands(node) {
                let [a, b] = depths[operand as usize];
                depth = [depth[0].max(a), depth[1].max(b)];
            }
            if let Some(group) = node.group {
                let of = match group {
                    Group::Preshader => &mut stats.preshader,
                    Group::Pixel => &mut stats.pixel,
                };
                let deep = &mut depth[group as usize];
                *deep += 1;
                of.nodes += 1;
                of.cost += u64::from(node.cost);
                of.depth = of.depth.max(*deep);
                *of.classes.entry(class_name(node.kind)).or_default() += 1;
            }
            depths.push(depth);
        }
        stats
    }

    /// The statistics of a group.
    pub fn of(&self, group: Group) -> &Of {
        match group {
            Group::Preshader => &self.preshader,
            Group::Pixel => &self.pixel,
        }
    }

    /// A summary of a few lines.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for group in [Group::Preshader, Group::Pixel] {
            let of = self.of(group);
            let classes: Vec<String> = of.classes.iter().map(|(class, n)| format!("{n} {class}")).collect();
            text += &format!("{:10} {:6} nodes  cost {:6}  depth {:4}", group.name(), of.nodes, of.cost, of.depth);
            text += &if classes.is_empty() { "\n".into() } else { format!("  ({})\n", classes.join(", ")) };
        }
        text
    }
}

/// The class of a node's op, as in the op reference.
pub(crate) fn class_name(kind: Kind) -> &'static str {
    let Kind::Op(op, _) = kind else { return "call" };
    match op.info().class {
        Class::Unary => "unary",
        Class::Binary => "binary",
        Class::Compare => "compare",
        Class::BuiltIn => "built_in",
        Class::Construct => "construct",
        Class::Extract => "extract",
        Class::Access => "access",
        Class::Memory => "memory",
        Class::Call => "call",
        Class::Texture => "texture",
        Class::Stage => "stage",
        Class::Subgroup => "subgroup",
        Class::Machine => "machine",
        Class::Simd => "simd",
        Class::Token => "token",
        Class::Custom => "custom",
    }
}
