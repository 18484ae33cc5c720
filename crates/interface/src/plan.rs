//! The plan: group, binding, location or offset of everything visible to the host. Independent of naga; the lowering
//! and the reflection follow it.

use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::decoration::{BuiltIn, Decoration, Decorations, Interpolation};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::layout::{Layouts, Rule, is_row_major, location_count};
use planish_ir::module::{Module, Stage, VarData};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, ImageKind, StructType, TypeKind, Types};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Numbering;
use crate::reach::Reach;

/// The kind of a resource, in the host's terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResourceKind {
    /// A uniform block.
    UniformBlock,
    /// A storage block.
    StorageBlock,
    /// A texture; of a combined sampler, its texture half.
    Texture,
    /// A sampler; of a combined sampler, its sampler half.
    Sampler,
    /// A storage image.
    Image,
}

/// A binding.
#[derive(Clone, PartialEq, Debug)]
pub struct Resource {
    /// The variable that declares it.
    pub var: Var,
    /// Path to this part of the variable, as written in the source: `lights[1].map`.
    pub path: String,
    /// Its kind.
    pub kind: ResourceKind,
    /// Its type: of a block the struct, of the halves of a combined sampler the combined image.
    pub ty: Type,
    /// Group (descriptor set).
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
    /// For targets that bind an array as one (SPIR-V): the binding of the whole array, which is that of its first
    /// element, and the index of this element. Arrays of arrays are flattened.
    pub whole: (u32, u32),
    /// The name of the variable in the output, before clashes and reserved words are resolved.
    pub name: String,
}

/// A loose uniform's place in the gathered block.
#[derive(Clone, PartialEq, Debug)]
pub struct UniformMember {
    /// The variable.
    pub var: Var,
    /// Its type, without samplers in it.
    pub ty: Type,
    /// In bytes.
    pub offset: u32,
    /// In bytes.
    pub size: u32,
    /// Between elements or columns, in bytes; else 0.
    pub stride: u32,
}

/// The block that the loose uniforms are gathered in.
#[derive(Clone, PartialEq, Debug)]
pub struct UniformBlock {
    /// Group (descriptor set).
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
    /// The block's type.
    pub ty: Type,
    /// In bytes.
    pub size: u32,
    /// In declaration order.
    pub members: Vec<UniformMember>,
}

/// A stage input or output.
#[derive(Clone, PartialEq, Debug)]
pub struct Varying {
    /// The variable.
    pub var: Var,
    /// Its member, if the variable is an interface block.
    pub member: Option<u32>,
    /// The name by which stages match.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// Its qualifiers: the variable's and the member's.
    pub decorations: Decorations,
    /// The built-in, if it is one.
    pub builtin: Option<BuiltIn>,
    /// The first location, if it is none.
    pub location: Option<u32>,
    /// Number of locations.
    pub locations: u32,
    /// Whether an entry point reaches it. Unused vertex outputs are still passed on.
    pub used: bool,
}

/// Group, binding, location or offset of everything visible to the host.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// The first entry point's stage.
    pub stage: Option<Stage>,
    /// Loose uniforms.
    pub uniforms: Option<UniformBlock>,
    /// Reachable bindings in declaration order, without the gathered uniforms.
    pub resources: Vec<Resource>,
    /// Push constants.
    pub push_constants: Option<Var>,
    /// Stage inputs in declaration order.
    pub inputs: Vec<Varying>,
    /// Stage outputs in declaration order.
    pub outputs: Vec<Varying>,
}

/// Whether everything in a type is opaque.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub fn is_all_opaque(types: &Types, ty: Type) -> bool {
    match &types[ty] {
        TypeKind::Image(_) | TypeKind::Sampler { .. } | TypeKind::AtomicCounter => true,
        TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => is_all_opaque(types, *element),
        TypeKind::Struct(s) => !s.members.is_empty() && s.members.iter().all(|m| is_all_opaque(types, m.ty)),
        _ => false,
    }
}

/// A type without its opaque parts; `None` if nothing is left.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub fn without_opaque(types: &mut Types, ty: Type) -> Option<Type> {
    if !types.is_opaque(ty) {
        return Some(ty);
    }
    match types[ty].clone() {
        TypeKind::Array { element, len } => without_opaque(types, element).map(|e| types.array(e, len)),
        TypeKind::Struct(s) => {
            let mut members = Vec::new();
            for member in &s.members {
                if let Some(ty) = without_opaque(types, member.ty) {
                    members.push(planish_ir::types::Member { ty, ..member.clone() });
                }
            }
            let stripped = StructType { name: s.name.clone(), members, is_block: s.is_block };
            (!stripped.members.is_empty()).then(|| types.intern(TypeKind::Struct(Arc::new(stripped))))
        }
        _ => None,
    }
}

