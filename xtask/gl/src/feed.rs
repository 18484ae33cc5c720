//! Feeding a program: its uniforms, uniform blocks and textures, and finding those that nobody fed.

use glow::HasContext;

use crate::Gpu;
use crate::draw::Object;

/// Components of a uniform, one element after another, matrices by columns.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Of `float`, `vecN`, `matCxR`.
    Float(Vec<f32>),
    /// Of `int`, `ivecN`, and of `bool`, `bvecN` as 0 and 1.
    Int(Vec<i32>),
    /// Of `uint`, `uvecN`.
    Uint(Vec<u32>),
}

/// A uniform of a basic type, or an array of such. A struct is fed member by member, under names as `light.color`, `lights[2].color`.
#[derive(Clone, PartialEq, Debug)]
pub struct Uniform {
    /// The name, as the shader would write it.
    pub name: String,
    /// Columns of the matrix type; 1 for scalars and vectors.
    pub columns: usize,
    /// Components of a column, or of the vector; 1 for scalars.
    pub rows: usize,
    /// `columns * rows` for each element.
    pub values: Values,
}

/// A uniform block and the bytes that are in its buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct UniformBlock {
    /// The block's name (not the instance's).
    pub name: String,
    /// The buffer, as `layout(std140)` has it.
    pub bytes: Vec<u8>,
}

/// What lies outside a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wrap {
    /// The same again.
    #[default]
    Repeat,
    /// The same, mirrored.
    Mirror,
    /// The edge's texels.
    Clamp,
}

/// How texels become a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Filter {
    /// The nearest texel.
    Nearest,
    /// The mean of the four around.
    #[default]
    Linear,
}

/// A texture for a sampler of floats: `faces` of `size` texels (`sampler2D` has one face, `samplerCube` six in OpenGL's
/// order, `sampler3D` and `sampler2DArray` one a layer).
#[derive(Clone, PartialEq, Debug)]
pub struct Texture {
    /// The sampler's name, as the shader would write it.
    pub name: String,
    /// Width and height, in texels.
    pub size: [u32; 2],
    /// Red, green, blue, alpha; rows from the lowest up, faces one after another.
    pub texels: Vec<[f32; 4]>,
    /// Outside.
    pub wrap: Wrap,
    /// Between.
    pub filter: Filter,
    /// Further levels of detail, each half the size of the one before, and made by the driver.
    pub mipmaps: bool,
}

/// The target to bind to, for the samplers that can be fed: those of floats.
fn target(kind: u32) -> Option<u32> {
    match kind {
        glow::SAMPLER_2D => Some(glow::TEXTURE_2D),
        glow::SAMPLER_CUBE => Some(glow::TEXTURE_CUBE_MAP),
        glow::SAMPLER_3D => Some(glow::TEXTURE_3D),
        glow::SAMPLER_2D_ARRAY => Some(glow::TEXTURE_2D_ARRAY),
        _ => None,
    }
}

impl Gpu {
    /// Feeds what the current program wants; the names that got nothing are the error.
    pub(crate) fn feed(
        &self,
        program: glow::Program,
        uniforms: &[Uniform],
        blocks: &[UniformBlock],
        textures: &[Texture],
    ) -> Result<(), Vec<String>> {
        let mut hungry = vec![];
        let mut unit = 0;
        // SAFETY: the context is current, and the program was linked by it.
        let count = unsafe { self.gl.get_active_uniforms(program) };
        for i in 0..count {
            // SAFETY: as above, and `i` is below the count.
            let Some(active) = (unsafe { self.gl.get_active_uniform(program, i) }) else { continue };
            // SAFETY: as above. Members of blocks have no location.
            let Some(location) = (unsafe { self.gl.get_uniform_location(program, &active.name) }) else { continue };
            let name = active.name.strip_suffix("[0]").unwrap_or(&active.name);
            let texture = textures.iter().find(|texture| texture.name == name);
            if let (Some(target), Some(texture), 1) = (target(active.utype), texture, active.size) {
                self.upload(target, unit, texture);
                // SAFETY: as above; a sampler takes the number of a unit.
                unsafe { self.gl.uniform_1_i32(Some(&location), unit as i32) };
                unit += 1;
            } else if let Some(uniform) = uniforms.iter().find(|uniform| uniform.name == name) {
                self.set(&location, uniform);
            } else if !name.starts_with("gl_") {
                hungry.push(name.to_string());
            }
        }
        hungry.extend(self.feed_blocks(program, blocks));
        if hungry.is_empty() { Ok(()) } else { Err(hungry) }
    }

    /// Feeds the uniform blocks, and names those that got nothing.
    fn feed_blocks(&self, program: glow::Program, blocks: &[UniformBlock]) -> Vec<String> {
        let gl = &self.gl;
        let mut hungry = vec![];
        // SAFETY: the context is current, and the program was linked by it.
        let count = unsafe { gl.get_program_parameter_i32(program, glow::ACTIVE_UNIFORM_BLOCKS) };
        for i in 0..count as u32 {
            // SAFETY: as above; `i` is below the count, the buffer is made here, and its bytes are copied.
            unsafe {
                let name = gl.get_active_uniform_block_name(program, i);
                let size = gl.get_active_uniform_block_parameter_i32(program, i, glow::UNIFORM_BLOCK_DATA_SIZE);
                let Some(block) = blocks.iter().find(|block| block.name == name) else {
                    hungry.push(name);
                    continue;
                };
                let mut bytes = block.bytes.clone();
                bytes.resize(bytes.len().max(size as usize), 0);
                let buffer = self.keep(Object::Buffer, gl.create_buffer());
                gl.bind_buffer(glow::UNIFORM_BUFFER, buffer);
                gl.buffer_data_u8_slice(glow::UNIFORM_BUFFER, &bytes, glow::STATIC_DRAW);
                gl.uniform_block_binding(program, i, i);
                gl.bind_buffer_base(glow::UNIFORM_BUFFER, i, buffer);
            }
        }
        hungry
    }

