//! The shaders whose two pictures differ, and why that is no error of ours.

use crate::twins::Form;

/// Name and reason. A reason names the operation that differs, and the freedom that the GLSL specification allows for
/// it.
pub(crate) const EXCEPTIONS: &[(&str, &str)] = &[
    ("burning_ship", "the masts are chaotic: a rounding of the place grows with every one of 80 steps"),
    ("planished", "its hash takes the sine of numbers up to 10,000 and keeps the digits behind the fourth"),
    ("swirl", LEVEL),
    ("cesium/ambient-occlusion-flat-1cab6e14.frag", NAN),
    ("cesium/model-instanced-all-transformed-attenuated-webgl1-69bdd09c.frag", LEVEL),
    ("gl-transitions/colorphase-a938e7bb.frag", SMOOTHSTEP),
    (
        "maplibre-gl/linePattern-mercator-even-38c747b1.frag",
        "a pattern of no size (both corners are 0.5) divides by zero",
    ),
    (
        "postprocessing/blend-VIVID-LIGHT-1bc8390f.frag",
        "divides by what is nearly zero, so that roundings of the texture are seen",
    ),
    ("postprocessing/merged-bloom-mipmap-tone-ACES-FILMIC-lens-1e7f1f3d.frag", LEVEL),
    ("three/linedashed-in-log-depth-f2936c2c.frag", SMOOTHSTEP),
    (
        "three/pass-SMAAPass-8dd5a774.frag",
        "its searches along edges end where a sample passes a threshold, so that roundings move their ends",
    ),
    ("three-nodes/phong-skinned-eed865ff.frag", DIRECTION),
    ("three-nodes/physical-in-log-depth-b58e2686.frag", DIRECTION),
    (
        "three-nodes/shadow-skinned-2eb5f918.frag",
        "the depth that a shadow is compared with divides by the distance of two planes, which are both at 0.5",
    ),
    ("three-nodes/standard-in-shadows-vsm-083acb9e.frag", DIRECTION),
    ("three-nodes/tsl-mx-srgb-texture-to-lin-rec709-93d5d5b0.frag", DIRECTION),
    ("three-nodes/tsl-bits-143848c0.frag", "converts negative floats to `uint`, which GLSL leaves undefined"),
];

const LEVEL: &str =
    "between two levels of detail: llvmpipe takes the level by an approximate logarithm, and GLSL lets it";
const SMOOTHSTEP: &str = "`smoothstep` between an edge and itself (both are 0.5), which GLSL leaves undefined";
const DIRECTION: &str = "the direction of a light without length is NaN, and `clamp(NaN, 0.0, 1.0)` is 0 there and NaN here: GLSL leaves it open";
const NAN: &str =
    "the root of a negative number is NaN, and `max(NaN, 1.0)` is 1 there and NaN here: GLSL leaves it open";

/// The same for the shaders under `examples/flatten`, with the forms that may differ. Each reason was verified: with
/// the named operation replaced all forms agree (for the Mandelbrot set the GPU does not agree with itself).
const FLAT_EXCEPTIONS: &[(&str, &[Form], &str)] = &[
    ("flatten/bloom_lights", STRICT, HASH),
    (
        "flatten/cel_planet",
        STRICT,
        "on the diagonals the sine of three half turns is 0 but for its rounding, and its sign is the colour",
    ),
    ("flatten/channel_taps", STRICT, LEVEL),
    ("flatten/crt_tube", STRICT, LEVEL),
    ("flatten/disc_blur", STRICT, LEVEL),
    ("flatten/gaussian_weights", STRICT, LEVEL),
    ("flatten/mandelbrot_trap", STRICT, "the set's border is chaotic: roundings grow with every step"),
    (
        "flatten/mosaic_glass",
        ALL,
        "at the borders of stones the texture is read between far levels of detail: llvmpipe takes the level by an approximate logarithm, and GLSL lets it",
    ),
    ("flatten/rain_rings", STRICT, HASH),
    ("flatten/sharpen_limited", STRICT, LEVEL),
    (
        "flatten/side_effects",
        &[Form::Original],
        "of `pulls + pull(x)`, whose call writes `pulls`, Mesa makes the call first; the twins, which have no calls, agree",
    ),
    ("flatten/triplanar_rock", STRICT, LEVEL),
    ("flatten/warped_agate", STRICT, HASH),
];

/// Forms that must compute the same.
const STRICT: &[Form] = &[Form::Original, Form::Flat];
const ALL: &[Form] = &[Form::Original, Form::Flat, Form::Fast];
const HASH: &str = "its hash takes the sine of large numbers and keeps the digits behind the third or later";

/// Why a form of a shader may differ.
pub(crate) fn reason(name: &str, form: Form) -> Option<&'static str> {
    // Both compute what the author wrote.
    let form = if form == Form::Device { Form::Original } else { form };
    let plain = || EXCEPTIONS.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason);
    let flat = || FLAT_EXCEPTIONS.iter().find(|e| e.0 == name && e.1.contains(&form)).map(|e| e.2);
    flat().or_else(|| plain().filter(|_| form == Form::Original))
}
