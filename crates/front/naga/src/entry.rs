//! Entry points: arguments and results become input and output variables of the module.

use naga::{Binding, BuiltIn as Theirs, Interpolation as TheirInterpolation, ShaderStage};
use planish_ir::builder::Builder;
use planish_ir::decoration::{BuiltIn, Decoration, Decorations, Interpolation, Name, NameSource, Sampling};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Type, Value, Var};
use planish_ir::module::{DepthLayout, EntryPoint, Module, Stage, StageProperties};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{AddressSpace, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::function::Scope;
use crate::module::{Lower, Maps};

/// The input and output variables of all entry points.
pub(crate) struct Interface {
    /// One variable a built-in, direction and type.
    builtins: FxHashMap<(BuiltIn, AddressSpace, Type), Var>,
    /// Names of other variables of the module.
    taken: FxHashSet<String>,
}

/// Destinations of the parts of an entry point's result.
#[derive(Debug)]
pub(crate) struct Outputs {
    parts: Vec<Port>,
    /// Whether the result is a struct of its parts.
    is_struct: bool,
}

/// An input or output variable, and its differences from naga's.
#[derive(Clone, Copy, Debug)]
struct Port {
    var: Var,
    /// The type in naga's program.
    ty: Type,
    /// Whether the variable is an array of one element (`gl_SampleMask`).
    in_array: bool,
}

impl Port {
    fn address(&self, b: &mut Builder<'_, '_>) -> Value {
        let zero = b.i32(0);
        if self.in_array { b.op(Op::AccessArrayElement, &[self.var.into(), zero]) } else { self.var.into() }
    }

    /// The value with naga's type: indices are signed here, but unsigned in WGSL.
    fn load(&self, b: &mut Builder<'_, '_>) -> Value {
        let address = self.address(b);
        let value = b.load(address);
        if b.type_of(value) == self.ty { value } else { b.op_typed(Op::Bitcast, &[value], self.ty) }
    }

    fn store(&self, b: &mut Builder<'_, '_>, value: Value) {
        let address = self.address(b);
        let wanted = b.module.types.pointee(b.type_of(address)).map_or(self.ty, |(ty, _)| ty);
        let value = if wanted == self.ty { value } else { b.op_typed(Op::Bitcast, &[value], wanted) };
        b.store(address, value);
    }
}

impl Outputs {
    /// Stores a result to the output variables.
    pub(crate) fn store(&self, b: &mut Builder<'_, '_>, result: Value) {
        for (i, port) in self.parts.iter().enumerate() {
            let part = match self.is_struct {
                true => b.op_imm(Op::ExtractStructField, Imm::index(i as u32), &[result]),
                false => result,
            };
            port.store(b, part);
        }
    }
}

/// The parts of an argument or result of an entry point.
struct Group {
    parts: Vec<Port>,
    /// The struct that contains the parts, if there is one.
    ty: Option<Type>,
}

/// Names that the variables of one entry point have, and its stage.
struct Names<'i> {
    taken: &'i FxHashSet<String>,
    own: FxHashSet<String>,
    stage: Stage,
}

impl Names<'_> {
    /// A name that no other variable of this entry point has. Variables of different entry points may share one, such
    /// as an output of the vertex stage and an input of the fragment stage.
    fn make(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while self.taken.contains(&name) || !self.own.insert(name.clone()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }
}

impl Interface {
    pub(crate) fn new(module: &Module) -> Self {
        // Internal names yield to those of inputs and outputs.
        let visible =
            module.globals.iter().map(|v| &module.vars[*v].name).filter(|n| n.source != NameSource::Temporary);
        let taken = visible.map(|n| n.text.to_string()).collect();
        Interface { builtins: FxHashMap::default(), taken }
    }

