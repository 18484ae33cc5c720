//! Compiling and linking: verdicts of the driver's GLSL compiler.

use glow::HasContext;

use crate::Gpu;

/// A shader stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Vertex shaders.
    Vertex,
    /// Fragment shaders.
    Fragment,
    /// Compute shaders.
    Compute,
}

impl Stage {
    fn kind(self) -> u32 {
        match self {
            Stage::Vertex => glow::VERTEX_SHADER,
            Stage::Fragment => glow::FRAGMENT_SHADER,
            Stage::Compute => glow::COMPUTE_SHADER,
        }
    }
}

impl Gpu {
    /// Whether the driver accepts this shader; else its log.
    pub fn compile_check(&self, stage: Stage, source: &str) -> Result<(), String> {
        self.enter();
        let shader = self.compile(stage, source)?;
        // SAFETY: the context is current, and created the shader just now.
        unsafe { self.gl.delete_shader(shader) };
        Ok(())
    }

    /// Compiles one shader.
    fn compile(&self, stage: Stage, source: &str) -> Result<glow::Shader, String> {
        let gl = &self.gl;
        // SAFETY: the context is current; the shader is created, read and returned here, and not shared before.
        unsafe {
            let shader = gl.create_shader(stage.kind())?;
            gl.shader_source(shader, source);
            gl.compile_shader(shader);
            if gl.get_shader_compile_status(shader) {
                return Ok(shader);
            }
            let log = gl.get_shader_info_log(shader);
            gl.delete_shader(shader);
            Err(log.trim().to_string())
        }
    }

    /// Compiles and links a vertex and a fragment shader. `attributes` get the locations of their places in the list.
    pub(crate) fn link(
        &self,
        vertex: &str,
        fragment: &str,
        attributes: &[String],
    ) -> Result<glow::Program, (Option<Stage>, String)> {
        let gl = &self.gl;
        let fragment = self.compile(Stage::Fragment, fragment).map_err(|log| (Some(Stage::Fragment), log))?;
        let vertex = self.compile(Stage::Vertex, vertex).map_err(|log| (Some(Stage::Vertex), log))?;
        // SAFETY: the context is current and created the shaders above; they are deleted with the program.
        unsafe {
            let program = gl.create_program().map_err(|log| (None, log))?;
            for (i, name) in attributes.iter().enumerate() {
                gl.bind_attrib_location(program, i as u32, name);
            }
            for shader in [vertex, fragment] {
                gl.attach_shader(program, shader);
                gl.delete_shader(shader);
            }
            gl.link_program(program);
            if gl.get_program_link_status(program) {
                return Ok(program);
            }
            let log = gl.get_program_info_log(program);
            gl.delete_program(program);
            Err((None, log.trim().to_string()))
        }
    }
}
