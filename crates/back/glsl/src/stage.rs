//! Layouts of a whole stage, and built-in outputs that are captured.

use planish_ir::decoration::BuiltIn;
use planish_ir::entity::Var;
use planish_ir::module::{DepthLayout, DerivativeGroup, EntryPoint, Interlock, Primitive, Spacing, Stage, Winding};
use planish_ir::types::AddressSpace;

use crate::target::NEVER;
use crate::writer::Writer;

impl Writer<'_> {
    /// Layout of the whole stage.
    pub(crate) fn stage_lines(&mut self, entry: &EntryPoint) -> Vec<String> {
        let p = &entry.properties;
        let mut lines = Vec::new();
        let mut input = Vec::new();
        let mut output = Vec::new();
        if let Some([x, y, z]) = p.local_size {
            input.push(format!("local_size_x = {x}, local_size_y = {y}, local_size_z = {z}"));
        }
        // Only Vulkan has constants that the host gives; elsewhere they have their default values.
        let ids = ["x", "y", "z"].iter().zip(p.local_size_ids).filter(|_| self.target.vulkan);
        input.extend(ids.filter_map(|(axis, id)| Some(format!("local_size_{axis}_id = {}", id?))));
        if p.early_fragment_tests {
            if self.target.at_least(310, 420) {
                input.push("early_fragment_tests".into());
            } else {
                let span = self.module.funcs[entry.func].span;
                self.unsupported("`early_fragment_tests`", span);
            }
        }
        if let Some(group) = p.derivative_group {
            if !self.target.at_least(320, 450) {
                let span = self.module.funcs[entry.func].span;
                self.unsupported("derivatives in compute shaders", span);
            }
            self.extension("GL_NV_compute_shader_derivatives");
            input.push(match group {
                DerivativeGroup::Quads => "derivative_group_quadsNV".into(),
                DerivativeGroup::Linear => "derivative_group_linearNV".into(),
            });
        }
        if let Some(interlock) = p.interlock {
            match interlock_word(interlock) {
                Some(word) if self.target.at_least(310, 450) => {
                    self.extension(crate::ops::interlock_extension(self.target.es));
                    input.push(word.into());
                }
                _ => {
                    let span = self.module.funcs[entry.func].span;
                    self.unsupported("this interlock of fragments", span);
                }
            }
        }
        // (The control stage of a binary may name the primitive, too.)
        if entry.stage != Some(Stage::TessellationControl) {
            input.extend(p.input_primitive.map(|x| primitive(x).to_owned()));
        }
        if entry.stage == Some(Stage::TessellationControl)
            && (p.spacing.is_some() || p.winding.is_some() || p.point_mode)
        {
            let span = self.module.funcs[entry.func].span;
            self.unsupported(
                "a control stage that tells the tessellator what to make (the evaluation stage does)",
                span,
            );
        } else {
            input.extend(p.spacing.map(|s| spacing(s).to_owned()));
            input.extend(p.winding.map(|w| if w == Winding::Clockwise { "cw".into() } else { "ccw".into() }));
            input.extend(p.point_mode.then(|| "point_mode".into()));
        }
        input.extend(p.invocations.map(|n| format!("invocations = {n}")));
        if let Some(n) = p.num_views {
            let name = if self.source_has("GL_OVR_multiview") { "GL_OVR_multiview" } else { "GL_OVR_multiview2" };
            self.extension(name);
            input.push(format!("num_views = {n}"));
        }
        for (buffer, stride) in p.xfb_strides.iter().enumerate() {
            let Some(stride) = stride else { continue };
            if self.target.at_least(NEVER, 440) {
                lines.push(format!("layout(xfb_buffer = {buffer}, xfb_stride = {stride}) out;"));
            } else {
                let span = self.module.funcs[entry.func].span;
                self.unsupported("`xfb_stride`: outputs are captured by the calls of OpenGL", span);
            }
        }
        let captured = |var: &Var| self.module.vars[*var].decorations.captured().map(|(buffer, _)| buffer);
        let buffers: Vec<u32> = self.builtin_outputs().iter().filter_map(captured).collect();
        if buffers.iter().any(|buffer| *buffer != buffers[0]) {
            // They are members of one block, which has one buffer.
            let span = self.module.funcs[entry.func].span;
            self.unsupported("built-in outputs that are captured in several buffers", span);
        }
        output.extend(p.output_primitive.map(|x| primitive(x).to_owned()));
        output.extend(p.max_vertices.map(|n| format!("max_vertices = {n}")));
        output.extend(p.vertices.map(|n| format!("vertices = {n}")));
        if !input.is_empty() {
            lines.push(format!("layout({}) in;", input.join(", ")));
        }
        if !output.is_empty() {
            lines.push(format!("layout({}) out;", output.join(", ")));
        }
        if let Some(depth) = p.depth {
            // It only allows the device to test early: versions without it omit it.
            if self.target.at_least(NEVER, 420) {
                lines.push(format!("layout({}) out float gl_FragDepth;", depth_layout(depth)));
            } else if self.target.at_least(300, NEVER) && self.source_has("GL_EXT_conservative_depth") {
                self.extension("GL_EXT_conservative_depth");
                lines.push(format!("layout({}) out highp float gl_FragDepth;", depth_layout(depth)));
            }
        }
        if p.origin_upper_left || p.pixel_center_integer {
            let mut parts = Vec::new();
            if p.origin_upper_left && !self.target.vulkan {
                parts.push("origin_upper_left");
            }
            if p.pixel_center_integer {
                parts.push("pixel_center_integer");
            }
            if !parts.is_empty() && self.target.at_least(NEVER, 150) {
                lines.push(format!("layout({}) in vec4 gl_FragCoord;", parts.join(", ")));
            }
        }
        lines
    }

    /// The built-in outputs that `gl_PerVertex` has.
    fn builtin_outputs(&self) -> Vec<Var> {
        let is_member = |&&var: &&Var| {
            let data = &self.module.vars[var];
            let known = [BuiltIn::Position, BuiltIn::PointSize, BuiltIn::ClipDistance, BuiltIn::CullDistance];
            data.space == AddressSpace::Output && data.decorations.builtin().is_some_and(|b| known.contains(&b))
        };
        self.module.globals.iter().filter(is_member).copied().collect()
    }

    /// The block of built-in outputs, if one of them is captured: at the first of them.
    pub(crate) fn captured_builtins(&self, var: Var) -> Option<Vec<String>> {
        let (module, all) = (self.module, self.builtin_outputs());
        let (buffer, _) = all.iter().find_map(|&var| module.vars[var].decorations.captured())?;
        if !all.contains(&var) {
            return None;
        }
        if all.first() != Some(&var) {
            return Some(vec![]);
        }
        let mut lines = vec![format!("layout(xfb_buffer = {buffer}) out gl_PerVertex {{")];
        for var in all {
            let data = &module.vars[var];
            let (base, sizes) = self.type_parts(data.ty);
            let offset = data.decorations.captured().map(|(_, offset)| format!("layout(xfb_offset = {offset}) "));
            lines.push(format!("    {}{base} {}{sizes};", offset.unwrap_or_default(), data.name.text));
        }
        lines.push("};".into());
        Some(lines)
    }
}