    /// Lowers an entry point with its variables.
    pub(crate) fn lower_entry_point(
        &mut self,
        maps: &Maps<'_>,
        module: &mut Module,
        index: usize,
        entry: &naga::EntryPoint,
    ) -> Lower<()> {
        let span = naga_span(maps, index);
        let stage = match entry.stage {
            ShaderStage::Vertex => Stage::Vertex,
            ShaderStage::Fragment => Stage::Fragment,
            ShaderStage::Compute => Stage::Compute,
            ShaderStage::Task | ShaderStage::Mesh => return Err(maps.unsupported(span, "a mesh shader")),
            _ => return Err(maps.unsupported(span, "ray tracing")),
        };
        let taken = self.taken.clone();
        let mut names = Names { taken: &taken, own: FxHashSet::default(), stage };
        let function = &maps.naga.entry_points[index].function;
        // Outputs come first, so that a varying keeps its name where an attribute has the same.
        let outputs = match &function.result {
            Some(result) => {
                let binding = result.binding.as_ref();
                self.group(maps, module, &mut names, result.ty, binding, None, AddressSpace::Output)?
            }
            None => Group { parts: vec![], ty: None },
        };
        let mut inputs = Vec::new();
        for argument in &function.arguments {
            let (binding, name) = (argument.binding.as_ref(), argument.name.as_deref());
            inputs.push(self.group(maps, module, &mut names, argument.ty, binding, name, AddressSpace::Input)?);
        }
        let name = Name::new(entry.name.as_str(), NameSource::Interface);
        let func = module.add_func(name, vec![], vec![], maps.source.span(span));
        let properties = properties(maps, stage, entry, span)?;
        module.entry_points.push(EntryPoint {
            names: vec![entry.name.as_str().into()],
            func,
            stage: Some(stage),
            properties,
        });
        let outputs = Outputs { is_struct: outputs.ty.is_some(), parts: outputs.parts };
        Scope::lower_entry(maps, module, func, function, outputs, |b| {
            inputs.iter().map(|group| load_group(b, group)).collect()
        })
    }

    /// The variables of an argument or a result with this name.
    fn group(
        &mut self,
        maps: &Maps<'_>,
        module: &mut Module,
        names: &mut Names<'_>,
        ty: naga::Handle<naga::Type>,
        binding: Option<&Binding>,
        name: Option<&str>,
        space: AddressSpace,
    ) -> Lower<Group> {
        let span = maps.naga.types.get_span(ty);
        let ours = maps.ty(ty, span)?;
        if let Some(binding) = binding {
            let port = self.port(maps, module, names, ours, binding, name, space)?;
            return Ok(Group { parts: vec![port], ty: None });
        }
        let naga::TypeInner::Struct { members, .. } = &maps.naga.types[ty].inner else {
            return Err(maps.unsupported(span, "an input or output without a binding"));
        };
        let mut parts = Vec::with_capacity(members.len());
        for (i, member) in members.iter().enumerate() {
            let Some(binding) = &member.binding else {
                return Err(maps.unsupported(span, "an input or output without a binding"));
            };
            let ty = maps.ty(member.ty, span)?;
            let name = member.name.as_deref().or(if i == 0 { name } else { None });
            parts.push(self.port(maps, module, names, ty, binding, name, space)?);
        }
        Ok(Group { parts, ty: Some(ours) })
    }

    fn port(
        &mut self,
        maps: &Maps<'_>,
        module: &mut Module,
        names: &mut Names<'_>,
        ty: Type,
        binding: &Binding,
        name: Option<&str>,
        space: AddressSpace,
    ) -> Lower<Port> {
        match binding {
            Binding::BuiltIn(builtin) => self.builtin(maps, module, ty, *builtin, space, names.stage),
            Binding::Location { location, .. } => {
                let decorations = location_decorations(maps, binding, names.stage, space)?;
                let default = format!("{}{location}", if space == AddressSpace::Output { "out_" } else { "in_" });
                let name = names.make(name.filter(|n| !n.is_empty()).unwrap_or(&default));
                let var = module.add_var(Name::new(name, NameSource::Interface), ty, space);
                module.vars[var].decorations = decorations;
                Ok(Port { var, ty, in_array: false })
            }
        }
    }