/// Calls `f` with path and type of every opaque leaf of a type, for each element of arrays.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn opaque_leaves(types: &Types, ty: Type, path: &str, f: &mut dyn FnMut(&str, Type)) {
    match &types[ty] {
        TypeKind::Image(_) | TypeKind::Sampler { .. } => f(path, ty),
        TypeKind::RuntimeArray { element } if types.is_opaque(*element) => {
            opaque_leaves(types, *element, &format!("{path}[0]"), f);
        }
        TypeKind::Array { element, len } if types.is_opaque(*element) => {
            for i in 0..*len {
                opaque_leaves(types, *element, &format!("{path}[{i}]"), f);
            }
        }
        TypeKind::Struct(s) => {
            for member in s.members.iter().filter(|m| types.is_opaque(m.ty)) {
                opaque_leaves(types, member.ty, &format!("{path}.{}", member.name), f);
            }
        }
        _ => {}
    }
}

/// A path without its indices: `lights[1].map` becomes `lights.map`.
fn without_indices(path: &str) -> String {
    let mut depth = 0;
    path.chars()
        .filter(|&c| {
            depth += i32::from(c == '[');
            let in_index = depth > 0;
            depth -= i32::from(c == ']');
            !in_index
        })
        .collect()
}

/// An identifier out of a path: `lights[1].map` becomes `lights_1_map`.
fn identifier(path: &str) -> String {
    let mut name = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '[' | '.' => name.push('_'),
            ']' => {}
            c => name.push(c),
        }
    }
    name
}

/// Group and binding that were asked for by a resource's path, its name in the output, or those of the array whose first element it is.
fn asked_binding(numbering: &Numbering, path: &str, name: &str) -> Option<(u32, u32)> {
    let array = path.trim_end_matches("[0]");
    let of_array = identifier(array);
    // The sampler of a texture has the texture's path.
    let names = match name == identifier(path) {
        true => [path, name, array, &of_array].map(str::to_owned),
        false => [name.to_owned(), of_array + SAMPLER, String::new(), String::new()],
    };
    names.iter().find_map(|name| numbering.bindings.get(name)).copied()
}

/// The end of the name of the sampler of a combined sampler.
const SAMPLER: &str = "_sampler";

/// The name of the block of loose uniforms.
const UNIFORMS: &str = "planish_uniforms";

/// The struct that the loose uniforms are gathered in.
pub const GATHERED: &str = "PlanishUniforms";

/// Hands out bindings.
struct Bindings {
    taken: FxHashSet<(u32, u32)>,
    next: u32,
    group: u32,
}

impl Bindings {
    fn free(&mut self, group: u32) -> (u32, u32) {
        let mut at = if group == self.group { self.next } else { 0 };
        while !self.taken.insert((group, at)) {
            at += 1;
        }
        if group == self.group {
            self.next = at + 1;
        }
        (group, at)
    }
}

impl Plan {
    /// The plan of a module.
    pub fn new(
        module: &Module,
        types: &mut Types,
        reach: &Reach,
        numbering: &Numbering,
    ) -> Result<Plan, Vec<Diagnostic>> {
        let stage = module.entry_points.first().and_then(|e| e.stage);
        let mut plan = Plan { stage, ..Plan::default() };
        let mut errors = vec![];
        plan.bind(module, types, reach, numbering, &mut errors);
        let (inputs, outputs) = (AddressSpace::Input, AddressSpace::Output);
        plan.inputs = varyings(module, types, reach, (stage, inputs));
        plan.outputs = varyings(module, types, reach, (stage, outputs));
        let only_used = stage == Some(Stage::Vertex);
        plan.check_bindings(module, numbering, &mut errors);
        let taken = spirv_locations(module, types, spirv_class::INPUT);
        locate(&mut plan.inputs, numbering, only_used, taken, &mut errors);
        let taken = spirv_locations(module, types, spirv_class::OUTPUT);
        locate(&mut plan.outputs, numbering, stage == Some(Stage::Fragment), taken, &mut errors);
        if errors.is_empty() { Ok(plan) } else { Err(errors) }
    }

