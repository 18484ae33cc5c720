//! Shaders of object files: functions over batches of invocations, whose uniforms, inputs, outputs and buffers are memories of the
//! caller's.
//!
//! ```text
//! fragment, vertex   for each batch: load the lanes of the inputs, call the widened shader, store the lanes of the outputs
//! compute            the ids of all invocations of a work group; the widened group
//! ```

mod batches;
mod groups;
mod resources;

use planish_back_native::{FieldKind, ShaderEntry, ShaderField, ShaderGroup, Shaders};
use planish_ir::decoration::Decorations;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Memory, Type};
use planish_ir::module::{EntryPoint, MemoryData, Module, Stage, StageProperties};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, StructType, TypeKind};
use planish_opt::lower_to_scalars::{self, Addresses, Placements};
use planish_opt::widen::Outlined;
use planish_opt::{Context, remove_unreachable_functions};
use planish_target::legal::TargetInfo;
use std::sync::Arc;

use super::stage;

/// Options of [`lower`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchOptions {
    /// 4, 8 or 16.
    pub(crate) lanes: u8,
    /// Whether elementary functions are computed on all lanes, within a few units in the last place.
    pub(crate) approximate: bool,
}

/// Maximum number of bytes of arrays and shared variables in the frame of a function.
const MAX_FRAME: u32 = 1 << 20;

/// A module with shaders as functions over batches, and their interface.
///
/// # Errors
/// E0604 for constructs that have no lanes, or that an object has no resources for, each with its place.
pub(crate) fn lower(module: &Module, options: &BatchOptions) -> Result<(Module, Shaders), Vec<Diagnostic>> {
    let mut work = Work {
        module: prepared(module),
        lanes: options.lanes,
        approximate: options.approximate,
        placements: Placements::default(),
        outlined: Vec::new(),
        entries: Vec::new(),
    };
    let entries = std::mem::take(&mut work.module.entry_points);
    let mut errors = Vec::new();
    for entry in &entries {
        let result = match entry.stage {
            Some(Stage::Compute) => work.group(entry),
            Some(Stage::Fragment | Stage::Vertex) => work.batch(entry),
            other => {
                let stage = other.map_or("function", Stage::name);
                let text = format!("an object has no {stage} shaders over batches of invocations");
                Err(vec![refused(module.funcs[entry.func].span, text)])
            }
        };
        errors.extend(result.err().into_iter().flatten());
    }
    if errors.is_empty() { work.finish() } else { Err(errors) }
}

fn refused(span: Span, text: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::E0604, span, text)
}

/// The module with its shaders alone, every call inlined.
fn prepared(module: &Module) -> Module {
    let mut prepared = module.clone();
    prepared.entry_points.retain(|entry| entry.stage.is_some());
    stage::optimizer(true).run(&mut prepared, &mut |_, _| {});
    prepared
}

/// An entry point that is widened.
struct Entry {
    shader: ShaderEntry,
    body: Body,
}

/// The function that calls it.
enum Body {
    Batch(batches::Batch),
    Group(groups::Ids),
}

/// Memory of the code's own, and the variables in it.
struct Placed {
    memory: Option<(Memory, u32)>,
    addresses: Addresses,
}

struct Work {
    module: Module,
    lanes: u8,
    approximate: bool,
    placements: Placements,
    /// With the fields of the textures and samplers of their entry points.
    outlined: Vec<(Outlined, resources::Handles, bool)>,
    entries: Vec<Entry>,
}

impl Work {
    /// A memory of the caller's.
    fn memory(&mut self) -> Memory {
        let data = MemoryData { min_pages: 0, max_pages: None, import: None, exports: vec![] };
        self.module.memories.push(data)
    }

    /// Notes imported operations, under names that differ between entry points.
    fn outline(&mut self, outlined: &[Outlined], handles: &resources::Handles, is_fragment: bool) {
        for of in outlined {
            let name = format!("{}_{}", of.name, self.outlined.len());
            let import = self.module.func_imports.iter_mut().find(|(func, _)| *func == of.import);
            import.expect("it is imported").1.name = name.as_str().into();
            self.outlined.push((Outlined { name, ..of.clone() }, handles.clone(), is_fragment));
        }
    }

