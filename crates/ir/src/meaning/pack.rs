//! Packing of fractions and halves into words, and the YUV conversions.

use super::float::clamp;
use super::half::{from_half, to_half};
use super::kernel::Component;
use crate::ops::Op;

/// A float in [-1, 1] as a signed fraction of `scale`, rounded half to even; NaN gives 0.
fn signed(bits: u64, scale: f32) -> i32 {
    (clamp(f32::get(bits), -1.0, 1.0) * scale).round_ties_even() as i32
}

/// A float in [0, 1] as a fraction of `scale`, rounded half to even; NaN gives 0.
fn unsigned(bits: u64, scale: f32) -> u32 {
    (clamp(f32::get(bits), 0.0, 1.0) * scale).round_ties_even() as u32
}

/// The words or floats that a packing or unpacking gives; `None` for other ops.
pub(super) fn pack(op: Op, a: &[u64], out: &mut Vec<u64>) -> Option<()> {
    match op {
        Op::PackSnorm2x16 => out.push(word(a, 16, |x| signed(x, 32767.0) as u32 & 0xffff)),
        Op::PackUnorm2x16 => out.push(word(a, 16, |x| unsigned(x, 65535.0))),
        Op::PackHalf2x16 => out.push(word(a, 16, |x| to_half(f32::get(x)) as u32)),
        Op::PackSnorm4x8 => out.push(word(a, 8, |x| signed(x, 127.0) as u32 & 0xff)),
        Op::PackUnorm4x8 => out.push(word(a, 8, |x| unsigned(x, 255.0))),
        Op::PackDouble2x32 => out.push(a[0] & 0xffff_ffff | a[1] << 32),
        Op::UnpackSnorm2x16 => fields(a[0], 16, out, |x| clamp(x as u16 as i16 as f32 / 32767.0, -1.0, 1.0)),
        Op::UnpackUnorm2x16 => fields(a[0], 16, out, |x| x as f32 / 65535.0),
        Op::UnpackHalf2x16 => fields(a[0], 16, out, |x| from_half(x as u16)),
        Op::UnpackSnorm4x8 => fields(a[0], 8, out, |x| clamp(x as u8 as i8 as f32 / 127.0, -1.0, 1.0)),
        Op::UnpackUnorm4x8 => fields(a[0], 8, out, |x| x as f32 / 255.0),
        Op::UnpackDouble2x32 => out.extend([a[0] & 0xffff_ffff, a[0] >> 32]),
        _ => return None,
    }
    Some(())
}

fn word(components: &[u64], width: u32, f: impl Fn(u64) -> u32) -> u64 {
    let packed = components.iter().enumerate().fold(0u32, |word, (i, &x)| word | f(x) << (width * i as u32));
    packed.into()
}

fn fields(word: u64, width: u32, out: &mut Vec<u64>, f: impl Fn(u32) -> f32) {
    let count = 32 / width;
    let mask = u32::MAX >> (32 - width);
    out.extend((0..count).map(|i| f(word as u32 >> (width * i) & mask).put()));
}

/// A colour standard: the weights of red and blue in luma, and whether all code values are used.
struct Standard {
    red: f32,
    blue: f32,
    full: bool,
}

fn standard(bits: u64) -> Standard {
    match bits {
        0 => Standard { red: 0.299, blue: 0.114, full: false },
        1 => Standard { red: 0.299, blue: 0.114, full: true },
        _ => Standard { red: 0.2126, blue: 0.0722, full: false },
    }
}

impl Standard {
    /// Offset of luma, scale of luma, scale of chroma (ITU-R BT.601 and BT.709, 8-bit code values as fractions).
    fn range(&self) -> (f32, f32, f32) {
        if self.full { (0.0, 1.0, 1.0) } else { (16.0 / 255.0, 219.0 / 255.0, 224.0 / 255.0) }
    }
}

const CHROMA_ZERO: f32 = 128.0 / 255.0;

/// `rgb_2_yuv`
pub(super) fn rgb_to_yuv(rgb: &[u64], csc: u64) -> [u64; 3] {
    let s = standard(csc);
    let (offset, luma, chroma) = s.range();
    let [r, g, b] = [0, 1, 2].map(|i| f32::get(rgb[i]));
    let y = s.red * r + (1.0 - s.red - s.blue) * g + s.blue * b;
    let u = (b - y) / (2.0 * (1.0 - s.blue));
    let v = (r - y) / (2.0 * (1.0 - s.red));
    [y * luma + offset, u * chroma + CHROMA_ZERO, v * chroma + CHROMA_ZERO].map(Component::put)
}

/// `yuv_2_rgb`
pub(super) fn yuv_to_rgb(yuv: &[u64], csc: u64) -> [u64; 3] {
    let s = standard(csc);
    let (offset, luma, chroma) = s.range();
    let [y, u, v] = [0, 1, 2].map(|i| f32::get(yuv[i]));
    let (y, u, v) = ((y - offset) / luma, (u - CHROMA_ZERO) / chroma, (v - CHROMA_ZERO) / chroma);
    let r = y + v * (2.0 * (1.0 - s.red));
    let b = y + u * (2.0 * (1.0 - s.blue));
    let g = (y - s.red * r - s.blue * b) / (1.0 - s.red - s.blue);
    [r, g, b].map(Component::put)
}
