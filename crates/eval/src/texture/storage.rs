//! Storage images: writable texels.

use planish_ir::meaning::{from_half, to_half};
use planish_ir::types::{ImageFormat, Scalar};

/// The texels of a storage image. Stores round to the format immediately, so that a load gives the value of a device.
#[derive(Clone, PartialEq, Debug)]
pub struct StorageImage {
    /// Format.
    pub format: ImageFormat,
    /// Width, height, and depth or layers.
    pub size: [u32; 3],
    /// Row by row, layer by layer; components as bits of the format's component type.
    pub texels: Vec<[u32; 4]>,
}

impl StorageImage {
    /// A zeroed image.
    pub fn new(format: ImageFormat, size: [u32; 3]) -> Self {
        let count = size.iter().map(|&s| s as usize).product();
        StorageImage { format, size, texels: vec![[0; 4]; count] }
    }

    /// Index of the texel at a coordinate; `None` outside.
    pub(crate) fn index(&self, at: [i32; 3]) -> Option<usize> {
        let inside = (0..3).all(|i| at[i] >= 0 && (at[i] as u32) < self.size[i]);
        inside.then(|| {
            let [x, y, z] = at.map(|x| x as usize);
            (z * self.size[1] as usize + y) * self.size[0] as usize + x
        })
    }

    /// The result of a load: missing colours are 0, a missing alpha is 1; zero outside.
    pub(crate) fn load(&self, at: [i32; 3]) -> [u32; 4] {
        let Some(index) = self.index(at) else { return [0; 4] };
        let one = if self.format.scalar() == Scalar::F32 { 1f32.to_bits() } else { 1 };
        let channels = usize::from(self.format.channels());
        std::array::from_fn(|c| match c {
            _ if c < channels => self.texels[index][c],
            3 => one,
            _ => 0,
        })
    }

    /// Stores a texel, rounded to the format; no effect outside.
    pub(crate) fn store(&mut self, at: [i32; 3], texel: [u32; 4]) {
        if let Some(index) = self.index(at) {
            self.texels[index] = std::array::from_fn(|c| round(self.format, c, texel[c]));
        }
    }
}

/// Encoding of a component.
enum Stored {
    Whole,
    Half,
    /// Unsigned float, by number of fraction bits.
    Small(u32),
    Unsigned(u32),
    Signed(u32),
    Integer(u32),
    Natural(u32),
}

fn stored(format: ImageFormat, c: usize) -> Stored {
    use ImageFormat::*;
    match format {
        Unknown | Rgba32f | Rg32f | R32f | Rgba32i | Rg32i | R32i | Rgba32ui | Rg32ui | R32ui => Stored::Whole,
        Rgba16f | Rg16f | R16f => Stored::Half,
        R11fG11fB10f => Stored::Small(if c == 2 { 5 } else { 6 }),
        Rgba16 | Rg16 | R16 => Stored::Unsigned(16),
        Rgba8 | Rg8 | R8 => Stored::Unsigned(8),
        Rgb10A2 => Stored::Unsigned(if c == 3 { 2 } else { 10 }),
        Rgba16Snorm | Rg16Snorm | R16Snorm => Stored::Signed(16),
        Rgba8Snorm | Rg8Snorm | R8Snorm => Stored::Signed(8),
        Rgba16i | Rg16i | R16i => Stored::Integer(16),
        Rgba8i | Rg8i | R8i => Stored::Integer(8),
        Rgba16ui | Rg16ui | R16ui => Stored::Natural(16),
        Rgba8ui | Rg8ui | R8ui => Stored::Natural(8),
        Rgb10A2ui => Stored::Natural(if c == 3 { 2 } else { 10 }),
    }
}

/// A component after a store and a load.
fn round(format: ImageFormat, c: usize, bits: u32) -> u32 {
    let x = f32::from_bits(bits);
    let fraction = |low: f32, scale: f32| {
        let x = if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) };
        ((x * scale).round_ties_even() / scale).to_bits()
    };
    match stored(format, c) {
        Stored::Whole => bits,
        Stored::Half => from_half(to_half(x)).to_bits(),
        Stored::Small(fraction) => {
            // A half without sign and with fewer fraction bits, truncated as devices may.
            let half = if x <= 0.0 { 0 } else { to_half(x) };
            from_half(half & !((1u16 << (10 - fraction)) - 1)).to_bits()
        }
        Stored::Unsigned(n) => fraction(0.0, ((1u32 << n) - 1) as f32),
        Stored::Signed(n) => fraction(-1.0, ((1u32 << (n - 1)) - 1) as f32),
        Stored::Integer(n) => (bits as i32).clamp(-(1 << (n - 1)), (1 << (n - 1)) - 1) as u32,
        Stored::Natural(n) => bits.min((1 << n) - 1),
    }
}
