//! Coordinates: each vertex close to its neighbours, in the order of its layer and without overlap.

use std::collections::BTreeMap;

use super::layers::{BOX_HEIGHT, Layout};
use crate::graph::NodeId;

/// Distance between boxes, and beside a crossing wire.
const GAP: f32 = 14.0;
const WIRE_GAP: f32 = 7.0;
/// Minimum distance between layers; increased for each wire with a large horizontal extent.
const LAYER_GAP: f32 = 26.0;

/// Coordinates of the layout.
pub(super) struct Places {
    /// Center of each vertex.
    pub(super) x: Vec<f32>,
    /// Top of each layer.
    pub(super) y: Vec<f32>,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// Computes coordinates. Sweeps down and up, each layer by least squares under its order.
pub(super) fn place(layout: &Layout) -> Places {
    let mut x = vec![0.0f32; layout.vertices.len()];
    for layer in &layout.layers {
        let mut at = 0.0;
        for (i, &v) in layer.iter().enumerate() {
            at += if i > 0 { distance(layout, layer[i - 1], v) } else { 0.0 };
            x[v as usize] = at;
        }
        // Layers are initially centered.
        layer.iter().for_each(|&v| x[v as usize] -= at / 2.0);
    }
    let rounds = if layout.vertices.len() > 50_000 { 4 } else { 30 };
    let neighbours = neighbours(layout);
    for round in 0..rounds {
        let count = layout.layers.len();
        for i in 0..count {
            let row = if round % 2 == 0 { i } else { count - 1 - i };
            solve_layer(layout, &layout.layers[row], &neighbours, &mut x);
        }
    }
    straighten(layout, &mut x);
    let left = layout.vertices.iter().zip(&x).map(|(v, &x)| x - v.width / 2.0).fold(f32::INFINITY, f32::min);
    let left = if left.is_finite() { left } else { 0.0 };
    x.iter_mut().for_each(|x| *x -= left);
    let width = layout.vertices.iter().zip(&x).map(|(v, &x)| x + v.width / 2.0).fold(0.0, f32::max);
    let mut y = Vec::with_capacity(layout.layers.len());
    let mut at = 0.0;
    for wires in &layout.wires {
        y.push(at);
        let far = wires.iter().map(|w| (x[w.from as usize] - x[w.to as usize]).abs()).fold(0.0, f32::max);
        at += BOX_HEIGHT + LAYER_GAP + (far / 12.0).min(36.0);
    }
    let height = y.last().map_or(0.0, |last| last + BOX_HEIGHT);
    Places { x, y, width, height }
}

/// Makes long wires vertical as far as the space between their neighbours allows. Least squares would let them drift.
fn straighten(layout: &Layout, x: &mut [f32]) {
    // Row and index of each vertex; bends by the node of their wire, from the top.
    let mut at = vec![(0, 0); layout.vertices.len()];
    let mut chains: BTreeMap<NodeId, Vec<u32>> = BTreeMap::new();
    for (row, layer) in layout.layers.iter().enumerate() {
        for (i, &v) in layer.iter().enumerate() {
            at[v as usize] = (row, i);
            if !layout.vertices[v as usize].is_box {
                chains.entry(layout.vertices[v as usize].node).or_default().push(v);
            }
        }
    }
    let mut chains: Vec<Vec<u32>> = chains.into_values().collect();
    chains.sort_by_key(|chain| std::cmp::Reverse(chain.len()));
    for chain in &chains {
        let mut begin = 0;
        while begin < chain.len() {
            let (mut low, mut high) = (f32::NEG_INFINITY, f32::INFINITY);
            let mut end = begin;
            while let Some(&v) = chain.get(end) {
                let (l, h) = range(layout, at[v as usize], x);
                if l.max(low) > h.min(high) {
                    break;
                }
                (low, high) = (l.max(low), h.min(high));
                end += 1;
            }
            let end = end.max(begin + 1);
            let mut wanted: Vec<f32> = chain[begin..end].iter().map(|&v| x[v as usize]).collect();
            wanted.sort_by(f32::total_cmp);
            let place = wanted[wanted.len() / 2];
            if low <= high {
                chain[begin..end].iter().for_each(|&v| x[v as usize] = place.clamp(low, high));
            }
            begin = end;
        }
    }
}

/// The range of positions of a vertex, given its neighbours.
fn range(layout: &Layout, (row, i): (usize, usize), x: &[f32]) -> (f32, f32) {
    let layer = &layout.layers[row];
    let low =
        i.checked_sub(1).map_or(f32::NEG_INFINITY, |l| x[layer[l] as usize] + distance(layout, layer[l], layer[i]));
    let high = layer.get(i + 1).map_or(f32::INFINITY, |&r| x[r as usize] - distance(layout, layer[i], r));
    (low, high)
}

/// Minimum distance between the centers of a vertex and its right neighbour.
fn distance(layout: &Layout, a: u32, b: u32) -> f32 {
    let (a, b) = (&layout.vertices[a as usize], &layout.vertices[b as usize]);
    let gap = if a.is_box && b.is_box { GAP } else { WIRE_GAP };
    (a.width + b.width) / 2.0 + gap
}

/// Force on a vertex: the other end of a wire, its offset from the centers, and the weight.
struct Pull {
    other: u32,
    offset: f32,
    weight: f32,
}

fn neighbours(layout: &Layout) -> Vec<Vec<Pull>> {
    let mut all: Vec<Vec<Pull>> = Vec::new();
    all.resize_with(layout.vertices.len(), Vec::new);
    for wire in layout.wires.iter().flatten() {
        let (from, to) = (&layout.vertices[wire.from as usize], &layout.vertices[wire.to as usize]);
        let offset = to.port_offset(wire.port);
        // Wires through several layers should be straight.
        let weight = match (from.is_box, to.is_box) {
            (true, true) => 1.0,
            (false, false) => 8.0,
            _ => 2.0,
        };
        all[wire.from as usize].push(Pull { other: wire.to, offset, weight });
        all[wire.to as usize].push(Pull { other: wire.from, offset: -offset, weight });
    }
    all
}

/// A run of touching vertices: position of the first one without distances, sum of the weights, number.
struct Run {
    place: f64,
    weight: f64,
    count: usize,
}

/// Least squares under the order (pool adjacent violators; Barlow et al., 1972).
fn solve_layer(layout: &Layout, layer: &[u32], neighbours: &[Vec<Pull>], x: &mut [f32]) {
    let mut runs: Vec<Run> = vec![];
    let mut offsets = Vec::with_capacity(layer.len());
    let mut offset = 0.0f64;
    for (i, &v) in layer.iter().enumerate() {
        offset += if i > 0 { f64::from(distance(layout, layer[i - 1], v)) } else { 0.0 };
        offsets.push(offset);
        let pulls = &neighbours[v as usize];
        let weight: f64 = pulls.iter().map(|p| f64::from(p.weight)).sum();
        let sum: f64 = pulls.iter().map(|p| f64::from(p.weight * (x[p.other as usize] + p.offset))).sum();
        let (wanted, weight) = if weight > 0.0 { (sum / weight, weight) } else { (f64::from(x[v as usize]), 0.1) };
        let mut run = Run { place: wanted - offset, weight, count: 1 };
        while let Some(last) = runs.last().filter(|last| last.place > run.place) {
            let weight = last.weight + run.weight;
            let place = (last.place * last.weight + run.place * run.weight) / weight;
            run = Run { place, weight, count: last.count + run.count };
            runs.pop();
        }
        runs.push(run);
    }
    let mut i = 0;
    for run in runs {
        for _ in 0..run.count {
            x[layer[i] as usize] = (run.place + offsets[i]) as f32;
            i += 1;
        }
    }
}
