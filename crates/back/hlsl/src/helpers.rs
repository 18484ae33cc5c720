//! Functions that the output brings along, as source text: what HLSL has not, or not with the meaning of the IR.

use planish_ir::types::{Dim, ImageKind, ImageType, Scalar};

/// A function of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Helper {
    /// `ldexp` of vectors of this size. That of HLSL multiplies by one power, which may overflow where the result does not.
    Ldexp(u8),
    /// `frexp` of vectors of this size. That of HLSL drops the sign.
    Frexp(u8),
    PackHalf,
    UnpackHalf,
    Pack {
        signed: bool,
        lanes: u8,
    },
    Unpack {
        signed: bool,
        lanes: u8,
    },
    /// The size of a texture, with its layers. `level`: of a level, by an argument.
    Size {
        image: ImageType,
        written: bool,
        level: bool,
    },
    /// A number of 64 bits of its two words, the low one first.
    FromWords(Scalar),
    /// The two words of a number of 64 bits.
    ToWords(Scalar),
    /// The number of bytes of a buffer.
    BufferSize {
        written: bool,
    },
    /// The number of levels or samples of a texture.
    Count {
        image: ImageType,
        levels: bool,
    },
}

fn vector(scalar: &str, n: u8) -> String {
    if n == 1 { scalar.to_owned() } else { format!("{scalar}{n}") }
}

/// The type of a texture: `Texture2D<float4>`.
pub(crate) fn texture(image: ImageType, written: bool) -> String {
    let dim = match image.dim {
        Dim::D1 => "1D",
        Dim::D3 => "3D",
        Dim::Cube if !matches!(image.kind, ImageKind::Storage(_)) => "Cube",
        Dim::Buffer => return format!("{}Buffer<{}>", if written { "RW" } else { "" }, texel_type(image)),
        _ => "2D",
    };
    let is_faces = image.dim == Dim::Cube && matches!(image.kind, ImageKind::Storage(_));
    let samples = if image.multisampled { "MS" } else { "" };
    let layers = if image.arrayed || is_faces { "Array" } else { "" };
    let prefix = if written { "RW" } else { "" };
    format!("{prefix}Texture{dim}{samples}{layers}<{}>", texel_type(image))
}

/// The type of a texel.
fn texel_type(image: ImageType) -> String {
    let scalar = match image.sampled {
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        _ => "float",
    };
    match image.kind {
        ImageKind::Storage(format) => {
            // Texels of a normalized format are floats of a range.
            let range = match format.name() {
                name if name.ends_with("snorm") => "snorm ",
                name if scalar == "float" && !name.ends_with('f') && !name.is_empty() => "unorm ",
                _ => "",
            };
            format!("{range}{}", vector(scalar, format.channels()))
        }
        _ => vector(scalar, 4),
    }
}

