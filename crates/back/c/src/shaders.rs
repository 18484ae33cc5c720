//! Shaders: functions of one invocation, and functions over batches of invocations, whose structures are memories of the program.

use std::fmt::Write as _;

use planish_back_header::header::unique_members;
use planish_back_header::shaders::{FieldKind, ShaderEntry, ShaderGroup};
use planish_back_header::{Fields, Shaders, StageFunction};
use planish_ir::entity::{Func, Memory};
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::texture::{Call, Handle};
use planish_ir::types::{Dim, Scalar};

use crate::adapters::{Adapters, places};
use crate::syntax::type_text;
use crate::writer::Writer;

/// The functions of texture ops.
pub(crate) const TEXTURES: &str = include_str!("textures.c");

/// The text of the functions of texture ops, as a helper.
pub(crate) const TEXTURE_NEEDS: &[&str] = &["f32_bits", "f32_from_bits", "to_u32"];

/// The helper that gives the length of the array at the end of a buffer.
pub(crate) const LENGTH: &str = "\
/* Number of whole elements of an array at the end of a buffer. */
static inline uint32_t array_length(size_t size, size_t start, size_t stride) {
    size_t count = size < start ? 0u : (size - start) / stride;
    return count < (size_t)INT32_MAX ? (uint32_t)count : (uint32_t)INT32_MAX;
}
";

/// Helpers that the functions of shaders call.
pub(crate) fn needs(w: &mut Writer<'_>) {
    if !w.shaders.textures.is_empty() {
        w.needs.extend(["textures", "v128_read", "v128_write"]);
    }
    let shaders = w.shaders;
    let fields = shaders.entries.iter().flat_map(|entry| &entry.groups).flat_map(|group| &group.fields);
    let tails = fields.filter_map(|field| if let FieldKind::Buffer { tail, .. } = field.kind { tail } else { None });
    if tails.into_iter().any(|(var, ..)| w.state.by_var[var].is_some()) {
        w.needs.insert("array_length");
    }
}

/// Names of the functions on textures and their constants.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let words = TEXTURES.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| {
        word.starts_with("texture_") || word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    })
}

/// The constant that describes a texture op.
fn descriptor(call: &Call) -> String {
    let op = match call.op {
        Op::TextureQueryLod => "QUERY_LOD",
        Op::TextureGather => "GATHER",
        Op::TextureFetch => "FETCH",
        Op::TextureSize => "SIZE",
        Op::TextureQueryLevels => "QUERY_LEVELS",
        Op::TextureQuerySamples => "QUERY_SAMPLES",
        _ => "SAMPLE",
    };
    let samples = matches!(op, "SAMPLE" | "GATHER" | "FETCH");
    let flags = if samples { call.flags } else { TextureFlags::NONE };
    let first = 1 + usize::from(call.texture.is_indexed) + usize::from(call.sampler.is_some_and(|s| s.is_indexed));
    // (Operand 0 is the texture, 1 the coordinate.)
    let operand =
        |number: Option<usize>| match number.and_then(|number| Some((number, *call.operands.get(number - 1)?))) {
            Some((number, count)) => {
                let before: u32 = call.operands[..number - 1].iter().sum();
                format!("{{{}, {count}}}", first + before as usize)
            }
            None => "{0, 0}".to_owned(),
        };
    let of = |flag: TextureFlags| operand(flags.operand(flag));
    let gradient = flags.operand(TextureFlags::GRAD);
    let operands = [
        operand(Some(1)),
        of(TextureFlags::COMPARE),
        of(TextureFlags::LOD),
        operand(gradient),
        operand(gradient.map(|first| first + 1)),
        of(TextureFlags::BIAS),
        of(TextureFlags::OFFSET),
        of(TextureFlags::OFFSETS),
        of(TextureFlags::MIN_LOD),
    ];
    let handle = |handle: Handle| format!("{{{}u, {}u, {}}}", handle.offset, handle.count.max(1), handle.is_indexed);
    let sampler = call.sampler.map_or_else(|| "{0u, 1u, false}".to_owned(), handle);
    let truths = [
        call.image.dim == Dim::Cube,
        call.image.dim == Dim::Rect,
        call.image.sampled == Scalar::F32,
        call.image.arrayed,
        flags.has(TextureFlags::PROJ),
        call.has_implicit_levels,
        call.sampler.is_some(),
    ];
    let truths: Vec<String> = truths.iter().map(bool::to_string).collect();
    format!(
        "{{{op}, {}u, {}, {}u, {}u, {}u,\n    {{{}}}, {}, {sampler}}}",
        call.image.dim.coordinates(),
        truths.join(", "),
        call.lanes,
        flags.component(),
        call.results,
        operands.join(", "),
        handle(call.texture)
    )
}

/// The size of the memory of a function's own, which its frame has.
fn bytes_of(shaders: &Shaders, memory: Memory) -> u32 {
    shaders.memory.filter(|(own, _)| *own == memory).map_or(0, |(_, bytes)| bytes)
}

