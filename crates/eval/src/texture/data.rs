//! Textures in memory.

use super::Texture;

/// Texels in memory, with their levels.
#[derive(Clone, PartialEq, Debug)]
pub struct TextureData {
    sizes: Vec<[u32; 3]>,
    /// By level: row by row, layer by layer.
    levels: Vec<Vec<[u32; 4]>>,
}

impl Texture for TextureData {
    fn levels(&self) -> u32 {
        self.levels.len() as u32
    }

    fn size(&self, level: u32) -> [u32; 3] {
        self.sizes.get(level as usize).copied().unwrap_or([0; 3])
    }

    fn texel(&self, [x, y, z]: [u32; 3], level: u32) -> [u32; 4] {
        let [width, height, _] = self.size(level);
        let at = (z as usize * height as usize + y as usize) * width as usize + x as usize;
        self.levels.get(level as usize).and_then(|l| l.get(at)).copied().unwrap_or([0; 4])
    }
}

impl TextureData {
    /// One level of floats: `texel(x, y, z)`, the first row has the smallest `v`. Each size is at least one.
    pub fn from_fn(size: [u32; 3], mut texel: impl FnMut(u32, u32, u32) -> [f32; 4]) -> Self {
        Self::from_bits(size, |x, y, z| texel(x, y, z).map(f32::to_bits))
    }

    /// One level of texels as bits: `f32`, `i32` or `u32`, as the sampler requires.
    pub fn from_bits(size: [u32; 3], mut texel: impl FnMut(u32, u32, u32) -> [u32; 4]) -> Self {
        let size = size.map(|s| s.max(1));
        let mut texels = Vec::with_capacity(size.iter().map(|&s| s as usize).product());
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    texels.push(texel(x, y, z));
                }
            }
        }
        TextureData { sizes: vec![size], levels: vec![texels] }
    }

    /// A copy of any texture, with all its levels.
    pub fn from_texture(texture: &dyn Texture) -> Self {
        let mut all = TextureData { sizes: Vec::new(), levels: Vec::new() };
        for level in 0..texture.levels().max(1) {
            let copy = Self::from_bits(texture.size(level), |x, y, z| texture.texel([x, y, z], level));
            all.sizes.extend(copy.sizes);
            all.levels.extend(copy.levels);
        }
        all
    }

    /// One texel.
    pub fn constant(texel: [f32; 4]) -> Self {
        Self::from_fn([1; 3], |_, _, _| texel)
    }

    /// A picture of `components` numbers a texel, 1 to 4: `component(row, column, number)`, rows from the top as in files. One component is
    /// grey, two are red and green; an alpha that is missing is 1. The top row has the largest `v`.
    pub fn from_rows(
        [width, height]: [u32; 2],
        components: usize,
        component: impl Fn(usize, usize, usize) -> f32,
    ) -> Self {
        Self::from_fn([width, height, 1], |x, y, _| {
            let at = |number| component((height - 1 - y) as usize, x as usize, number);
            match components {
                1 => [at(0), at(0), at(0), 1.0],
                2 => [at(0), at(1), 0.0, 1.0],
                3 => [at(0), at(1), at(2), 1.0],
                _ => [at(0), at(1), at(2), at(3)],
            }
        })
    }

    /// A picture of 8-bit colours, the top row first as in files; `None` unless there are `4 * width * height` bytes.
    /// The top row has the largest `v`, as in OpenGL programs that flip pictures when loading.
    pub fn from_rgba8(width: u32, height: u32, bytes: &[u8]) -> Option<Self> {
        if bytes.len() != width as usize * height as usize * 4 || bytes.is_empty() {
            return None;
        }
        let at = |row, column, number| f32::from(bytes[(row * width as usize + column) * 4 + number]) / 255.0;
        Some(Self::from_rows([width, height], 4, at))
    }

    /// Adds all smaller levels, each texel the mean of those below it. `volume`: the third size is a depth, which is
    /// halved too, and not a number of layers.
    pub fn with_mipmaps(mut self, volume: bool) -> Self {
        loop {
            let last = self.levels.len() as u32 - 1;
            let from = self.size(last);
            if from[0] == 1 && from[1] == 1 && (!volume || from[2] == 1) {
                return self;
            }
            let to = [from[0] / 2, from[1] / 2, if volume { from[2] / 2 } else { from[2] }].map(|s| s.max(1));
            let next = Self::from_fn(to, |x, y, z| self.mean(last, from, to, [x, y, z]));
            self.sizes.push(to);
            self.levels.extend(next.levels);
        }
    }

    /// The mean of the texels covered by one texel of the next level.
    fn mean(&self, level: u32, from: [u32; 3], to: [u32; 3], at: [u32; 3]) -> [f32; 4] {
        let span = |axis: usize| at[axis] * from[axis] / to[axis]..(at[axis] + 1) * from[axis] / to[axis];
        let (mut sum, mut count) = ([0.0f32; 4], 0.0);
        for z in span(2) {
            for y in span(1) {
                for x in span(0) {
                    let texel = self.texel([x, y, z], level).map(f32::from_bits);
                    sum = std::array::from_fn(|c| sum[c] + texel[c]);
                    count += 1.0;
                }
            }
        }
        sum.map(|s| s / count)
    }
}
