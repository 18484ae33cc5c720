//! Drawing one picture with one fragment shader.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use glow::HasContext;

use crate::varying::feeder;
use crate::{Gpu, Stage, Texture, Uniform, UniformBlock, Varying};

/// A picture to draw. All uniforms, textures and varyings that the shader uses must have values.
#[derive(Clone, PartialEq, Debug)]
pub struct Draw<'a> {
    /// The fragment shader.
    pub fragment: &'a str,
    /// Width and height, in pixels.
    pub size: [u32; 2],
    /// Uniforms outside of blocks.
    pub uniforms: Vec<Uniform>,
    /// Uniform blocks.
    pub blocks: Vec<UniformBlock>,
    /// Textures, by their samplers' names.
    pub textures: Vec<Texture>,
    /// Inputs from the vertex shader, which is generated for them.
    pub varyings: Vec<Varying>,
    /// The colour of pixels that the shader discards.
    pub background: [f32; 4],
}

impl<'a> Draw<'a> {
    /// A shader that needs nothing.
    pub fn new(fragment: &'a str, size: [u32; 2]) -> Draw<'a> {
        let (uniforms, blocks, textures, varyings) = (vec![], vec![], vec![], vec![]);
        Draw { fragment, size, uniforms, blocks, textures, varyings, background: [0.0; 4] }
    }
}

/// The first colour output, as the shader wrote it: floats, not clamped.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// Width and height, in pixels.
    pub size: [u32; 2],
    /// Red, green, blue, alpha; rows from the lowest up, as `gl_FragCoord` counts them.
    pub pixels: Vec<[f32; 4]>,
}

/// Why there is no picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DrawError {
    /// The driver does not compile the stage; its log.
    Compile(Stage, String),
    /// The driver does not link the program; its log.
    Link(String),
    /// Uniforms, blocks or samplers that the shader uses and that have no values.
    MissingInputs(Vec<String>),
    /// The driver cannot draw into floats.
    NoFloatTarget,
    /// OpenGL's error while drawing: a value of the wrong type, for example.
    Gl(u32),
}

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DrawError::Compile(stage, log) => write!(f, "the GPU does not compile the {stage:?} shader: {log}"),
            DrawError::Link(log) => write!(f, "the GPU does not link the program: {log}"),
            DrawError::MissingInputs(names) => write!(f, "no values for {}", names.join(", ")),
            DrawError::NoFloatTarget => write!(f, "the GPU does not draw into floats"),
            DrawError::Gl(code) => write!(f, "OpenGL's error {code:#06x}"),
        }
    }
}

impl Error for DrawError {}

impl Gpu {
    /// Draws one triangle over the whole picture.
    pub fn draw(&self, draw: &Draw<'_>) -> Result<Picture, DrawError> {
        self.with_program(draw, |gpu| gpu.read(draw.size))
    }

    /// The least processor time of a frame, of so many, after one that does not count: from its triangle to the end of the drawing. The shader is
    /// compiled and the picture filled before.
    pub fn time(&self, draw: &Draw<'_>, frames: u32) -> Result<Duration, DrawError> {
        self.with_program(draw, |gpu| {
            let frame = || {
                let start = crate::cpu_time();
                // SAFETY: the context is current, and the vertices of the first frame are bound.
                unsafe {
                    gpu.gl.draw_arrays(glow::TRIANGLES, 0, 3);
                    gpu.gl.finish();
                }
                crate::cpu_time() - start
            };
            frame();
            let least = (0..frames).map(|_| frame()).min().unwrap_or_default();
            // SAFETY: the context is current.
            match unsafe { gpu.gl.get_error() } {
                glow::NO_ERROR => Ok(least),
                code => Err(DrawError::Gl(code)),
            }
        })
    }

    /// Draws the triangle, and goes on while all is bound.
    fn with_program<T>(
        &self,
        draw: &Draw<'_>,
        then: impl FnOnce(&Self) -> Result<T, DrawError>,
    ) -> Result<T, DrawError> {
        self.enter();
        let feeder = feeder(version_line(draw.fragment), &draw.varyings);
        let program =
            self.link(&feeder.source, draw.fragment, &feeder.attributes).map_err(|(stage, log)| match stage {
                Some(stage) => DrawError::Compile(stage, log),
                None => DrawError::Link(log),
            })?;
        // SAFETY: the context is current and created the program.
        unsafe { self.gl.use_program(Some(program)) };
        let fed = self.feed(program, &draw.uniforms, &draw.blocks, &draw.textures).map_err(DrawError::MissingInputs);
        let result = fed.and_then(|()| {
            self.aim(draw)?;
            self.send_triangle(feeder.attributes.len(), &feeder.vertices);
            then(self)
        });
        self.forget();
        // SAFETY: the context is current and created the program, which is not used any more.
        unsafe { self.gl.delete_program(program) };
        result
    }

