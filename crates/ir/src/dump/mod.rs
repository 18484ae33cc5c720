//! The dump: a listing of a module with its own ids and the tree of blocks. It accepts any module whose types and
//! constants are valid, even if it is otherwise invalid; it cannot be read back (see [`crate::text`]).
//!
//! First the stages with their properties, then types (`tN`), constants (`cN`), variables (`vN`), and the functions
//! (`fN`) with their blocks. A register `rN` is a local value; the precision of a result is on the right, that of a
//! constant operand after it. Names of the shader's interface begin with `_u`; other names of the source begin with `t`
//! and end with the number of the variable; built-in and internal names are unchanged.
//!
//! Function types are not part of the source: they come last, and only those that are referred to. Only their numbers
//! differ from those of the ids.
mod body;
mod lines;

use std::fmt::Write;

use crate::arena::Id;
use crate::constant::{ConstData, ConstValue, YUV_NAMES};
use crate::decoration::{Decorations, Name, NameSource, Precision};
use crate::entity::{Func, Type, Var};
use crate::function::{Direction, Function, Param};
use crate::meaning::{integer_value, shortest_half};
use crate::module::{EntryPoint, Module, Stage, StageProperties, VarData};
use crate::ops::ImmKind;
use crate::text::dim_name;
use crate::text::words::{
    DEPTHS, DERIVATIVE_GROUPS, DIRECTIONS, INTERLOCKS, PRIMITIVES, SPACINGS, WINDINGS, decoration_text, word_of,
};
use crate::types::{AddressSpace, ImageKind, Scalar, TypeKind};

/// The dump of a module.
///
/// # Example
/// ```
/// use planish_ir::module::{Language, Module};
/// let dump = planish_ir::dump::dump(&Module::new(Language::Ir));
/// assert!(dump.contains("  t7: Vector of t1[2]\n"));
/// ```
pub fn dump(module: &Module) -> String {
    let mut dumper = Dumper { module, numbers: type_numbers(module), out: String::new() };
    dumper.stages();
    dumper.types();
    dumper.constants();
    dumper.variables();
    lines::machine(&mut dumper);
    dumper.out.push_str("\nFunctions:\n");
    for (func, function) in module.funcs.iter() {
        dumper.function(func, function);
    }
    dumper.out
}

struct Dumper<'a> {
    module: &'a Module,
    /// By type: its number in the dump; `None` if not listed.
    numbers: Vec<Option<u32>>,
    out: String,
}

/// Numbers of types: all but function types in order, then those function types that are referred to.
fn type_numbers(module: &Module) -> Vec<Option<u32>> {
    let is_function = |ty: Type| matches!(module.types[ty], TypeKind::Function { .. });
    let mut used = vec![false; module.types.len()];
    let mut refer = |ty: Type| {
        if let Some(flag) = used.get_mut(ty.index()) {
            *flag = true;
        }
    };
    for (_, kind) in module.types.iter() {
        match kind {
            TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => refer(*element),
            TypeKind::Pointer { pointee, .. } => refer(*pointee),
            TypeKind::Struct(s) => s.members.iter().for_each(|m| refer(m.ty)),
            _ => {}
        }
    }
    for function in module.funcs.values() {
        function.params.iter().for_each(|p| refer(p.ty));
        function.results.iter().for_each(|r| refer(r.ty));
        let Some(body) = &function.body else { continue };
        body.locals().for_each(|(_, l)| refer(l.ty));
        for (_, node) in body.nodes() {
            match node.op.info().imm {
                ImmKind::TableType => refer(node.imm.as_table_type().1),
                ImmKind::Custom => refer(node.imm.as_custom().1),
                _ => {}
            }
        }
    }
    // Parameters and results of listed function types are listed; types refer to older ones only.
    for (ty, kind) in module.types.iter().collect::<Vec<_>>().into_iter().rev() {
        if let (true, TypeKind::Function { params, results }) = (used[ty.index()], kind) {
            for part in params.iter().chain(&**results) {
                used[part.index()] = true;
            }
        }
    }
    let mut numbers = vec![None; module.types.len()];
    let mut next = 0;
    for functions in [false, true] {
        for (ty, _) in module.types.iter() {
            if is_function(ty) == functions && (!functions || used[ty.index()]) {
                numbers[ty.index()] = Some(next);
                next += 1;
            }
        }
    }
    numbers
}