    fn bind(
        &mut self,
        module: &Module,
        types: &mut Types,
        reach: &Reach,
        numbering: &Numbering,
        errors: &mut Vec<Diagnostic>,
    ) {
        let group = numbering.group_of(self.stage);
        let mut bindings = Bindings { taken: FxHashSet::default(), next: 0, group };
        bindings.taken.extend(numbering.bindings.values().copied().chain(numbering.shared_uniforms));
        bindings.taken.extend(module.globals.iter().filter_map(|&var| spirv_binding(&module.vars[var])));
        let mut given = vec![None; module.globals.len()];
        for (i, &var) in module.globals.iter().enumerate() {
            let data = &module.vars[var];
            if is_resource(data)
                && let Some(binding) = data.decorations.binding()
            {
                let at = (data.decorations.set().unwrap_or(0), binding);
                // The first of two resources that request the same binding gets it: OpenGL numbers textures and blocks
                // apart.
                if bindings.taken.insert(at) {
                    given[i] = Some(at);
                }
            }
        }
        self.gather_uniforms(module, types, reach, numbering, &mut bindings, errors);
        for (i, &var) in module.globals.iter().enumerate() {
            let data = &module.vars[var];
            let used = reach.vars[var.index()];
            if data.space == AddressSpace::PushConstant && used {
                self.push_constants = Some(var);
            }
            if !is_resource(data) {
                continue;
            }
            let group = data.decorations.set().unwrap_or(group);
            let mut first = given[i];
            let mut arrays: FxHashMap<(String, bool), (u32, u32)> = FxHashMap::default();
            let mut place = |kind, path: &str, ty, name: String| {
                let declared = first.take();
                let asked = asked_binding(numbering, path, &name);
                let (group, binding) = asked.or(declared).unwrap_or_else(|| bindings.free(group));
                let key = (without_indices(path), kind == ResourceKind::Sampler);
                let (_, count) = arrays.entry(key.clone()).or_insert((binding, 0));
                *count += 1;
                let (start, count) = arrays[&key];
                if used {
                    let whole = (start, count - 1);
                    self.resources.push(Resource { var, path: path.into(), kind, ty, group, binding, whole, name });
                }
            };
            let name = resource_name(types, data);
            if let Some(kind) = block_kind(types, data) {
                let mut ty = data.ty;
                let mut paths = vec![name.clone()];
                if let TypeKind::RuntimeArray { element } = types[ty] {
                    paths = vec![format!("{name}[0]")];
                    ty = element;
                }
                while let TypeKind::Array { element, len } = types[ty] {
                    paths = paths.iter().flat_map(|p| (0..len).map(move |i| format!("{p}[{i}]"))).collect();
                    ty = element;
                }
                for path in paths {
                    place(kind, &path, ty, identifier(&path));
                }
                continue;
            }
            opaque_leaves(types, data.ty, &name, &mut |path, ty| match types[ty] {
                TypeKind::Image(image) => match image.kind {
                    ImageKind::Combined => {
                        place(ResourceKind::Texture, path, ty, identifier(path));
                        place(ResourceKind::Sampler, path, ty, identifier(path) + SAMPLER);
                    }
                    ImageKind::Texture => place(ResourceKind::Texture, path, ty, identifier(path)),
                    ImageKind::Storage(_) => place(ResourceKind::Image, path, ty, identifier(path)),
                },
                _ => place(ResourceKind::Sampler, path, ty, identifier(path)),
            });
        }
    }

    /// Refuses two resources at a place that was asked for.
    fn check_bindings(&self, module: &Module, numbering: &Numbering, errors: &mut Vec<Diagnostic>) {
        let uniforms = self.uniforms.as_ref().map(|u| (UNIFORMS, Span::NONE, (u.group, u.binding)));
        let resources = self.resources.iter().map(|r| (&*r.name, module.vars[r.var].span, (r.group, r.binding)));
        let mut at: FxHashMap<(u32, u32), &str> = FxHashMap::default();
        for (name, span, place) in uniforms.into_iter().chain(resources) {
            let asked = || numbering.bindings.values().any(|asked| *asked == place);
            if let Some(other) = at.insert(place, name).filter(|_| asked()) {
                let message = format!("`{other}` and `{name}` are both at binding {} of group {}", place.1, place.0);
                errors.push(Diagnostic::error(Code::E0606, span, message).help("give each a binding of its own"));
            }
        }
    }