impl Helper {
    /// The preferred name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Helper::Ldexp(_) => "scale_by_power",
            Helper::Frexp(_) => "split_float",
            Helper::PackHalf => "pack_half",
            Helper::UnpackHalf => "unpack_half",
            Helper::Pack { signed: true, lanes: 2 } => "pack_snorm2x16",
            Helper::Pack { signed: false, lanes: 2 } => "pack_unorm2x16",
            Helper::Pack { signed: true, .. } => "pack_snorm4x8",
            Helper::Pack { signed: false, .. } => "pack_unorm4x8",
            Helper::Unpack { signed: true, lanes: 2 } => "unpack_snorm2x16",
            Helper::Unpack { signed: false, lanes: 2 } => "unpack_unorm2x16",
            Helper::Unpack { signed: true, .. } => "unpack_snorm4x8",
            Helper::Unpack { signed: false, .. } => "unpack_unorm4x8",
            Helper::Size { .. } => "texture_size",
            Helper::FromWords(Scalar::F64) => "double_of_words",
            Helper::FromWords(Scalar::I64) => "long_of_words",
            Helper::FromWords(_) => "ulong_of_words",
            Helper::ToWords(Scalar::F64) => "words_of_double",
            Helper::ToWords(Scalar::I64) => "words_of_long",
            Helper::ToWords(_) => "words_of_ulong",
            Helper::BufferSize { .. } => "buffer_size",
            Helper::Count { levels: true, .. } => "texture_levels",
            Helper::Count { levels: false, .. } => "texture_samples",
        }
    }

    /// Number of components of a size.
    fn size_lanes(image: ImageType) -> u8 {
        let is_faces = image.dim == Dim::Cube && matches!(image.kind, ImageKind::Storage(_));
        let own = match image.dim {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D3 => 3,
            _ => 2,
        };
        own + u8::from(image.arrayed && !is_faces)
    }

    /// The definition, as lines.
    pub(crate) fn define(self, name: &str) -> Vec<String> {
        let (head, body): (String, Vec<String>) = match self {
            Helper::Ldexp(n) => {
                let (floats, ints) = (vector("float", n), vector("int", n));
                // Three powers, none of which overflows: the first two are exact, if the result is no zero or infinity.
                let body = vec![
                    format!("{ints} third = clamp(exponent, -381, 381) / 3;"),
                    format!("{floats} power = asfloat((third + 127) << 23);"),
                    format!("{ints} rest = clamp(exponent, -381, 381) - 2 * third;"),
                    "return x * power * power * asfloat((rest + 127) << 23);".to_owned(),
                ];
                (format!("{floats} {name}({floats} x, {ints} exponent)"), body)
            }
            Helper::Frexp(n) => {
                let (floats, ints) = (vector("float", n), vector("int", n));
                let mut body = vec![];
                let lanes: &[&str] = if n == 1 { &[""] } else { &[".x", ".y", ".z", ".w"][..n.into()] };
                body.push(format!("{floats} fraction = x;"));
                body.push(format!("exponent = ({ints})0;"));
                for lane in lanes {
                    body.push(format!("if (x{lane} != 0.0 && (asuint(x{lane}) & 0x7f800000u) != 0x7f800000u) {{"));
                    // A subnormal number becomes a normal one.
                    body.push(format!("    bool small = (asuint(x{lane}) & 0x7f800000u) == 0u;"));
                    body.push(format!("    uint bits = asuint(small ? x{lane} * 16777216.0 : x{lane});"));
                    body.push(format!("    exponent{lane} = int((bits >> 23) & 0xffu) - (small ? 150 : 126);"));
                    body.push(format!("    fraction{lane} = asfloat((bits & 0x807fffffu) | 0x3f000000u);"));
                    body.push("}".to_owned());
                }
                body.push("return fraction;".to_owned());
                (format!("{floats} {name}({floats} x, out {ints} exponent)"), body)
            }
            Helper::PackHalf => {
                let body = vec!["return f32tof16(v.x) | (f32tof16(v.y) << 16);".to_owned()];
                (format!("uint {name}(float2 v)"), body)
            }
            Helper::FromWords(scalar) => {
                let (ty, value) = match scalar {
                    Scalar::F64 => ("double", "asdouble(words.x, words.y)"),
                    Scalar::I64 => ("int64_t", "int64_t(uint64_t(words.y) << 32 | uint64_t(words.x))"),
                    _ => ("uint64_t", "uint64_t(words.y) << 32 | uint64_t(words.x)"),
                };
                (format!("{ty} {name}(uint2 words)"), vec![format!("return {value};")])
            }
            Helper::ToWords(Scalar::F64) => {
                let body = ["uint low, high;", "asuint(x, low, high);", "return uint2(low, high);"];
                (format!("uint2 {name}(double x)"), body.map(str::to_owned).to_vec())
            }
            Helper::ToWords(scalar) => {
                let ty = if scalar == Scalar::I64 { "int64_t" } else { "uint64_t" };
                (format!("uint2 {name}({ty} x)"), vec!["return uint2(uint(x), uint(x >> 32));".to_owned()])
            }
            Helper::UnpackHalf => {
                let body = vec!["return float2(f16tof32(bits & 0xffffu), f16tof32(bits >> 16));".to_owned()];
                (format!("float2 {name}(uint bits)"), body)
            }
            Helper::Pack { signed, lanes } => (format!("uint {name}(float{lanes} v)"), pack(signed, lanes)),
            Helper::Unpack { signed, lanes } => (format!("float{lanes} {name}(uint bits)"), unpack(signed, lanes)),
            Helper::Size { image, written, level } => {
                let n = Self::size_lanes(image);
                let has_level = level || (!written && !image.multisampled && image.dim != Dim::Buffer);
                let is_faces = image.dim == Dim::Cube && matches!(image.kind, ImageKind::Storage(_));
                let names = ["width", "height", "depth"];
                let mut outs: Vec<&str> = names[..n.into()].to_vec();
                if image.arrayed || is_faces {
                    outs.truncate(n.into());
                    if let Some(last) = outs.last_mut().filter(|_| image.arrayed && !is_faces) {
                        *last = "layers";
                    }
                }
                let result: Vec<String> = outs.iter().map(|o| format!("int({o})")).collect();
                if is_faces {
                    outs.push("layers");
                }
                if image.multisampled {
                    outs.push("samples");
                } else if has_level {
                    outs.push("levels");
                }
                let first = match (has_level, level) {
                    (true, true) => "uint(level), ",
                    (true, false) => "0u, ",
                    _ => "",
                };
                let ty = vector("int", n);
                let result = if n == 1 { result[0].clone() } else { format!("{ty}({})", result.join(", ")) };
                let body = vec![
                    format!("uint {};", outs.join(", ")),
                    format!("image.GetDimensions({first}{});", outs.join(", ")),
                    format!("return {result};"),
                ];
                let level = if level { ", int level" } else { "" };
                (format!("{ty} {name}({} image{level})", texture(image, written)), body)
            }
            Helper::BufferSize { written } => {
                let body =
                    vec!["uint size;".to_owned(), "buffer.GetDimensions(size);".to_owned(), "return size;".to_owned()];
                (format!("uint {name}({}ByteAddressBuffer buffer)", if written { "RW" } else { "" }), body)
            }
            Helper::Count { image, levels } => {
                let n = Self::size_lanes(image);
                let mut outs: Vec<&str> = ["width", "height", "depth"][..n.into()].to_vec();
                outs.push("count");
                let first = if levels { "0u, " } else { "" };
                let body = vec![
                    format!("uint {};", outs.join(", ")),
                    format!("image.GetDimensions({first}{});", outs.join(", ")),
                    "return int(count);".to_owned(),
                ];
                (format!("int {name}({} image)", texture(image, false)), body)
            }
        };
        let mut lines = vec![format!("{head} {{")];
        lines.extend(body.into_iter().map(|line| format!("    {line}")));
        lines.push("}".into());
        lines
    }
}