    fn builtin(
        &mut self,
        maps: &Maps<'_>,
        module: &mut Module,
        ty: Type,
        builtin: Theirs,
        space: AddressSpace,
        stage: Stage,
    ) -> Lower<Port> {
        let Some(ours) = our_builtin(builtin, space, stage) else {
            return Err(maps.unsupported(naga::Span::UNDEFINED, &format!("the built-in value `{builtin:?}`")));
        };
        let in_array = matches!(ours, BuiltIn::SampleMask | BuiltIn::SampleMaskIn);
        let mut declared = if is_signed(ours) { module.types.with_scalar(ty, Scalar::I32) } else { ty };
        if in_array {
            declared = module.types.array(declared, 1);
        }
        let key = (ours, space, declared);
        let var = *self.builtins.entry(key).or_insert_with(|| {
            let name = Name::new(ours.glsl_name(), NameSource::BuiltIn);
            let var = module.add_var(name, declared, space);
            module.vars[var].decorations.add(Decoration::BuiltIn(ours));
            var
        });
        if builtin == (Theirs::Position { invariant: true }) && space == AddressSpace::Output {
            module.vars[var].decorations.add(Decoration::Invariant);
        }
        Ok(Port { var, ty, in_array })
    }
}

fn load_group(b: &mut Builder<'_, '_>, group: &Group) -> Value {
    let values: Vec<Value> = group.parts.iter().map(|port| port.load(b)).collect();
    match group.ty {
        Some(ty) => b.op_typed(Op::ConstructStruct, &values, ty),
        None => values[0],
    }
}

/// Entry points have no span of their own in naga: the first statement's is near.
fn naga_span(maps: &Maps<'_>, index: usize) -> naga::Span {
    let body = &maps.naga.entry_points[index].function.body;
    body.span_iter().next().map_or(naga::Span::UNDEFINED, |(_, span)| *span)
}

fn location_decorations(maps: &Maps<'_>, binding: &Binding, stage: Stage, space: AddressSpace) -> Lower<Decorations> {
    let mut decorations = Decorations::new();
    let Binding::Location { location, interpolation, sampling, blend_src, per_primitive } = *binding else {
        return Ok(decorations);
    };
    let unsupported = |what| maps.unsupported(naga::Span::UNDEFINED, what);
    decorations.add(Decoration::Location(location));
    if let Some(index) = blend_src {
        decorations.add(Decoration::Index(index));
    }
    if per_primitive {
        return Err(unsupported("an input of a whole primitive"));
    }
    // Attributes and colours are not interpolated.
    let varying =
        matches!((stage, space), (Stage::Vertex, AddressSpace::Output) | (Stage::Fragment, AddressSpace::Input));
    if !varying {
        return Ok(decorations);
    }
    match interpolation {
        Some(TheirInterpolation::Flat) => decorations.add(Decoration::Interpolation(Interpolation::Flat)),
        Some(TheirInterpolation::Linear) => decorations.add(Decoration::Interpolation(Interpolation::NoPerspective)),
        Some(TheirInterpolation::PerVertex) => return Err(unsupported("an input of each vertex")),
        Some(TheirInterpolation::Perspective) | None => {}
    }
    match sampling {
        Some(naga::Sampling::Centroid) => decorations.add(Decoration::Sampling(Sampling::Centroid)),
        Some(naga::Sampling::Sample) => decorations.add(Decoration::Sampling(Sampling::Sample)),
        // The provoking vertex of a flat value is up to the target.
        Some(naga::Sampling::Center | naga::Sampling::First | naga::Sampling::Either) | None => {}
    }
    Ok(decorations)
}