    fn gather_uniforms(
        &mut self,
        module: &Module,
        types: &mut Types,
        reach: &Reach,
        numbering: &Numbering,
        bindings: &mut Bindings,
        errors: &mut Vec<Diagnostic>,
    ) {
        let shared = numbering.shared_uniforms;
        let loose: Vec<Var> = module.globals.iter().copied().filter(|&v| is_loose_uniform(&module.vars[v])).collect();
        let mut members = vec![];
        let mut struct_members = vec![];
        for &var in loose.iter().filter(|v| shared.is_some() || reach.vars[v.index()]) {
            let data = &module.vars[var];
            if let Some(ty) = without_opaque(types, data.ty) {
                let decorations = data.decorations.iter().filter(|d| is_memory_order(*d)).collect();
                let (name, precision) = (data.name.text.clone(), data.precision);
                struct_members.push(planish_ir::types::Member { name, ty, precision, decorations });
                members.push(UniformMember { var, ty, offset: 0, size: 0, stride: 0 });
            }
        }
        // The binding is reserved as soon as a loose uniform is declared, so that numbers do not depend on usage.
        let declared = loose.iter().any(|&v| without_opaque(types, module.vars[v].ty).is_some());
        if !declared {
            return;
        }
        let asked = numbering.bindings.get(UNIFORMS).copied().or(shared);
        let (group, binding) = asked.unwrap_or_else(|| bindings.free(bindings.group));
        if members.is_empty() {
            return;
        }
        let name: Arc<str> = GATHERED.into();
        let block = StructType { name, members: struct_members, is_block: true };
        let ty = types.intern(TypeKind::Struct(Arc::new(block)));
        match Layouts::new(Rule::Std140).get(types, ty, false) {
            Ok(layout) => {
                for (member, at) in members.iter_mut().zip(&layout.members) {
                    (member.offset, member.size, member.stride) = (at.offset, at.size, at.stride);
                }
                self.uniforms = Some(UniformBlock { group, binding, ty, size: layout.size, members });
            }
            Err(error) => {
                let span = module.vars[members[0].var].span;
                errors.push(Diagnostic::error(Code::E0606, span, format!("uniforms have no layout: {error}")));
            }
        }
    }

    /// The locations of the outputs by name: the next stage's [`Numbering::locations`].
    pub fn output_locations(&self) -> std::collections::BTreeMap<String, u32> {
        self.outputs.iter().filter_map(|v| Some((v.name.to_string(), v.location?))).collect()
    }
}

fn is_memory_order(d: Decoration) -> bool {
    matches!(d, Decoration::RowMajor | Decoration::ColumnMajor)
}

/// Whether the variable is a uniform outside of a block.
pub fn is_loose_uniform(data: &VarData) -> bool {
    data.space == AddressSpace::Uniform && data.decorations.block_layout().is_none()
}

/// Whether the variable takes bindings. A loose uniform does if its type contains samplers.
fn is_resource(data: &VarData) -> bool {
    matches!(data.space, AddressSpace::Uniform | AddressSpace::Storage | AddressSpace::Handle)
}

/// The name visible to the host: the block's for a block without an instance name.
fn resource_name(types: &Types, data: &VarData) -> String {
    if !data.name.text.is_empty() {
        return data.name.text.to_string();
    }
    match types.as_struct(data.ty) {
        Some(s) => s.name.to_string(),
        None => "block".into(),
    }
}

fn block_kind(types: &Types, data: &VarData) -> Option<ResourceKind> {
    match data.space {
        AddressSpace::Storage => Some(ResourceKind::StorageBlock),
        AddressSpace::Uniform if data.decorations.block_layout().is_some() && !is_all_opaque(types, data.ty) => {
            Some(ResourceKind::UniformBlock)
        }
        _ => None,
    }
}

/// The layout rule of a block.
pub fn block_rule(data: &VarData) -> Rule {
    match data.decorations.block_layout() {
        Some(layout) => layout.into(),
        None if matches!(data.space, AddressSpace::Storage | AddressSpace::PushConstant) => Rule::Std430,
        None => Rule::Std140,
    }
}

/// Whether the matrices of a block are row-major.
pub fn block_row_major(data: &VarData) -> bool {
    is_row_major(&data.decorations, false)
}

fn varyings(
    module: &Module,
    types: &Types,
    reach: &Reach,
    (stage, space): (Option<Stage>, AddressSpace),
) -> Vec<Varying> {
    let mut all = vec![];
    for &var in module.globals.iter().filter(|&&v| module.vars[v].space == space) {
        let data = &module.vars[var];
        let used = reach.vars[var.index()];
        let element = per_vertex_element(types, data, stage);
        let one = |member, name: Arc<str>, ty, decorations: Decorations| {
            let builtin = decorations.builtin();
            let location = decorations.location();
            Varying {
                var,
                member,
                name,
                ty,
                builtin,
                location,
                locations: location_count(types, element.filter(|_| member.is_none()).unwrap_or(ty)),
                decorations,
                used,
            }
        };
        match types.as_struct(element.unwrap_or(data.ty)) {
            Some(block) if block.is_block => {
                let mut next = data.decorations.location();
                for (i, member) in block.members.iter().enumerate() {
                    let mut both: Decorations = member.decorations.clone();
                    for d in data.decorations.iter().filter(|d| !matches!(d, Decoration::Location(_))) {
                        both.add(d);
                    }
                    let mut varying = one(Some(i as u32), member.name.clone(), member.ty, both);
                    if varying.builtin.is_none() {
                        varying.location = varying.location.or(next);
                        next = varying.location.map(|l| l + varying.locations).filter(|_| next.is_some());
                    }
                    all.push(varying);
                }
            }
            _ => all.push(one(None, data.name.text.clone(), data.ty, data.decorations.clone())),
        }
    }
    all
}