    fn finish(mut self) -> Result<(Module, Shaders), Vec<Diagnostic>> {
        let export = |entry: &Entry| EntryPoint {
            names: vec![entry.shader.name.as_str().into()],
            func: entry.shader.func,
            stage: None,
            properties: StageProperties::default(),
        };
        self.module.entry_points = self.entries.iter().map(export).collect();
        let mut lowered = stage::optimized(&self.module);
        (lowered.facts.on_lanes, lowered.facts.scheduled) = (true, true);
        if self.approximate {
            stage::approximate(&mut lowered, self.lanes, None);
        }
        let mut context = Context::default();
        let given = (self.lanes, &self.placements);
        let (addresses, memory) =
            lower_to_scalars::run_in_memories(&mut lowered, &TargetInfo::EVERYTHING, &mut context, given)?;
        let placed = Placed { memory, addresses };
        if let Some((memory, bytes)) = memory {
            if bytes > MAX_FRAME {
                let text = format!(
                    "the shader needs {bytes} bytes for variables, of which an object has {MAX_FRAME} in a frame"
                );
                return Err(vec![refused(Span::NONE, text).help("`--lanes 4` needs fewer")]);
            }
            let data = &mut lowered.memories[memory];
            (data.min_pages, data.exports) = (0, vec![]);
        }
        // (What is left with linkage are the lengths of arrays, which the interface sets, and addresses, which nothing reads.)
        let vars = &lowered.vars;
        lowered.globals.retain(|&var| vars[var].linkage.is_none() || !vars[var].is_const);
        for (i, entry) in self.entries.iter().enumerate() {
            let shader = lowered.entry_points[i].func;
            lowered.entry_points[i].func = match &entry.body {
                Body::Batch(batch) => batch.write(&mut lowered, shader, self.lanes),
                Body::Group(ids) => ids.write(&mut lowered, (shader, self.lanes), &placed),
            };
        }
        stage::finish(&mut lowered);
        remove_unreachable_functions::run(&mut lowered, &mut context);
        for (entry, exported) in self.entries.iter_mut().zip(&lowered.entry_points) {
            entry.shader.func = exported.func;
        }
        let mut textures = Vec::new();
        for (func, import) in lowered.func_imports.clone() {
            let Some((outlined, handles, is_fragment)) = self.outlined.iter().find(|(of, ..)| *of.name == *import.name)
            else {
                continue;
            };
            let call = resources::call_of(&self.module, outlined, handles, (self.lanes, *is_fragment))?;
            textures.push((func, call));
        }
        let entries = self.entries.into_iter().map(|entry| entry.shader).collect();
        Ok((lowered, Shaders { entries, memory, textures }))
    }
}

/// Appends a member of a structure, of a size and alignment in bytes.
fn push(group: &mut ShaderGroup, name: &str, comment: &str, kind: FieldKind, (size, align): (u32, u32)) -> u32 {
    let offset = group.size.next_multiple_of(align.max(1));
    group.fields.push(ShaderField { name: name.to_owned(), offset, comment: comment.to_owned(), kind });
    group.size = offset + size;
    offset
}

/// A type as C has it: structures without decorations of their members, truth values as words if they `are_words`.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn plain(module: &mut Module, ty: Type, are_words: bool) -> Type {
    match module.types[ty].clone() {
        TypeKind::Array { element, len } => {
            let element = plain(module, element, are_words);
            module.types.array(element, len)
        }
        TypeKind::Struct(s) => {
            let mut members = s.members.clone();
            for member in &mut members {
                member.ty = plain(module, member.ty, are_words);
                member.decorations = Decorations::new();
            }
            let of = StructType { members, name: s.name.clone(), is_block: false };
            module.types.intern(TypeKind::Struct(Arc::new(of)))
        }
        TypeKind::Scalar(Scalar::Bool) if are_words => Type::U32,
        TypeKind::Vector(Scalar::Bool, n) if are_words => module.types.vector(Scalar::U32, n),
        _ => ty,
    }
}
