//! Sampling: coordinates to texels to a filtered colour, as in OpenGL ES 3.2, chapter 8.

use super::{Comparison, Filter, SamplerState, Texture, Wrap};
use crate::types::{Dim, ImageType, Scalar};

/// The level of detail of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lod {
    /// Explicit level.
    Level(f32),
    /// From the derivatives of the coordinate along x and y, and a bias.
    Change { dx: [f32; 3], dy: [f32; 3], bias: f32 },
}

/// Parameters of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query {
    pub(super) image: ImageType,
    /// Already divided, if projective.
    pub(super) coordinate: [f32; 4],
    pub(super) compare: Option<f32>,
    pub(super) lod: Lod,
    pub(super) min_lod: f32,
    pub(super) offset: [i32; 3],
}

/// A texture and its sampler.
#[derive(Clone, Copy)]
pub struct Sampling<'a> {
    /// The texture.
    pub texture: &'a dyn Texture,
    /// Its sampler.
    pub state: SamplerState,
}

/// Position on a texture: a face or layer, and normalized coordinates in it.
#[derive(Clone, Copy)]
struct Place {
    at: [f32; 3],
    layer: u32,
}

/// Face (0 to 5: +x -x +y -y +z -z) and coordinates on it, -1 to 1, of a direction.
fn face([x, y, z]: [f32; 3]) -> (u32, f32, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if ax >= ay && ax >= az {
        if x >= 0.0 { (0, -z, -y, ax) } else { (1, z, -y, ax) }
    } else if ay >= az {
        if y >= 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
    } else if z >= 0.0 {
        (4, x, -y, az)
    } else {
        (5, -x, -y, az)
    }
}