fn our_builtin(builtin: Theirs, space: AddressSpace, stage: Stage) -> Option<BuiltIn> {
    let output = space == AddressSpace::Output;
    Some(match builtin {
        Theirs::Position { .. } if stage == Stage::Fragment => BuiltIn::FragCoord,
        Theirs::Position { .. } => BuiltIn::Position,
        Theirs::ViewIndex => BuiltIn::ViewId,
        Theirs::BaseInstance => BuiltIn::BaseInstance,
        Theirs::BaseVertex => BuiltIn::BaseVertex,
        Theirs::ClipDistances => BuiltIn::ClipDistance,
        Theirs::CullDistance => BuiltIn::CullDistance,
        Theirs::InstanceIndex => BuiltIn::InstanceIndex,
        Theirs::PointSize => BuiltIn::PointSize,
        Theirs::VertexIndex => BuiltIn::VertexIndex,
        Theirs::DrawIndex => BuiltIn::DrawId,
        Theirs::FragDepth => BuiltIn::FragDepth,
        Theirs::PointCoord => BuiltIn::PointCoord,
        Theirs::FrontFacing => BuiltIn::FrontFacing,
        Theirs::PrimitiveIndex => BuiltIn::PrimitiveId,
        Theirs::SampleIndex => BuiltIn::SampleId,
        Theirs::SampleMask if output => BuiltIn::SampleMask,
        Theirs::SampleMask => BuiltIn::SampleMaskIn,
        Theirs::GlobalInvocationId => BuiltIn::GlobalInvocationId,
        Theirs::LocalInvocationId => BuiltIn::LocalInvocationId,
        Theirs::LocalInvocationIndex => BuiltIn::LocalInvocationIndex,
        Theirs::WorkGroupId => BuiltIn::WorkGroupId,
        Theirs::WorkGroupSize => BuiltIn::WorkGroupSize,
        Theirs::NumWorkGroups => BuiltIn::NumWorkGroups,
        Theirs::NumSubgroups => BuiltIn::NumSubgroups,
        Theirs::SubgroupId => BuiltIn::SubgroupId,
        Theirs::SubgroupSize => BuiltIn::SubgroupSize,
        Theirs::SubgroupInvocationId => BuiltIn::SubgroupInvocationId,
        _ => return None,
    })
}

/// Built-ins that are `int` in GLSL and `u32` in WGSL.
fn is_signed(builtin: BuiltIn) -> bool {
    matches!(
        builtin,
        BuiltIn::VertexIndex
            | BuiltIn::InstanceIndex
            | BuiltIn::BaseVertex
            | BuiltIn::BaseInstance
            | BuiltIn::DrawId
            | BuiltIn::PrimitiveId
            | BuiltIn::SampleId
            | BuiltIn::SampleMask
            | BuiltIn::SampleMaskIn
    )
}

fn properties(maps: &Maps<'_>, stage: Stage, entry: &naga::EntryPoint, span: naga::Span) -> Lower<StageProperties> {
    let mut properties = StageProperties::default();
    match entry.early_depth_test {
        Some(naga::EarlyDepthTest::Force) => properties.early_fragment_tests = true,
        Some(naga::EarlyDepthTest::Allow { conservative }) => {
            properties.depth = Some(match conservative {
                naga::ConservativeDepth::GreaterEqual => DepthLayout::Greater,
                naga::ConservativeDepth::LessEqual => DepthLayout::Less,
                naga::ConservativeDepth::Unchanged => DepthLayout::Unchanged,
            });
        }
        None => {}
    }
    if stage == Stage::Compute {
        let mut size = entry.workgroup_size;
        for (i, expression) in entry.workgroup_size_overrides.into_iter().flatten().enumerate() {
            let Some(expression) = expression else { continue };
            let constant = maps.size_constant(expression);
            properties.local_size_ids[i] = constant.map(|constant| constant.id);
            let value = constant.map_or_else(|| maps.global_integer(expression), |c| Ok(c.integer.unwrap_or_default()));
            size[i] = work_group_size(maps, value?, span)?;
        }
        properties.local_size = Some(size);
    }
    Ok(properties)
}

/// A dimension of a work group.
fn work_group_size(maps: &Maps<'_>, value: i128, span: naga::Span) -> Lower<u32> {
    u32::try_from(value)
        .ok()
        .filter(|n| *n > 0)
        .ok_or_else(|| -> Box<Diagnostic> { maps.unsupported(span, &format!("a work group of size {value}")) })
}
