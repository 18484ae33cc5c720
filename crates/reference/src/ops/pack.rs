//! Packing of fractions and halves into words, and colour space conversions.

use planish_ir::ops::Op;

use super::{geometry, half, word};
use crate::value::{Value, composite};

/// The result of a packing, an unpacking or a colour conversion; `None` for other ops.
pub(super) fn pack(op: Op, args: &[Value]) -> Option<Value> {
    let [x, rest @ ..] = args else { return None };
    let bits = || word(x);
    Some(match op {
        // Clamped, multiplied and rounded halfway to even; NaN, converted, is 0.
        Op::PackSnorm2x16 => packed(x, 16, |x| (x.clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i16 as u16 as u32)?,
        Op::PackUnorm2x16 => packed(x, 16, |x| (x.clamp(0.0, 1.0) * 65535.0).round_ties_even() as u32)?,
        Op::PackSnorm4x8 => packed(x, 8, |x| (x.clamp(-1.0, 1.0) * 127.0).round_ties_even() as i8 as u8 as u32)?,
        Op::PackUnorm4x8 => packed(x, 8, |x| (x.clamp(0.0, 1.0) * 255.0).round_ties_even() as u32)?,
        Op::PackHalf2x16 => packed(x, 16, |x| half::nearest(x.into()).into())?,
        Op::UnpackSnorm2x16 => unpacked(bits(), 16, |x| (x as i16 as f32 / 32767.0).clamp(-1.0, 1.0)),
        Op::UnpackUnorm2x16 => unpacked(bits(), 16, |x| x as f32 / 65535.0),
        Op::UnpackSnorm4x8 => unpacked(bits(), 8, |x| (x as i8 as f32 / 127.0).clamp(-1.0, 1.0)),
        Op::UnpackUnorm4x8 => unpacked(bits(), 8, |x| x as f32 / 255.0),
        Op::UnpackHalf2x16 => unpacked(bits(), 16, |x| half::value(x as u16) as f32),
        Op::PackDouble2x32 => {
            let words: Vec<u64> = x.parts().iter().map(word).collect();
            Value::F64(f64::from_bits(words[0] | words[1] << 32))
        }
        Op::UnpackDouble2x32 => composite([Value::U32(bits() as u32), Value::U32((bits() >> 32) as u32)]),
        Op::RgbToYuv => rgb_to_yuv(floats(x)?, standard(rest)?),
        Op::YuvToRgb => yuv_to_rgb(floats(x)?, standard(rest)?),
        _ => return None,
    })
}

fn floats(x: &Value) -> Option<Vec<f32>> {
    x.parts().iter().map(|part| if let Value::F32(x) = *part { Some(x) } else { None }).collect()
}

/// The first component in the lowest bits.
fn packed(x: &Value, width: usize, part: fn(f32) -> u32) -> Option<Value> {
    let parts = floats(x)?;
    Some(Value::U32(parts.into_iter().enumerate().map(|(i, x)| part(x) << (width * i)).sum()))
}

fn unpacked(word: u64, width: usize, part: fn(u32) -> f32) -> Value {
    let mask = (1 << width) - 1;
    composite((0..32 / width).map(|i| Value::F32(part(word as u32 >> (width * i) & mask))))
}

/// The weights of red and blue in luma, luma's offset and scale, and the scale of chroma.
struct Standard {
    red: f32,
    green: f32,
    blue: f32,
    offset: f32,
    luma: f32,
    chroma: f32,
}

const CHROMA_ZERO: f32 = 128.0 / 255.0;

fn standard(args: &[Value]) -> Option<Standard> {
    let [Value::Yuv(number)] = *args else { return None };
    let (red, blue) = if number == 2 { (0.2126, 0.0722) } else { (0.299, 0.114) };
    let (offset, luma, chroma) = match number {
        1 => (0.0, 1.0, 1.0),
        _ => (16.0 / 255.0, (235.0 - 16.0) / 255.0, (240.0 - 16.0) / 255.0),
    };
    Some(Standard { red, green: 1.0 - red - blue, blue, offset, luma, chroma })
}

fn rgb_to_yuv(rgb: Vec<f32>, s: Standard) -> Value {
    let (r, g, b) = (rgb[0], rgb[1], rgb[2]);
    let y = s.red * r + s.green * g + s.blue * b;
    let u = (b - y) / (2.0 * (1.0 - s.blue));
    let v = (r - y) / (2.0 * (1.0 - s.red));
    vec3([y * s.luma + s.offset, u * s.chroma + CHROMA_ZERO, v * s.chroma + CHROMA_ZERO])
}

fn yuv_to_rgb(yuv: Vec<f32>, s: Standard) -> Value {
    let y = (yuv[0] - s.offset) / s.luma;
    let (u, v) = ((yuv[1] - CHROMA_ZERO) / s.chroma, (yuv[2] - CHROMA_ZERO) / s.chroma);
    let r = y + v * (2.0 * (1.0 - s.red));
    let b = y + u * (2.0 * (1.0 - s.blue));
    vec3([r, (y - s.red * r - s.blue * b) / s.green, b])
}

fn vec3(parts: [f32; 3]) -> Value {
    geometry::canonical(&composite(parts.map(Value::F32))).expect("these are floats")
}