    /// Makes a picture of floats the target, filled with the background.
    fn aim(&self, draw: &Draw<'_>) -> Result<(), DrawError> {
        let gl = &self.gl;
        let [width, height] = draw.size.map(|n| n as i32);
        let [red, green, blue, alpha] = draw.background;
        // SAFETY: the context is current, and all objects are of its making.
        unsafe {
            let target = self.keep(Object::Texture, gl.create_texture());
            // A unit that no sampler uses: the target's texture must not replace a sampler's.
            gl.active_texture(glow::TEXTURE0 + SPARE_UNIT);
            gl.bind_texture(glow::TEXTURE_2D, target);
            gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::RGBA32F, width, height);
            let framebuffer = self.keep(Object::Framebuffer, gl.create_framebuffer());
            gl.bind_framebuffer(glow::FRAMEBUFFER, framebuffer);
            gl.framebuffer_texture_2d(glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D, target, 0);
            if gl.check_framebuffer_status(glow::FRAMEBUFFER) != glow::FRAMEBUFFER_COMPLETE {
                return Err(DrawError::NoFloatTarget);
            }
            gl.viewport(0, 0, width, height);
            gl.disable(glow::DITHER);
            gl.clear_color(red, green, blue, alpha);
            gl.clear(glow::COLOR_BUFFER_BIT);
        }
        Ok(())
    }

    /// Draws three vertices with `attributes` vectors each.
    fn send_triangle(&self, attributes: usize, vertices: &[f32]) {
        let gl = &self.gl;
        let bytes: Vec<u8> = vertices.iter().flat_map(|v| v.to_ne_bytes()).collect();
        // SAFETY: the context is current; the buffer holds three vertices of `attributes` vectors of 16 bytes, as built
        // by the caller, and its bytes are copied.
        unsafe {
            gl.bind_vertex_array(self.keep(Object::VertexArray, gl.create_vertex_array()));
            gl.bind_buffer(glow::ARRAY_BUFFER, self.keep(Object::Buffer, gl.create_buffer()));
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
            for i in 0..attributes as u32 {
                gl.enable_vertex_attrib_array(i);
                gl.vertex_attrib_pointer_f32(i, 4, glow::FLOAT, false, attributes as i32 * 16, i as i32 * 16);
            }
            gl.draw_arrays(glow::TRIANGLES, 0, 3);
        }
    }

    /// Reads the target back.
    fn read(&self, size: [u32; 2]) -> Result<Picture, DrawError> {
        let gl = &self.gl;
        let mut bytes = vec![0; size[0] as usize * size[1] as usize * 16];
        // SAFETY: the context is current; the slice is large enough for the whole target, 16 bytes a pixel.
        let error = unsafe {
            let slice = glow::PixelPackData::Slice(Some(&mut bytes));
            gl.read_pixels(0, 0, size[0] as i32, size[1] as i32, glow::RGBA, glow::FLOAT, slice);
            gl.get_error()
        };
        if error != glow::NO_ERROR {
            return Err(DrawError::Gl(error));
        }
        let float = |b: &[u8]| f32::from_ne_bytes([b[0], b[1], b[2], b[3]]);
        let pixels = bytes.chunks(16).map(|b| [float(b), float(&b[4..]), float(&b[8..]), float(&b[12..])]);
        Ok(Picture { size, pixels: pixels.collect() })
    }

    /// Remembers an object until the end of the draw.
    pub(crate) fn keep<T: Copy>(&self, kind: fn(T) -> Object, made: Result<T, String>) -> Option<T> {
        let made = made.ok()?;
        self.made.borrow_mut().push(kind(made));
        Some(made)
    }

    /// Deletes the objects of a draw.
    fn forget(&self) {
        for object in self.made.borrow_mut().drain(..) {
            // SAFETY: the context is current and created the object, which is not used any more.
            unsafe {
                match object {
                    Object::Texture(texture) => self.gl.delete_texture(texture),
                    Object::Buffer(buffer) => self.gl.delete_buffer(buffer),
                    Object::Framebuffer(framebuffer) => self.gl.delete_framebuffer(framebuffer),
                    Object::VertexArray(array) => self.gl.delete_vertex_array(array),
                }
            }
        }
    }
}

/// The unit to which the target's texture is bound; GLES 3 promises 32, and fragment shaders see 16.
const SPARE_UNIT: u32 = 31;

/// An object created for a draw and deleted after it.
pub(crate) enum Object {
    Texture(glow::Texture),
    Buffer(glow::Buffer),
    Framebuffer(glow::Framebuffer),
    VertexArray(glow::VertexArray),
}

/// The `#version` line of a source, or nothing.
fn version_line(source: &str) -> &str {
    source.lines().map(str::trim).find(|line| line.starts_with("#version")).unwrap_or_default()
}
