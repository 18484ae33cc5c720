//! Default values of uniforms and inputs, by the conventions of their names. `docs/drawing.md` is the same list for
//! readers: change both.

use planish_ir::types::Scalar;

use super::DrawOptions;
use super::names::Leaf;

/// A name without common prefixes: `uTime`, `u_time`, `iTime`, `_Time`, `v_uv`, `vUv`.
fn plain(name: &str) -> String {
    let name = name.trim_start_matches('_');
    let mut rest = name;
    for prefix in ["u_", "v_", "i_", "in_", "a_", "f_", "g_", "fs_", "vs_", "frag_", "var_"] {
        if let Some(after) = name.strip_prefix(prefix) {
            rest = after;
            break;
        }
    }
    if rest == name {
        let mut letters = name.chars();
        if let (Some('u' | 'i' | 'v' | 'f' | 'a'), Some('A'..='Z')) = (letters.next(), letters.next()) {
            rest = &name[1..];
        }
    }
    rest.to_ascii_lowercase().replace('_', "")
}

fn has(name: &str, words: &[&str]) -> bool {
    words.iter().any(|w| name.contains(w))
}

fn is(name: &str, words: &[&str]) -> bool {
    words.contains(&name)
}

/// `value`, repeated or truncated to `n` components.
fn fill(value: &[f64], n: usize) -> Vec<f64> {
    value.iter().copied().cycle().take(n).collect()
}

/// `value`, with ones after it.
fn extend(value: &[f64], n: usize) -> Vec<f64> {
    value.iter().copied().chain(std::iter::repeat(1.0)).take(n).collect()
}

fn identity(size: usize, rows: usize) -> Vec<f64> {
    (0..size).map(|i| f64::from(u8::from(i / rows == i % rows))).collect()
}

/// The components of a uniform, all elements.
pub(super) fn uniform(leaf: &Leaf, options: &DrawOptions<'_>) -> Vec<f64> {
    let name = plain(&leaf.name);
    let n = leaf.element;
    let value = match leaf.rows {
        Some(rows) => identity(n, rows),
        None => plain_uniform(&name, n, leaf.scalar, options),
    };
    fill(&value, n * leaf.count)
}

fn plain_uniform(name: &str, n: usize, scalar: Scalar, options: &DrawOptions<'_>) -> Vec<f64> {
    let [width, height] = options.size.map(f64::from);
    let time = f64::from(options.time);
    match scalar {
        Scalar::Bool => return fill(&[0.0], n),
        s if s.is_integer() => {
            if has(name, &["resolution", "viewport", "screensize", "size"]) && n >= 2 {
                return extend(&[width, height], n);
            }
            if is(name, &["frame", "framecount", "frameindex"]) {
                return vec![options.frame.into()];
            }
            let value = if has(name, &["iteration", "samples", "steps", "octaves"]) { 4.0 } else { 1.0 };
            return fill(&[value], n);
        }
        _ => {}
    }
    match n {
        1 => vec![scalar_uniform(name, width, height, time, options)],
        _ if has(name, &["channelresolution", "texturesize", "mapsize", "texsize"]) => extend(&[128.0, 128.0], n),
        _ if has(name, &["texelsize", "pixelsize", "inverseres", "invres", "invresolution", "texel", "onepixel"]) => {
            fill(&[1.0 / width, 1.0 / height], n)
        }
        _ if has(name, &["resolution", "viewport", "screensize", "canvas", "windowsize"]) || name == "size" => {
            if n == 4 { vec![width, height, 1.0 / width, 1.0 / height] } else { extend(&[width, height], n) }
        }
        _ if has(name, &["mouse", "pointer"]) => fill(&options.mouse.map(f64::from), n),
        _ if name == "date" => fill(&[2024.0, 0.0, 1.0, time], n),
        _ if name == "time" => fill(&[time / 20.0, time, 2.0 * time, 3.0 * time], n),
        _ if name == "channeltime" => fill(&[time], n),
        4 if has(name, &["transform", "offsetrepeat", "uvrect", "region"]) => vec![0.0, 0.0, 1.0, 1.0],
        2 if has(name, &["offset", "center", "centre"]) => fill(&[0.0], n),
        2 if has(name, &["repeat", "scale"]) => fill(&[1.0], n),
        _ if has(name, &["emissive", "fogcolor"]) => extend(&[0.0, 0.0, 0.0], n),
        _ if has(name, &["ambient"]) => extend(&[0.2, 0.2, 0.2], n),
        _ if has(name, &["specular"]) => extend(&[0.3, 0.3, 0.3], n),
        _ if has(name, &["light", "sun"]) && has(name, &["dir", "vector"]) => fill(&[0.48, 0.62, 0.62, 0.0], n),
        _ if has(name, &["light", "sun"]) && has(name, &["pos"]) => extend(&[2.0, 3.0, 4.0], n),
        _ if has(name, &["camera", "eye", "viewpos"]) => extend(&[0.0, 0.0, 3.0], n),
        _ if has(name, &["color", "colour", "diffuse", "albedo", "tint"]) => extend(&[0.9, 0.8, 0.7], n),
        _ if has(name, &["direction", "axis", "normal"]) => fill(&[0.0, 0.0, 1.0, 0.0], n),
        _ => fill(&[0.5], n),
    }
}