impl Dumper<'_> {
    fn ty(&self, ty: Type) -> String {
        match self.numbers.get(ty.index()) {
            Some(Some(number)) => format!("t{number}"),
            _ => "t?".into(),
        }
    }

    fn list(&self, types: &[Type]) -> String {
        types.iter().map(|t| self.ty(*t)).collect::<Vec<_>>().join(", ")
    }

    fn stages(&mut self) {
        let staged: Vec<(&EntryPoint, Stage)> =
            self.module.entry_points.iter().filter_map(|e| Some((e, e.stage?))).collect();
        if staged.is_empty() {
            self.out.push_str("Module\n");
        }
        for (entry, stage) in &staged {
            self.out.push_str(stage_title(*stage));
            if staged.len() > 1 {
                let _ = write!(self.out, " {}", entry.func);
            }
            self.out.push('\n');
            for line in property_lines(&entry.properties) {
                let _ = writeln!(self.out, "[{line}]");
            }
        }
        for extension in &self.module.extensions {
            let _ = writeln!(self.out, "[Extension: {extension}]");
        }
    }

    fn types(&mut self) {
        self.out.push_str("\nTypes:\n");
        let mut shown: Vec<(u32, &TypeKind)> = Vec::new();
        for (ty, kind) in self.module.types.iter() {
            shown.extend(self.numbers[ty.index()].map(|n| (n, kind)));
        }
        shown.sort_by_key(|(n, _)| *n);
        for (number, kind) in shown {
            let text = self.type_line(kind);
            let _ = writeln!(self.out, "  t{number}: {text}");
        }
    }

    fn scalar_type(&self, scalar: Scalar) -> String {
        let known = self.module.types.iter().find(|(_, k)| **k == TypeKind::Scalar(scalar));
        known.map_or_else(|| scalar_name(scalar).to_owned(), |(ty, _)| self.ty(ty))
    }

    fn type_line(&self, kind: &TypeKind) -> String {
        match kind {
            TypeKind::Void => "void".into(),
            TypeKind::Scalar(s) => scalar_name(*s).into(),
            TypeKind::AtomicCounter => "atomic_uint".into(),
            TypeKind::YuvCsc => "yuvCscStandardEXT".into(),
            TypeKind::Vector(s, n) => format!("Vector of {}[{n}]", self.scalar_type(*s)),
            TypeKind::Matrix { scalar, columns, rows } => {
                let wanted = TypeKind::Vector(*scalar, *rows);
                let column = self.module.types.iter().find(|(_, k)| **k == wanted);
                let column =
                    column.map_or_else(|| format!("{}[{rows}]", self.scalar_type(*scalar)), |(ty, _)| self.ty(ty));
                format!("Matrix of {column}[{columns}]")
            }
            TypeKind::Array { element, len } => format!("Array of {}[{len}]", self.ty(*element)),
            TypeKind::RuntimeArray { element } => format!("Unsized array of {}", self.ty(*element)),
            TypeKind::Struct(s) => {
                let what = if s.is_block { "Interface block" } else { "Struct" };
                let members: Vec<String> = s
                    .members
                    .iter()
                    .map(|m| format!("{}: {}{}", m.name, self.ty(m.ty), brackets(m.precision, &[], &m.decorations)))
                    .collect();
                format!("{what} '{}' {{{}}}", s.name, members.join(", "))
            }
            TypeKind::Image(image) => {
                let (kind, format) = match image.kind {
                    ImageKind::Combined => ("Combined image", String::new()),
                    ImageKind::Texture => ("Texture", String::new()),
                    ImageKind::Storage(format) => ("Storage image", format!(", {}", format.name())),
                };
                let mut words = format!("{kind} {}", dim_name(image.dim));
                for (set, word) in
                    [(image.arrayed, "array"), (image.multisampled, "multisampled"), (image.shadow, "shadow")]
                {
                    if set {
                        let _ = write!(words, " {word}");
                    }
                }
                format!("{words} of {}{format}", self.scalar_type(image.sampled))
            }
            TypeKind::Sampler { comparison } => if *comparison { "Comparison sampler" } else { "Sampler" }.into(),
            TypeKind::Pointer { pointee, space } => match space {
                AddressSpace::Function | AddressSpace::Private | AddressSpace::Input | AddressSpace::Output => {
                    format!("Pointer to {}", self.ty(*pointee))
                }
                space => format!("Pointer to {} in {} space", self.ty(*pointee), space.name()),
            },
            TypeKind::Function { params, results } => {
                format!("Function ({}) -> ({})", self.list(params), self.list(results))
            }
            TypeKind::FuncRef => "Function reference".into(),
            TypeKind::V128 => "128 bits".into(),
            TypeKind::ExternRef => "Host reference".into(),
            TypeKind::Token => "Token".into(),
            TypeKind::Spirv(ty) => format!("SPIR-V Op{}", ty.name),
        }
    }

    fn constants(&mut self) {
        self.out.push_str("\nConstants:\n");
        for (c, data) in self.module.consts.iter() {
            let value = self.value(data);
            let _ = writeln!(self.out, "  {c} ({}): {value}", self.ty(data.ty));
        }
    }

    fn value(&self, data: &ConstData) -> String {
        match (&data.value, self.module.types.iter().nth(data.ty.index()).map(|(_, k)| k)) {
            (ConstValue::Bits(bits), Some(TypeKind::Scalar(s))) => scalar_text(*s, *bits),
            (ConstValue::Bits(bits), _) => YUV_NAMES.get(*bits as usize).map_or("?".into(), |n| (*n).into()),
            (ConstValue::Wide(bits), _) => format!("{bits:#034x}"),
            (ConstValue::Null, _) => "null".into(),
            (ConstValue::Composite(parts), _) => {
                let parts: Vec<String> = parts.iter().map(|p| p.to_string()).collect();
                format!("composite({})", parts.join(", "))
            }
        }
    }

    fn variables(&mut self) {
        self.out.push_str("\nVariables:\n");
        for (var, data) in self.module.vars.iter() {
            let _ = write!(self.out, "  {var} ({}): '{}'", self.ty(data.pointer), variable_name(var, data));
            if let Some(initializer) = data.initializer {
                let _ = write!(self.out, "={initializer}");
            }
            let space = (data.space != AddressSpace::Function).then(|| data.space.name());
            let words: Vec<&str> = space.into_iter().chain(data.is_const.then_some("const")).collect();
            let _ = writeln!(self.out, "{}", brackets(data.precision, &words, &data.decorations));
        }
        let globals: Vec<String> = self.module.globals.iter().map(|v| v.to_string()).collect();
        let _ = writeln!(self.out, "\nGlobals: {}", globals.join(", "));
    }

    fn function(&mut self, func: Func, function: &Function) {
        let name = self.function_name(func, function);
        let inputs = function.body.as_ref().map(|b| b.blocks[b.entry].inputs.clone()).unwrap_or_default();
        let params: Vec<String> = function
            .params
            .iter()
            .enumerate()
            .map(|(i, param)| {
                let register = inputs.get(i).map_or("_".into(), |r| r.to_string());
                self.param(&register, param)
            })
            .collect();
        let results: Vec<String> = function
            .results
            .iter()
            .map(|r| format!("{}{}", self.ty(r.ty), brackets(r.precision, &[], &Decorations::new())))
            .collect();
        let results = match results.as_slice() {
            [] => self.ty(Type::VOID),
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        let decorations = brackets(Precision::None, &[], &function.decorations);
        let _ = writeln!(self.out, "\n  {func}: '{name}'({}) -> {results}{decorations}", params.join(", "));
        if let Some(signature) = &function.signature {
            let mut text = String::from("    Shape ");
            crate::text::write_signature(&mut text, signature);
            let _ = writeln!(self.out, "{text}");
        }
        if let Some((_, import)) = self.module.func_imports.iter().find(|(f, _)| *f == func) {
            let _ = writeln!(self.out, "    Import '{}' '{}'", import.module, import.name);
        }
        if let Some(body) = &function.body {
            self.out.push('\n');
            body::dump(self, func, body);
        }
    }

    fn param(&self, register: &str, param: &Param) -> String {
        let direction = (param.direction != Direction::In).then(|| word_of(DIRECTIONS, &param.direction));
        let words: Vec<&str> = direction.into_iter().collect();
        let name = match param.name.source {
            NameSource::Temporary => format!("t{}", param.name.text),
            NameSource::Interface => format!("_u{}", param.name.text),
            _ => param.name.text.to_string(),
        };
        format!(
            "{register} ({}): '{name}'{}",
            self.ty(param.ty),
            brackets(param.precision, &words, &Decorations::new())
        )
    }

    /// The name of an entry point is its export name.
    fn function_name(&self, func: Func, function: &Function) -> String {
        if self.module.entry_points.iter().any(|e| e.func == func) {
            return function.name.text.to_string();
        }
        name_text(&function.name, func.as_u32())
    }
}