/// The type of an element, if an input or output is an array with one for each vertex of a primitive or patch.
pub fn per_vertex_element(types: &Types, data: &VarData, stage: Option<Stage>) -> Option<Type> {
    let is_input = data.space == AddressSpace::Input;
    let is_per_vertex = match stage {
        Some(Stage::Geometry | Stage::TessellationEvaluation) => is_input,
        Some(Stage::TessellationControl) => true,
        Some(Stage::Fragment) => is_input && data.decorations.interpolation() == Some(Interpolation::PerVertex),
        _ => false,
    };
    // Of the built-in variables only `gl_in` and `gl_out` are: others are arrays of their own.
    let is_other =
        data.decorations.builtin().is_some_and(|b| !matches!(b, BuiltIn::PerVertexIn | BuiltIn::PerVertexOut));
    match types[data.ty] {
        TypeKind::Array { element, .. } if is_per_vertex && !is_other && !data.decorations.has(Decoration::Patch) => {
            Some(element)
        }
        _ => None,
    }
}

/// Storage classes of SPIR-V, by number.
mod spirv_class {
    pub(super) const INPUT: u32 = 1;
    pub(super) const OUTPUT: u32 = 3;
}

/// Decorations of SPIR-V, by number.
const LOCATION: u32 = 30;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;

/// The operand of a decoration of a variable that only SPIR-V has.
fn spirv_operand(data: &VarData, number: u32) -> Option<u32> {
    data.decorations
        .find(|d| if let Decoration::Spirv(n, operand) = d { operand.filter(|_| n == number) } else { None })
}

/// Set and binding of a variable that only SPIR-V has, which is no resource of the plan.
fn spirv_binding(data: &VarData) -> Option<(u32, u32)> {
    let binding = spirv_operand(data, BINDING).filter(|_| data.space == AddressSpace::Spirv)?;
    Some((spirv_operand(data, DESCRIPTOR_SET).unwrap_or(0), binding))
}

/// The locations of inputs or outputs that only SPIR-V has.
fn spirv_locations(module: &Module, types: &Types, class: u32) -> FxHashSet<u32> {
    let data = module.globals.iter().map(|&var| &module.vars[var]);
    let of_class = data.filter(|data| data.decorations.has(Decoration::StorageClass(class)));
    let ranges = of_class.filter_map(|data| {
        let at = spirv_operand(data, LOCATION)?;
        Some(at..at.saturating_add(location_count(types, data.ty)))
    });
    ranges.flatten().collect()
}

/// Assigns a location to every varying without one that is no built-in.
fn locate(
    varyings: &mut [Varying],
    numbering: &Numbering,
    only_used: bool,
    mut taken: FxHashSet<u32>,
    errors: &mut Vec<Diagnostic>,
) {
    for v in varyings.iter_mut().filter(|v| v.builtin.is_none()) {
        v.location = v.location.or_else(|| numbering.locations.get(&*v.name).copied());
        if let Some(at) = v.location {
            taken.extend((0..v.locations).map(|i| at.saturating_add(i)));
        }
    }
    for v in varyings.iter_mut() {
        match v.builtin {
            Some(BuiltIn::FragColor | BuiltIn::FragData) => {
                v.location = Some(0);
                taken.extend(0..v.locations);
            }
            Some(_) => {}
            None if v.location.is_some() || (only_used && !v.used) => {}
            None => {
                let mut at = 0;
                while let Some(clash) = (at..at + v.locations).rev().find(|n| taken.contains(n)) {
                    at = clash + 1;
                }
                taken.extend(at..at + v.locations);
                v.location = Some(at);
                if at + v.locations > 1024 {
                    let message = format!("`{}` needs more than 1024 locations", v.name);
                    errors.push(Diagnostic::error(Code::E0609, Span::NONE, message));
                    return;
                }
            }
        }
    }
}