fn scalar_uniform(name: &str, width: f64, height: f64, time: f64, options: &DrawOptions<'_>) -> f64 {
    match name {
        _ if has(name, &["timedelta", "deltatime"]) => 1.0 / f64::from(options.frame_rate),
        "dt" => 1.0 / f64::from(options.frame_rate),
        _ if has(name, &["time", "elapsed", "seconds", "clock"]) => time,
        "frame" => options.frame.into(),
        "framerate" | "fps" => options.frame_rate.into(),
        "samplerate" => 44100.0,
        "width" => width,
        "height" => height,
        _ if has(name, &["aspect", "ratio"]) => width / height,
        _ if has(name, &["pixelratio", "dpr"]) => 1.0,
        // Equal `fogNear` and `fogFar` would divide zero by zero.
        _ if name.ends_with("near") => 0.1,
        _ if name.ends_with("far") => 100.0,
        _ if has(name, &["emissive", "fogdensity", "metal"]) => 0.0,
        _ if has(
            name,
            &["opacity", "alpha", "intensity", "strength", "scale", "exposure", "gamma", "zoom", "speed"],
        ) =>
        {
            1.0
        }
        _ if has(name, &["shininess"]) => 30.0,
        _ => 0.5,
    }
}

/// Position of a fragment: 0 to 1 from the lower left, of the pixel's center.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub(super) u: f64,
    pub(super) v: f64,
}

/// Computation of an input's value from the position.
#[derive(Clone, Debug)]
pub(super) enum Recipe {
    /// Constant.
    Fixed(Vec<f64>),
    /// `u`
    Across,
    /// The first components of `u, v, 0.5, 1`, by number.
    Ramp(usize),
    /// `x, y`, followed by these.
    Clip(Vec<f64>),
    /// `x, y, 1`, normalized.
    Ray,
}

impl Recipe {
    /// The components of one element at a position.
    pub(super) fn value(&self, position: Position) -> Vec<f64> {
        let Position { u, v } = position;
        let (x, y) = (2.0 * u - 1.0, 2.0 * v - 1.0);
        match self {
            Recipe::Fixed(value) => value.clone(),
            Recipe::Across => vec![u],
            Recipe::Ramp(n) => [u, v, 0.5, 1.0].into_iter().take(*n).collect(),
            Recipe::Clip(rest) => [x, y].into_iter().chain(rest.iter().copied()).collect(),
            Recipe::Ray => {
                let length = (x * x + y * y + 1.0).sqrt();
                vec![x / length, y / length, 1.0 / length]
            }
        }
    }
}

/// The default of an input of a fragment shader with elements of `n` components.
pub(super) fn input(name: &str, n: usize, scalar: Scalar, rows: Option<usize>) -> Recipe {
    let name = &plain(name)[..];
    if let Some(rows) = rows {
        return Recipe::Fixed(identity(n, rows));
    }
    if !scalar.is_float() {
        return Recipe::Fixed(fill(&[0.0], n));
    }
    let is_position = has(name, &["pos", "ndc", "clip", "world"]) || is(name, &["p", "point", "vertex"]);
    match n {
        1 if has(name, &["alpha", "opacity", "shade", "light", "fade", "visib", "intensity"]) => {
            Recipe::Fixed(vec![1.0])
        }
        1 if has(name, &["depth", "fog", "dist"]) => Recipe::Fixed(vec![0.5]),
        1 => Recipe::Across,
        2 if has(name, &["uv", "tex", "coord"]) || !is_position => Recipe::Ramp(2),
        2 => Recipe::Clip(Vec::new()),
        _ if has(name, &["bitangent", "binormal"]) => Recipe::Fixed(fill(&[0.0, 1.0, 0.0, 1.0], n)),
        _ if has(name, &["tangent"]) => Recipe::Fixed(extend(&[1.0, 0.0, 0.0], n)),
        _ if has(name, &["normal"]) || is(name, &["n", "norm"]) => Recipe::Fixed(fill(&[0.0, 0.0, 1.0, 0.0], n)),
        _ if has(name, &["color", "colour", "tint", "uv", "tex", "shadow"]) => Recipe::Ramp(n),
        3 if has(name, &["viewpos", "eyepos", "viewposition", "eyeposition", "mvposition"]) => Recipe::Clip(vec![-1.0]),
        3 if has(name, &["dir", "ray", "reflect", "refract", "eye", "view", "light", "half"]) => Recipe::Ray,
        _ if is_position => Recipe::Clip(extend(&[0.0], n - 2)),
        _ => Recipe::Ramp(n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_prefixes() {
        for name in ["uTime", "u_time", "iTime", "_time", "time"] {
            assert_eq!(plain(name), "time", "{name}");
        }
        assert_eq!(
            (plain("vUv"), plain("v_texCoord"), plain("index")),
            ("uv".into(), "texcoord".into(), "index".into())
        );
    }

    #[test]
    fn uniforms_follow_their_names() {
        let options = DrawOptions { size: [320, 200], time: 2.0, ..DrawOptions::default() };
        let float = |name: &str, n| plain_uniform(&plain(name), n, Scalar::F32, &options);
        assert_eq!(float("uTime", 1), [2.0]);
        assert_eq!(float("iResolution", 3), [320.0, 200.0, 1.0]);
        assert_eq!(float("texelSize", 2), [1.0 / 320.0, 1.0 / 200.0]);
        assert!(float("fogNear", 1)[0] < float("fogFar", 1)[0]);
        assert_eq!(float("progress", 1), [0.5]);
        assert_eq!(identity(6, 3), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}