fn variable_name(var: Var, data: &VarData) -> String {
    name_text(&data.name, var.as_u32())
}

fn name_text(name: &Name, number: u32) -> String {
    match name.source {
        NameSource::Interface => format!("_u{}", name.text),
        NameSource::Temporary => format!("t{}_{number}", name.text),
        NameSource::BuiltIn | NameSource::Internal => name.text.to_string(),
    }
}

/// ` [mediump, output, location(0)]`; empty if there is nothing to list.
fn brackets(precision: Precision, words: &[&str], decorations: &Decorations) -> String {
    let precision = (precision != Precision::None).then(|| precision.keyword().to_owned());
    let words = words.iter().map(|w| (*w).to_owned());
    let all: Vec<String> = precision.into_iter().chain(words).chain(decorations.iter().map(decoration_text)).collect();
    if all.is_empty() { String::new() } else { format!(" [{}]", all.join(", ")) }
}

const fn stage_title(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "Vertex Shader",
        Stage::TessellationControl => "Tessellation Control Shader",
        Stage::TessellationEvaluation => "Tessellation Evaluation Shader",
        Stage::Geometry => "Geometry Shader",
        Stage::Fragment => "Fragment Shader",
        Stage::Compute => "Compute Shader",
        Stage::Task => "Task Shader",
        Stage::Mesh => "Mesh Shader",
        Stage::TaskNv => "Task Shader (NV)",
        Stage::MeshNv => "Mesh Shader (NV)",
        Stage::RayGeneration => "Ray Generation Shader",
        Stage::Intersection => "Intersection Shader",
        Stage::AnyHit => "Any Hit Shader",
        Stage::ClosestHit => "Closest Hit Shader",
        Stage::Miss => "Miss Shader",
        Stage::Callable => "Callable Shader",
    }
}