fn primitive(p: Primitive) -> &'static str {
    match p {
        Primitive::Points => "points",
        Primitive::Lines => "lines",
        Primitive::LinesAdjacency => "lines_adjacency",
        Primitive::Triangles => "triangles",
        Primitive::TrianglesAdjacency => "triangles_adjacency",
        Primitive::Quads => "quads",
        Primitive::Isolines => "isolines",
        Primitive::LineStrip => "line_strip",
        Primitive::TriangleStrip => "triangle_strip",
    }
}

fn spacing(spacing: Spacing) -> &'static str {
    match spacing {
        Spacing::Equal => "equal_spacing",
        Spacing::FractionalEven => "fractional_even_spacing",
        Spacing::FractionalOdd => "fractional_odd_spacing",
    }
}

fn interlock_word(interlock: Interlock) -> Option<&'static str> {
    match interlock {
        Interlock::PixelOrdered => Some("pixel_interlock_ordered"),
        Interlock::PixelUnordered => Some("pixel_interlock_unordered"),
        Interlock::SampleOrdered => Some("sample_interlock_ordered"),
        Interlock::SampleUnordered => Some("sample_interlock_unordered"),
        Interlock::ShadingRateOrdered | Interlock::ShadingRateUnordered => None,
    }
}

fn depth_layout(d: DepthLayout) -> &'static str {
    match d {
        DepthLayout::Any => "depth_any",
        DepthLayout::Greater => "depth_greater",
        DepthLayout::Less => "depth_less",
        DepthLayout::Unchanged => "depth_unchanged",
    }
}