    /// Sets a uniform of the current program. A value of another type than the shader's is an error that the draw reports.
    fn set(&self, location: &glow::UniformLocation, uniform: &Uniform) {
        let (gl, at) = (&self.gl, Some(location));
        // SAFETY: the context is current; the slices carry their lengths, which are whole elements by the type's contract.
        unsafe {
            match (&uniform.values, uniform.columns, uniform.rows) {
                (Values::Float(v), 1, 1) => gl.uniform_1_f32_slice(at, v),
                (Values::Float(v), 1, 2) => gl.uniform_2_f32_slice(at, v),
                (Values::Float(v), 1, 3) => gl.uniform_3_f32_slice(at, v),
                (Values::Float(v), 1, _) => gl.uniform_4_f32_slice(at, v),
                (Values::Float(v), 2, 2) => gl.uniform_matrix_2_f32_slice(at, false, v),
                (Values::Float(v), 2, 3) => gl.uniform_matrix_2x3_f32_slice(at, false, v),
                (Values::Float(v), 2, _) => gl.uniform_matrix_2x4_f32_slice(at, false, v),
                (Values::Float(v), 3, 2) => gl.uniform_matrix_3x2_f32_slice(at, false, v),
                (Values::Float(v), 3, 3) => gl.uniform_matrix_3_f32_slice(at, false, v),
                (Values::Float(v), 3, _) => gl.uniform_matrix_3x4_f32_slice(at, false, v),
                (Values::Float(v), _, 2) => gl.uniform_matrix_4x2_f32_slice(at, false, v),
                (Values::Float(v), _, 3) => gl.uniform_matrix_4x3_f32_slice(at, false, v),
                (Values::Float(v), _, _) => gl.uniform_matrix_4_f32_slice(at, false, v),
                (Values::Int(v), _, 1) => gl.uniform_1_i32_slice(at, v),
                (Values::Int(v), _, 2) => gl.uniform_2_i32_slice(at, v),
                (Values::Int(v), _, 3) => gl.uniform_3_i32_slice(at, v),
                (Values::Int(v), _, _) => gl.uniform_4_i32_slice(at, v),
                (Values::Uint(v), _, 1) => gl.uniform_1_u32_slice(at, v),
                (Values::Uint(v), _, 2) => gl.uniform_2_u32_slice(at, v),
                (Values::Uint(v), _, 3) => gl.uniform_3_u32_slice(at, v),
                (Values::Uint(v), _, _) => gl.uniform_4_u32_slice(at, v),
            }
        }
    }

    /// Makes the texture and leaves it bound to its unit. Texels stay floats, so that filtering has a float's precision.
    fn upload(&self, target: u32, unit: u32, texture: &Texture) {
        let gl = &self.gl;
        let [width, height] = texture.size.map(|n| n as i32);
        let face = (width * height) as usize;
        let bytes: Vec<u8> = texture.texels.iter().flatten().flat_map(|c| c.to_ne_bytes()).collect();
        let pixels = |slice| glow::PixelUnpackData::Slice(Some(slice));
        let (inner, format) = (glow::RGBA32F as i32, glow::RGBA);
        let wrap = match texture.wrap {
            Wrap::Repeat => glow::REPEAT,
            Wrap::Mirror => glow::MIRRORED_REPEAT,
            Wrap::Clamp => glow::CLAMP_TO_EDGE,
        };
        let (magnify, minify) = match (texture.filter, texture.mipmaps) {
            (Filter::Nearest, false) => (glow::NEAREST, glow::NEAREST),
            (Filter::Nearest, true) => (glow::NEAREST, glow::NEAREST_MIPMAP_NEAREST),
            (Filter::Linear, false) => (glow::LINEAR, glow::LINEAR),
            (Filter::Linear, true) => (glow::LINEAR, glow::LINEAR_MIPMAP_LINEAR),
        };
        // SAFETY: the context is current; each image has `width * height` texels of 16 bytes in the slice it is given,
        // since slices of fewer would have panicked when they were cut.
        unsafe {
            gl.active_texture(glow::TEXTURE0 + unit);
            gl.bind_texture(target, self.keep(Object::Texture, gl.create_texture()));
            match target {
                glow::TEXTURE_2D => {
                    let image = pixels(&bytes[..face * 16]);
                    gl.tex_image_2d(target, 0, inner, width, height, 0, format, glow::FLOAT, image);
                }
                glow::TEXTURE_CUBE_MAP => {
                    for (i, side) in (glow::TEXTURE_CUBE_MAP_POSITIVE_X..).take(6).enumerate() {
                        let image = pixels(&bytes[i * face * 16..][..face * 16]);
                        gl.tex_image_2d(side, 0, inner, width, height, 0, format, glow::FLOAT, image);
                    }
                }
                _ => {
                    let layers = texture.texels.len() / face;
                    let image = pixels(&bytes[..layers * face * 16]);
                    gl.tex_image_3d(target, 0, inner, width, height, layers as i32, 0, format, glow::FLOAT, image);
                }
            }
            for (parameter, value) in [
                (glow::TEXTURE_WRAP_S, wrap),
                (glow::TEXTURE_WRAP_T, wrap),
                (glow::TEXTURE_WRAP_R, wrap),
                (glow::TEXTURE_MAG_FILTER, magnify),
                (glow::TEXTURE_MIN_FILTER, minify),
            ] {
                gl.tex_parameter_i32(target, parameter, value as i32);
            }
            if texture.mipmaps {
                gl.generate_mipmap(target);
            }
        }
    }
}