fn property_lines(p: &StageProperties) -> Vec<String> {
    let mut lines = Vec::new();
    let flags = [
        (p.early_fragment_tests, "Early fragment tests"),
        (p.origin_upper_left, "Origin upper left"),
        (p.pixel_center_integer, "Pixel center integer"),
    ];
    lines.extend(flags.iter().filter(|(set, _)| *set).map(|(_, text)| (*text).to_owned()));
    lines.extend(p.depth.map(|d| format!("Depth: {}", word_of(DEPTHS, &d))));
    lines.extend(p.interlock.map(|i| format!("Interlock: {}", word_of(INTERLOCKS, &i))));
    lines.extend(p.local_size.map(|[x, y, z]| format!("Local size: {x}, {y}, {z}")));
    let ids = ["x", "y", "z"].iter().zip(p.local_size_ids);
    lines.extend(ids.filter_map(|(axis, id)| Some(format!("Local size {axis} id: {}", id?))));
    lines.extend(p.input_primitive.map(|t| format!("Input primitive: {}", word_of(PRIMITIVES, &t))));
    lines.extend(p.output_primitive.map(|t| format!("Output primitive: {}", word_of(PRIMITIVES, &t))));
    lines.extend(p.max_vertices.map(|n| format!("Max vertices: {n}")));
    lines.extend(p.invocations.map(|n| format!("Invocations: {n}")));
    lines.extend(p.vertices.map(|n| format!("Vertices: {n}")));
    lines.extend(p.spacing.map(|s| format!("Spacing: {}", word_of(SPACINGS, &s))));
    lines.extend(p.winding.map(|w| format!("Winding: {}", word_of(WINDINGS, &w))));
    lines.extend(p.point_mode.then(|| "Point mode".to_owned()));
    for (buffer, stride) in p.xfb_strides.iter().enumerate() {
        lines.extend(stride.map(|stride| format!("Stride of captured outputs in buffer {buffer}: {stride}")));
    }
    lines.extend(p.derivative_group.map(|g| format!("Derivatives in: {}", word_of(DERIVATIVE_GROUPS, &g))));
    lines.extend(p.num_views.map(|n| format!("Views: {n}")));
    lines.extend((p.blend_equations != 0).then(|| format!("Blend equations: {:#x}", p.blend_equations)));
    lines
}

const fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8_t",
        Scalar::U8 => "uint8_t",
        Scalar::I16 => "int16_t",
        Scalar::U16 => "uint16_t",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::I64 => "int64_t",
        Scalar::U64 => "uint64_t",
        Scalar::F16 => "float16_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

fn scalar_text(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        scalar if scalar.is_integer() => integer_value(scalar, bits).to_string(),
        Scalar::F16 => {
            let value = shortest_half(bits as u16);
            if value.is_nan() { format!("nan({bits:#06x})") } else { format!("{value:?}") }
        }
        Scalar::F32 => {
            let value = f32::from_bits(bits as u32);
            if value.is_nan() { format!("nan({bits:#010x})") } else { format!("{value:?}") }
        }
        _ => {
            let value = f64::from_bits(bits);
            if value.is_nan() { format!("nan({bits:#018x})") } else { format!("{value:?}") }
        }
    }
}