/// The direction of a position on a face: inverse of [`face`].
fn direction(face: u32, s: f32, t: f32) -> [f32; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

fn nearest_layer(x: f32, count: u32) -> u32 {
    // NaN and negative numbers become 0.
    (x.round_ties_even() as u32).min(count.saturating_sub(1))
}

fn place(query: &Query, texture: &dyn Texture) -> Place {
    let c = query.coordinate;
    let size = texture.size(0);
    match query.image.dim {
        Dim::Cube => {
            let (face, s, t, m) = face([c[0], c[1], c[2]]);
            let cubes = size[2] / 6;
            let cube = if query.image.arrayed { nearest_layer(c[3], cubes) } else { 0 };
            Place { at: [(s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0, 0.0], layer: 6 * cube + face }
        }
        Dim::D1 => {
            let layer = if query.image.arrayed { nearest_layer(c[1], size[2]) } else { 0 };
            Place { at: [c[0], 0.5, 0.0], layer }
        }
        Dim::D3 => Place { at: [c[0], c[1], c[2]], layer: 0 },
        Dim::Rect => Place { at: [c[0] / size[0] as f32, c[1] / size[1] as f32, 0.0], layer: 0 },
        _ => {
            let layer = if query.image.arrayed { nearest_layer(c[2], size[2]) } else { 0 };
            Place { at: [c[0], c[1], 0.0], layer }
        }
    }
}

/// Derivative of the coordinates on a cube's face, from that of the direction.
fn face_change(c: [f32; 4], d: [f32; 3]) -> [f32; 3] {
    let (face_number, s, t, m) = face([c[0], c[1], c[2]]);
    // The axes of the same face for a neighbouring direction.
    let axis = |v: [f32; 3]| match face_number {
        0 => (-v[2], -v[1], v[0]),
        1 => (v[2], -v[1], -v[0]),
        2 => (v[0], v[2], v[1]),
        3 => (v[0], -v[2], -v[1]),
        4 => (v[0], -v[1], v[2]),
        _ => (-v[0], -v[1], -v[2]),
    };
    let (ds, dt, dm) = axis(d);
    [(ds * m - s * dm) / (m * m) / 2.0, (dt * m - t * dm) / (m * m) / 2.0, 0.0]
}

/// The computed level of detail, before clamping to the existing levels.
fn level_of_detail(query: &Query, texture: &dyn Texture) -> f32 {
    let (dx, dy, bias) = match query.lod {
        Lod::Level(level) => return level.max(query.min_lod),
        Lod::Change { dx, dy, bias } => (dx, dy, bias),
    };
    let (dx, dy) = match query.image.dim {
        Dim::Cube => (face_change(query.coordinate, dx), face_change(query.coordinate, dy)),
        _ => (dx, dy),
    };
    let size = texture.size(0);
    let axes = if query.image.dim == Dim::Cube { 2 } else { usize::from(query.image.dim.coordinates()) };
    let length = |d: [f32; 3]| {
        let scaled = (0..axes).map(|i| d[i] * if query.image.dim == Dim::Rect { 1.0 } else { size[i] as f32 });
        scaled.map(|x| x * x).sum::<f32>().sqrt()
    };
    let rho = length(dx).max(length(dy));
    let lod = if rho > 0.0 { (f64::from(rho)).log2() as f32 } else { -1000.0 };
    (lod + bias).max(query.min_lod)
}

/// The clamped and the computed level of detail.
pub(super) fn query_lod(sampling: Sampling<'_>, query: &Query) -> [f32; 2] {
    let lod = level_of_detail(query, sampling.texture);
    let last = sampling.texture.levels().saturating_sub(1) as f32;
    let clamped = match sampling.state.mipmap {
        None => 0.0,
        Some(Filter::Nearest) => (lod.clamp(0.0, last) + 0.5).ceil() - 1.0,
        Some(Filter::Linear) => lod.clamp(0.0, last),
    };
    [clamped.max(0.0), lod]
}

/// A filtered sample, as bits of the sampled type; comparisons give one component.
pub(super) fn sample(sampling: Sampling<'_>, query: &Query) -> [u32; 4] {
    let place = place(query, sampling.texture);
    let lod = level_of_detail(query, sampling.texture);
    let last = sampling.texture.levels().saturating_sub(1);
    let state = sampling.state;
    let filter = if lod > 0.0 { state.minify } else { state.magnify };
    if query.image.sampled != Scalar::F32 {
        // Integers are never filtered.
        let level = if state.mipmap.is_some() { nearest_level(lod, last) } else { 0 };
        return nearest(sampling, query, place, level);
    }
    let at = |level| filtered(sampling, query, place, level, filter);
    let result = match state.mipmap {
        None => at(0),
        _ if lod <= 0.0 || last == 0 => at(0),
        Some(Filter::Nearest) => at(nearest_level(lod, last)),
        Some(Filter::Linear) => {
            let lod = lod.min(last as f32);
            let (low, weight) = (lod.floor(), lod - lod.floor());
            if weight == 0.0 { at(low as u32) } else { mix(at(low as u32), at((low as u32 + 1).min(last)), weight) }
        }
    };
    result.map(f32::to_bits)
}

fn nearest_level(lod: f32, last: u32) -> u32 {
    ((lod.clamp(0.0, last as f32) + 0.5).ceil() - 1.0).max(0.0) as u32
}

fn mix(a: [f32; 4], b: [f32; 4], weight: f32) -> [f32; 4] {
    std::array::from_fn(|c| a[c] * (1.0 - weight) + b[c] * weight)
}

/// The index of a texel after wrapping; `None` for the border.
fn wrap(wrap: Wrap, index: i64, size: u32) -> Option<u32> {
    let size = i64::from(size.max(1));
    Some(match wrap {
        Wrap::Clamp => index.clamp(0, size - 1),
        Wrap::Repeat => index.rem_euclid(size),
        Wrap::Mirror => {
            let at = index.rem_euclid(2 * size);
            if at < size { at } else { 2 * size - 1 - at }
        }
        Wrap::Border => (0..size).contains(&index).then_some(index)?,
    } as u32)
}

/// The texel at an index that may lie outside, as bits.
fn texel(sampling: Sampling<'_>, query: &Query, at: [i64; 3], layer: u32, level: u32) -> [u32; 4] {
    let size = sampling.texture.size(level);
    if query.image.dim == Dim::Cube {
        return cube_texel(sampling, at, layer, level, size);
    }
    let modes = if query.image.dim == Dim::Rect { [Wrap::Clamp; 3] } else { sampling.state.wrap };
    let x = wrap(modes[0], at[0], size[0]);
    let y = wrap(modes[1], at[1], size[1]);
    let z = if query.image.dim == Dim::D3 { wrap(modes[2], at[2], size[2]) } else { Some(layer) };
    match (x, y, z) {
        (Some(x), Some(y), Some(z)) => sampling.texture.texel([x, y, z], level),
        _ => [0; 4],
    }
}

/// Across the edge of a face is another one, determined by the direction of the texel's center.
fn cube_texel(sampling: Sampling<'_>, at: [i64; 3], layer: u32, level: u32, size: [u32; 3]) -> [u32; 4] {
    let n = i64::from(size[0].max(1));
    let inside = (0..n).contains(&at[0]) && (0..n).contains(&at[1]);
    if inside {
        return sampling.texture.texel([at[0] as u32, at[1] as u32, layer], level);
    }
    let centre = |i: i64| (i as f32 + 0.5) / n as f32 * 2.0 - 1.0;
    let (next, s, t, m) = face(direction(layer % 6, centre(at[0]), centre(at[1])));
    let index = |x: f32| (((x / m + 1.0) / 2.0 * n as f32).floor() as i64).clamp(0, n - 1) as u32;
    sampling.texture.texel([index(s), index(t), layer / 6 * 6 + next], level)
}

/// A coordinate in texels; NaN and values too large to distinguish texels are zero.
fn scaled(at: f32, size: u32) -> f32 {
    let x = at * size as f32;
    if x.is_finite() && x.abs() < 1e9 { x } else { 0.0 }
}

fn nearest(sampling: Sampling<'_>, query: &Query, place: Place, level: u32) -> [u32; 4] {
    let size = sampling.texture.size(level);
    let at = std::array::from_fn(|i| scaled(place.at[i], size[i]).floor() as i64 + i64::from(query.offset[i]));
    texel(sampling, query, at, place.layer, level)
}

/// A texel as a colour, or the result of the comparison.
fn value(sampling: Sampling<'_>, query: &Query, bits: [u32; 4]) -> [f32; 4] {
    let colour = bits.map(f32::from_bits);
    let Some(depth) = query.compare else { return colour };
    let (depth, texel) = (depth.clamp(0.0, 1.0), colour[0]);
    let passes = match sampling.state.compare {
        Comparison::Never => false,
        Comparison::Less => depth < texel,
        Comparison::LessEqual => depth <= texel,
        Comparison::Greater => depth > texel,
        Comparison::GreaterEqual => depth >= texel,
        Comparison::Equal => depth == texel,
        Comparison::NotEqual => depth != texel,
        Comparison::Always => true,
    };
    [f32::from(u8::from(passes)), 0.0, 0.0, 1.0]
}

/// First texel, and weight of the second, along an axis.
fn span(at: f32, size: u32, offset: i32) -> (i64, f32) {
    let x = scaled(at, size) - 0.5;
    let low = x.floor();
    (low as i64 + i64::from(offset), x - low)
}

fn filtered(sampling: Sampling<'_>, query: &Query, place: Place, level: u32, filter: Filter) -> [f32; 4] {
    if filter == Filter::Nearest {
        return value(sampling, query, nearest(sampling, query, place, level));
    }
    let size = sampling.texture.size(level);
    let spans: [(i64, f32); 3] = std::array::from_fn(|i| span(place.at[i], size[i], query.offset[i]));
    let at = |x, y, z| {
        let at = [spans[0].0 + x, spans[1].0 + y, spans[2].0 + z];
        value(sampling, query, texel(sampling, query, at, place.layer, level))
    };
    let row = |y, z| mix(at(0, y, z), at(1, y, z), spans[0].1);
    if query.image.dim == Dim::D1 {
        let y = place.at[1];
        debug_assert_eq!(y, 0.5);
        return row(0, 0);
    }
    let plane = |z| mix(row(0, z), row(1, z), spans[1].1);
    if query.image.dim == Dim::D3 { mix(plane(0), plane(1), spans[2].1) } else { plane(0) }
}

/// One component of the four texels of a bilinear sample: `(0,1) (1,1) (1,0) (0,0)`. `offsets`: an offset for each.
pub(super) fn gather(
    sampling: Sampling<'_>,
    query: &Query,
    component: usize,
    offsets: Option<[[i32; 2]; 4]>,
) -> [u32; 4] {
    let place = place(query, sampling.texture);
    let size = sampling.texture.size(0);
    let corners = [(0, 1), (1, 1), (1, 0), (0, 0)];
    std::array::from_fn(|i| {
        let (dx, dy) = match offsets {
            // With individual offsets, each uses its own (0,0) texel.
            Some(_) => (0, 0),
            None => corners[i],
        };
        let offset = offsets.map_or([query.offset[0], query.offset[1]], |o| o[i]);
        let at = [span(place.at[0], size[0], offset[0]).0 + dx, span(place.at[1], size[1], offset[1]).0 + dy, 0];
        let bits = texel(sampling, query, at, place.layer, 0);
        if query.compare.is_some() { value(sampling, query, bits)[0].to_bits() } else { bits[component] }
    })
}

/// The texel at integer coordinates; zero outside.
pub(super) fn fetch(texture: &dyn Texture, image: ImageType, at: [i32; 4], level: i32, offset: [i32; 3]) -> [u32; 4] {
    if level < 0 || level as u32 >= texture.levels() {
        return [0; 4];
    }
    let size = texture.size(level as u32);
    let axes = usize::from(image.dim.coordinates());
    let mut index = [0i32; 3];
    for i in 0..axes.min(3) {
        index[i] = at[i].wrapping_add(offset[i]);
    }
    if image.arrayed {
        index[2] = at[axes.min(3)];
    }
    let inside = (0..3).all(|i| index[i] >= 0 && (index[i] as u32) < size[i]);
    if inside { texture.texel(index.map(|i| i as u32), level as u32) } else { [0; 4] }
}