const LANES: [&str; 4] = ["x", "y", "z", "w"];

/// Components to a range, rounded, side by side.
fn pack(signed: bool, lanes: u8) -> Vec<String> {
    let width = 32 / u32::from(lanes);
    let most = (1u32 << (width - u32::from(signed))) - 1;
    let (ints, mask) = (vector("int", lanes), (1u64 << width) - 1);
    let convert = match signed {
        true => format!("uint{lanes}({ints}(round(clamp(v, -1.0, 1.0) * {most}.0))) & {mask:#x}u"),
        false => format!("uint{lanes}(round(saturate(v) * {most}.0))"),
    };
    let parts: Vec<String> = (0..u32::from(lanes))
        .map(|i| match i {
            0 => format!("words.{}", LANES[0]),
            i => format!("(words.{} << {})", LANES[i as usize], i * width),
        })
        .collect();
    vec![format!("uint{lanes} words = {convert};"), format!("return {};", parts.join(" | "))]
}

/// The components side by side, as floats of a range.
fn unpack(signed: bool, lanes: u8) -> Vec<String> {
    let width = 32 / u32::from(lanes);
    let most = (1u32 << (width - u32::from(signed))) - 1;
    match signed {
        true => {
            // To the top, and back with the sign.
            let parts: Vec<String> =
                (0..u32::from(lanes)).map(|i| format!("bits << {}", 32 - width * (i + 1))).collect();
            vec![
                format!("int{lanes} words = int{lanes}(uint{lanes}({})) >> {};", parts.join(", "), 32 - width),
                format!("return max(float{lanes}(words) / {most}.0, -1.0);"),
            ]
        }
        false => {
            let mask = (1u64 << width) - 1;
            let parts: Vec<String> = (0..u32::from(lanes)).map(|i| format!("bits >> {}", width * i)).collect();
            vec![
                format!("uint{lanes} words = uint{lanes}({}) & {mask:#x}u;", parts.join(", ")),
                format!("return float{lanes}(words) / {most}.0;"),
            ]
        }
    }
}
