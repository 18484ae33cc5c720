//! Crossing reduction within layers, by barycenters and by exchanging neighbours.

use super::layers::{Layout, Wire};
use crate::graph::NodeId;

/// Reorders the vertices of each layer to reduce crossings. The best order found is kept.
pub(super) fn reduce(layout: &mut Layout) {
    let size = layout.vertices.len();
    let rounds = match size {
        0..=2_000 => 24,
        2_001..=50_000 => 8,
        _ => 2,
    };
    let ends = Ends::new(layout);
    let mut position = positions(layout);
    let mut best = (crossings(layout, &position), layout.layers.clone());
    for round in 0..rounds {
        let down = round % 2 == 0;
        sweep(layout, &ends, &mut position, down);
        if size <= 2_000 {
            exchange(layout, &ends, &mut position);
        }
        let count = crossings(layout, &position);
        if count < best.0 {
            best = (count, layout.layers.clone());
        }
    }
    layout.layers = best.1;
}

/// Maximum distance between users of a leaf that share a box.
const NEAR: f32 = 2.5;

/// Gives leaves further boxes instead of wires across a row. Returns whether there are any; the order must then be
/// reduced again.
pub(super) fn split_leaves(layout: &mut Layout, is_leaf: impl Fn(NodeId) -> bool) -> bool {
    let position = positions(layout);
    let mut split = false;
    for row in 0..layout.layers.len() {
        let layer = std::mem::take(&mut layout.layers[row]);
        let mut order = Vec::with_capacity(layer.len());
        // Wires of the row by their upper vertex, in the order of their lower ends.
        let ends = |wire: &Wire| (wire.from, position[wire.to as usize]);
        let mut wires: Vec<(u32, f32, usize)> =
            layout.wires[row].iter().map(ends).enumerate().map(|(i, (from, to))| (from, to, i)).collect();
        wires.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for v in layer {
            order.push(v);
            let vertex = layout.vertices[v as usize].clone();
            if !vertex.is_box || !is_leaf(vertex.node) {
                continue;
            }
            let begin = wires.partition_point(|w| w.0 < v);
            let (mut last, mut at) = (f32::INFINITY, v);
            for &(_, to, i) in wires[begin..].iter().take_while(|w| w.0 == v) {
                if to - last > NEAR {
                    at = layout.vertices.len() as u32;
                    layout.vertices.push(vertex.clone());
                    order.push(at);
                    split = true;
                }
                layout.wires[row][i].from = at;
                last = to;
            }
        }
        layout.layers[row] = order;
    }
    split
}

/// Wires of each vertex: at its top (other end above) and at its bottom (other end below).
struct Ends {
    above: Vec<Vec<Wire>>,
    below: Vec<Vec<Wire>>,
}

impl Ends {
    fn new(layout: &Layout) -> Self {
        let mut ends = Ends { above: vec![vec![]; layout.vertices.len()], below: vec![vec![]; layout.vertices.len()] };
        for &wire in layout.wires.iter().flatten() {
            ends.above[wire.to as usize].push(wire);
            ends.below[wire.from as usize].push(wire);
        }
        ends
    }
}

fn positions(layout: &Layout) -> Vec<f32> {
    let mut position = vec![0.0; layout.vertices.len()];
    for layer in &layout.layers {
        for (i, &v) in layer.iter().enumerate() {
            position[v as usize] = i as f32;
        }
    }
    position
}

/// Position at which a wire arrives, in units of vertices: ports of one box are side by side.
fn arrives(layout: &Layout, position: &[f32], wire: Wire) -> f32 {
    let ports = layout.vertices[wire.to as usize].ports.max(1) as f32;
    position[wire.to as usize] + (wire.port as f32 + 1.0) / (ports + 1.0) - 0.5
}

/// Orders each layer by the mean position of its neighbours in the previous layer.
fn sweep(layout: &mut Layout, ends: &Ends, position: &mut [f32], down: bool) {
    let count = layout.layers.len();
    for i in 0..count {
        let row = if down { i } else { count - 1 - i };
        let layer = std::mem::take(&mut layout.layers[row]);
        let mut keyed: Vec<(f32, u32)> = Vec::with_capacity(layer.len());
        for &v in &layer {
            let wires = if down { &ends.above[v as usize] } else { &ends.below[v as usize] };
            let sum: f32 = wires
                .iter()
                .map(|&w| if down { position[w.from as usize] } else { arrives(layout, position, w) })
                .sum();
            // A vertex without wires on this side keeps its position.
            let key = if wires.is_empty() { position[v as usize] } else { sum / wires.len() as f32 };
            keyed.push((key, v));
        }
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        layout.layers[row] = keyed.iter().map(|k| k.1).collect();
        for (i, &v) in layout.layers[row].iter().enumerate() {
            position[v as usize] = i as f32;
        }
    }
}

/// Exchanges neighbours if that reduces crossings, to a fixpoint.
fn exchange(layout: &mut Layout, ends: &Ends, position: &mut [f32]) {
    for row in 0..layout.layers.len() {
        for _ in 0..8 {
            let mut gained = false;
            for i in 1..layout.layers[row].len() {
                let (a, b) = (layout.layers[row][i - 1], layout.layers[row][i]);
                let (now, then) = pair_crossings(layout, ends, position, a, b);
                if then < now {
                    layout.layers[row].swap(i - 1, i);
                    (position[a as usize], position[b as usize]) = (i as f32, i as f32 - 1.0);
                    gained = true;
                }
            }
            if !gained {
                break;
            }
        }
    }
}

/// Number of crossings between the wires of two neighbours, in the current order and exchanged.
fn pair_crossings(layout: &Layout, ends: &Ends, position: &[f32], a: u32, b: u32) -> (usize, usize) {
    let (mut now, mut then) = (0, 0);
    for above in [true, false] {
        let far = |v: u32| {
            let wires = if above { &ends.above[v as usize] } else { &ends.below[v as usize] };
            wires.iter().map(move |&w| if above { position[w.from as usize] } else { arrives(layout, position, w) })
        };
        for x in far(a) {
            for y in far(b) {
                now += usize::from(x > y);
                then += usize::from(x < y);
            }
        }
    }
    (now, then)
}

/// Number of all crossings. O(wires · log wires) by counting inversions.
fn crossings(layout: &Layout, position: &[f32]) -> u64 {
    layout
        .wires
        .iter()
        .map(|wires| {
            let mut ends: Vec<(f32, f32)> =
                wires.iter().map(|&w| (position[w.from as usize], arrives(layout, position, w))).collect();
            ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let mut lower: Vec<f32> = ends.into_iter().map(|e| e.1).collect();
            inversions(&mut lower)
        })
        .sum()
}

/// Number of inversions; sorts. Recursion depth is logarithmic in the length.
fn inversions(values: &mut [f32]) -> u64 {
    if values.len() < 2 {
        return 0;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    let mut count = inversions(left) + inversions(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        if j == right.len() || i < left.len() && left[i] <= right[j] {
            merged.push(left[i]);
            i += 1;
        } else {
            count += (left.len() - i) as u64;
            merged.push(right[j]);
            j += 1;
        }
    }
    values.copy_from_slice(&merged);
    count
}

#[cfg(test)]
mod tests {
    #[test]
    fn inversions_are_counted() {
        assert_eq!(super::inversions(&mut [1.0, 2.0, 2.0, 3.0]), 0);
        assert_eq!(super::inversions(&mut [3.0, 2.0, 1.0]), 3);
        assert_eq!(super::inversions(&mut [2.0, 1.0, 4.0, 3.0, 0.0]), 6);
    }
}
