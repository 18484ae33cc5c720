//! The graph as a picture: a layered drawing, from inputs at the top to outputs at the bottom. Self-contained SVG.
//!
//! The steps are those of Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system
//! structures" (1981): [`layers`] assigns every box to a layer and bends to every long edge; [`cross`] orders each
//! layer with few crossings, by barycenters; [`place`] computes coordinates, by least squares under the order; [`draw`]
//! writes. A *vertex* of the layout is a box, or a bend where a wire crosses a layer.

mod cross;
mod draw;
mod layers;
mod place;

use std::fmt::{self, Write};

use crate::graph::Graph;

/// The picture.
pub fn text(graph: &Graph) -> String {
    let mut out = String::new();
    write(graph, &mut out).expect("a string takes all");
    out
}

/// Writes the picture. O(n log n) in the number of boxes and bends; the longest wires of very large graphs are
/// straight.
///
/// # Errors
/// Those of `out`.
pub fn write(graph: &Graph, out: &mut dyn Write) -> fmt::Result {
    let mut layout = layers::Layout::new(graph);
    cross::reduce(&mut layout);
    if cross::split_leaves(&mut layout, |node| graph.nodes[node as usize].kind.is_leaf()) {
        cross::reduce(&mut layout);
    }
    let places = place::place(&layout);
    draw::write(graph, &layout, &places, out)
}