impl Adapters<'_, '_> {
    /// The function of a texture op.
    pub(crate) fn texture(&self, func: Func, call: &Call) -> String {
        let data = &self.w.module.funcs[func];
        let (number, types) = (func.as_u32(), self.w.results_of(func));
        let params: String = data
            .params
            .iter()
            .enumerate()
            .map(|(i, p)| format!(", {} p{i}", type_text(&self.w.module.types[p.ty])))
            .collect();
        let room = 4 * data.params.len().max(types.len());
        let mut out = format!(
            "static const texture_call texture_{number} = {};\n\nstatic {} import_{number}({} *self{params}) {{\n    \
             uint32_t words[{room}];\n",
            descriptor(call),
            self.w.return_type(&types),
            self.w.instance
        );
        for i in 0..data.params.len() {
            let _ = writeln!(out, "    v128_write(&words[{}], p{i});", 4 * i);
        }
        let _ = writeln!(out, "    texture_op(&texture_{number}, self->resources, words);");
        let results: Vec<String> = (0..types.len()).map(|i| format!("v128_read(&words[{}])", 4 * i)).collect();
        let _ = match &results[..] {
            [] => writeln!(out, "}}"),
            [one] => writeln!(out, "    return {one};\n}}"),
            all => writeln!(out, "    return ({}){{{}}};\n}}", self.w.results_name(&types), all.join(", ")),
        };
        out
    }

    /// The function of an entry point over batches.
    pub(crate) fn shader(&self, entry: &ShaderEntry, c_name: &str, name: &str, start: &str) -> String {
        let mut params: Vec<String> = entry
            .groups
            .iter()
            .map(|group| format!("{}{c_name}_{1} *{1}", if group.is_const { "const " } else { "" }, group.name))
            .collect();
        let mut args = Vec::new();
        for numbers in &entry.numbers {
            match numbers.count {
                None => {
                    params.push(format!("uint32_t {}", numbers.name));
                    args.push(numbers.name.to_owned());
                }
                Some(count) => {
                    params.push(format!("const uint32_t {}[{count}]", numbers.name));
                    args.extend((0..count).map(|i| format!("{}[{i}]", numbers.name)));
                }
            }
        }
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let mut out = format!("void {c_name}({params}) {{\n");
        if self.w.has_instance() {
            args.insert(0, "&planish_frame".to_owned());
            out.push_str(self.frame);
            for group in &entry.groups {
                self.lend(group, args.get(1), &mut out);
            }
            for (memory, name) in self.w.module.memories.keys().zip(&self.w.state.memories) {
                let bytes = bytes_of(self.w.shaders, memory);
                if bytes > 0 {
                    let _ = write!(
                        out,
                        "    uint8_t {name}_bytes[{bytes}] = {{0}};\n    planish_frame.{name}.data = {name}_bytes;\n    \
                         planish_frame.{name}.size = sizeof {name}_bytes;\n"
                    );
                }
            }
            out.push_str(start);
        }
        let _ = writeln!(out, "    {name}({});\n}}", args.join(", "));
        out
    }

    /// A structure as a memory, and the buffers that it points to.
    fn lend(&self, group: &ShaderGroup, count: Option<&String>, out: &mut String) {
        let state = self.w.state;
        let memory = |memory: Memory| format!("planish_frame.{}", state.memories[memory.as_u32() as usize]);
        let (own, name) = (memory(group.memory), group.name);
        if group.name == "uniforms" && !self.w.shaders.textures.is_empty() {
            let _ = writeln!(out, "    planish_frame.resources = {name};");
        }
        let times = match count.filter(|_| group.is_repeated) {
            Some(count) => format!("(size_t){count} * "),
            None => String::new(),
        };
        let _ = write!(out, "    {own}.data = (uint8_t *){name};\n    {own}.size = {times}{}u;\n", group.size);
        let fields = unique_members(group.fields.iter().map(|field| (&*field.name, field)));
        for (field, data) in &fields {
            let FieldKind::Buffer { memory: of, tail } = data.kind else { continue };
            let of = memory(of);
            let _ = write!(out, "    {of}.data = {name}->{field}.data;\n    {of}.size = {name}->{field}.size;\n");
            if let Some((var, start, stride)) = tail.filter(|&(var, ..)| state.by_var[var].is_some()) {
                let var = state.var(var);
                let _ = writeln!(
                    out,
                    "    planish_frame.{var} = array_length({name}->{field}.size, {start}u, {}u);",
                    stride.max(1)
                );
            }
        }
    }

    /// The function of an entry point for one invocation.
    pub(crate) fn stage(&self, stage: &StageFunction, func: Func, name: &str) -> String {
        let groups = [
            ("uniforms", &stage.uniforms, "const "),
            ("inputs", &stage.inputs, "const "),
            ("outputs", &stage.outputs, ""),
        ];
        let is_there = |group: &&(&str, &Fields, &str)| !group.1.0.is_empty();
        let params: Vec<String> = groups
            .iter()
            .filter(is_there)
            .map(|(group, _, constant)| format!("{constant}{}_{group} *{group}", stage.c_name))
            .collect();
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let parts = |groups: &[(&str, &Fields, &str)]| {
            let mut parts = Vec::new();
            for (group, Fields(fields), _) in groups {
                for (field, var) in fields {
                    let ty = self.source.vars[*var].ty;
                    places(self.source, ty, &format!("{group}->{field}"), &mut parts);
                }
            }
            parts
        };
        let mut out = format!("void {}({params}) {{\n", stage.c_name);
        let mut args = Vec::new();
        if self.w.has_instance() {
            out.push_str(self.frame);
            args.push("&planish_frame".to_owned());
        }
        args.extend(parts(&groups[..2]).iter().map(crate::adapters::Part::read));
        let call = format!("{name}({})", args.join(", "));
        let types = self.w.results_of(func);
        match &parts(&groups[2..])[..] {
            [] => _ = writeln!(out, "    {call};"),
            [one] => _ = writeln!(out, "    {}", one.write(&call)),
            all => {
                let _ = writeln!(out, "    const {} planish_results = {call};", self.w.results_name(&types));
                for (i, part) in all.iter().enumerate() {
                    let _ = writeln!(out, "    {}", part.write(&format!("planish_results.r{i}")));
                }
            }
        }
        out.push_str("}\n");
        out
    }
}
