//! Module-scope variables.

use planish_interface::{
    Resource, ResourceKind, Varying, block_row_major, block_rule, is_all_opaque, is_loose_uniform, per_vertex_element,
};
use planish_ir::decoration::{BuiltIn, Decoration as Is, Decorations, Interpolation, Sampling};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::layout::Rule;
use planish_ir::module::{Stage, VarData};
use planish_ir::ops::Op as NodeOp;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Dim, ImageKind, Scalar, TypeKind};
use spirv::{Capability, Decoration, Op, StorageClass};

use crate::Version;
use crate::assemble::Id;
use crate::constants::word;
use crate::module::{Context, at};
use crate::types::{Lay, Res, Shared, fail, is_relaxed};

/// Layout of the gathered uniforms.
pub(crate) const LOOSE_UNIFORMS: Shared = Shared { rule: Rule::Std140, row_major: false, uniform: true };

/// Lowered form of a variable.
#[derive(Clone, Debug)]
pub(crate) enum Global {
    /// A variable.
    Memory {
        /// It.
        id: Id,
        /// Storage class of the variable.
        class: StorageClass,
        /// Layout of its contents.
        lay: Lay,
    },
    /// An array of blocks, which is one variable.
    Blocks {
        /// It.
        id: Id,
        /// Storage class of the variable.
        class: StorageClass,
        /// Layout of the block.
        lay: Lay,
    },
    /// A loose uniform: its memory is a member of the gathered block; the rest are [`Leaf`]s.
    Uniform {
        /// The gathered block, and the number of the member.
        member: Option<(Id, u32)>,
    },
}

/// A variable of textures, samplers or images: one of them, or an array of all that are reached by the same members.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// The variable.
    pub(crate) id: Id,
    /// Lengths of the arrays around, outermost first. The variable is one array of them all.
    pub(crate) lengths: Vec<u32>,
    /// Type of the value in it.
    pub(crate) ty: Type,
}

impl Context<'_> {
    /// Declares every variable that is reached, and the outputs that the stage passes on.
    pub(crate) fn declare_globals(&mut self) -> Vec<Diagnostic> {
        let mut errors = vec![];
        if let Err(error) = self.declare_uniforms() {
            errors.push(*error);
        }
        for &var in &self.module.globals {
            let reached = self.reach.vars[at(var)];
            let passed = self.plan.outputs.iter().any(|v| v.var == var)
                && self.plan.stage == Some(Stage::Vertex)
                && self.module.vars[var].decorations.builtin().is_none()
                && self.types.as_struct(self.module.vars[var].ty).is_none_or(|s| !s.is_block);
            if (reached || passed)
                && let Err(error) = self.declare(var)
            {
                errors.push(*error);
            }
        }
        errors
    }

    fn declare(&mut self, var: Var) -> Res<()> {
        let module = self.module;
        let data = &module.vars[var];
        let made = match data.space {
            AddressSpace::Function => return Ok(()),
            AddressSpace::Input | AddressSpace::Output => self.varying(var)?,
            AddressSpace::Private => {
                self.compute_with(data.ty);
                let ty = self.value_type(data.ty, data.span)?;
                let initializer = if self.has_spirv_type(data.ty) { None } else { Some(self.initializer(data)?) };
                self.memory(var, StorageClass::Private, ty, initializer)
            }
            AddressSpace::Workgroup => {
                self.compute_with(data.ty);
                let ty = self.value_type(data.ty, data.span)?;
                let made = self.memory(var, StorageClass::Workgroup, ty, None);
                if let Some(&(id, _)) = self.var_ids.get(&var).and_then(|ids| ids.last()) {
                    self.memory_qualifiers(id, &data.decorations.clone());
                }
                made
            }
            AddressSpace::PushConstant | AddressSpace::Storage => self.block(var)?,
            AddressSpace::Spirv => self.spirv_variable(var)?,
            AddressSpace::Uniform if !is_loose_uniform(data) && !is_all_opaque(&self.types, data.ty) => {
                self.block(var)?
            }
            AddressSpace::Uniform | AddressSpace::Handle => {
                if self.types.contains(data.ty, &mut |k| matches!(k, TypeKind::AtomicCounter)) {
                    return fail(Code::E0602, data.span, "Vulkan has no atomic counters");
                }
                self.declare_leaves(var)?;
                match self.globals[at(var)].take() {
                    Some(member) => member,
                    None => Global::Uniform { member: None },
                }
            }
        };
        self.globals[at(var)] = Some(made);
        Ok(())
    }

    fn initializer(&mut self, data: &VarData) -> Res<Id> {
        let number = data.decorations.find(|d| if let Is::ConstantId(n) = d { Some(n) } else { None });
        let (Some(number), Some(c)) = (number, data.initializer) else {
            return match data.initializer {
                Some(c) => self.constant(c, data.span),
                None => self.null(data.ty, data.span),
            };
        };
        let (TypeKind::Scalar(scalar), Some(bits)) = (&self.types[data.ty], self.module.consts.as_bits(c)) else {
            return fail(Code::E0602, data.span, "a specialization constant must be a number or a boolean");
        };
        let scalar = *scalar;
        let ty = self.scalar_type(scalar);
        self.compute_with(data.ty);
        let id = self.out.id();
        match scalar {
            Scalar::Bool if bits != 0 => self.out.globals.op(Op::SpecConstantTrue, &[ty, id]),
            Scalar::Bool => self.out.globals.op(Op::SpecConstantFalse, &[ty, id]),
            _ if scalar.bits() == 64 => {
                self.out.globals.op(Op::SpecConstant, &[ty, id, bits as u32, (bits >> 32) as u32]);
            }
            _ => self.out.globals.op(Op::SpecConstant, &[ty, id, word(scalar, bits)]),
        }
        self.out.decorate(id, Decoration::SpecId, &[number]);
        Ok(id)
    }

    /// A variable with its name and precision.
    pub(crate) fn memory(&mut self, var: Var, class: StorageClass, ty: Id, initializer: Option<Id>) -> Global {
        let data = &self.module.vars[var];
        let id = self.out.variable(class, ty, initializer);
        self.out.name(id, &data.name.text);
        if is_relaxed(data.precision) && self.is_relaxable(data.ty) {
            self.out.decorate(id, Decoration::RelaxedPrecision, &[]);
        }
        self.var_ids.entry(var).or_default().push((id, class));
        Global::Memory { id, class, lay: None }
    }

    // Inputs and outputs.

    fn varying(&mut self, var: Var) -> Res<Global> {
        let data = &self.module.vars[var];
        let is_input = data.space == AddressSpace::Input;
        let all = if is_input { &self.plan.inputs } else { &self.plan.outputs };
        let varyings: Vec<Varying> = all.iter().filter(|v| v.var == var).cloned().collect();
        let class = if is_input { StorageClass::Input } else { StorageClass::Output };
        self.share(data.ty, class);
        if data.decorations.builtin() == Some(BuiltIn::WorkGroupSize) {
            return self.work_group_size(var);
        }
        let element = per_vertex_element(&self.types, data, self.plan.stage);
        // Invocations of the control stage share outputs: none may write them first. Numbers of 8 and 16 bits that are only stored have no
        // constants.
        let is_control = self.plan.stage == Some(Stage::TessellationControl);
        let has_constants = self.small_in(data.ty).into_iter().all(|scalar| self.computes_with(scalar));
        let starts_as_zero = !is_input && !is_control && has_constants;
        let block_type = element.unwrap_or(data.ty);
        if let Some(block) = self.types.as_struct(block_type).filter(|s| s.is_block).cloned() {
            let mut members = vec![];
            for member in &block.members {
                members.push(self.value_type(member.ty, data.span)?);
            }
            let ty = self.out.new_type(Op::TypeStruct, &members);
            self.out.name(ty, &block.name);
            self.out.decorate(ty, Decoration::Block, &[]);
            let whole = match self.types[data.ty] {
                TypeKind::Array { len, .. } => {
                    let len = self.u32(len);
                    self.out.plain_type(Op::TypeArray, &[ty, len])
                }
                _ => ty,
            };
            let null = starts_as_zero.then(|| self.out.constant(Op::ConstantNull, whole, &[]));
            let made = self.memory(var, class, whole, null);
            for v in varyings {
                let number = v.member.unwrap_or(0);
                self.out.name_member(ty, number, &v.name);
                self.decorate_varying(ty, Some(number), &v, is_input)?;
            }
            return Ok(made);
        }
        let Some(v) = varyings.into_iter().next() else { return fail(Code::E0699, data.span, "not in the plan") };
        let mut ty = data.ty;
        if v.builtin == Some(BuiltIn::FragData)
            && let TypeKind::Array { element, len } = self.types[ty]
        {
            ty = self.types.array(element, self.reach.used_elements(self.module, var, len).max(1));
        }
        let null = if starts_as_zero { Some(self.null(ty, data.span)?) } else { None };
        let id = self.value_type(ty, data.span)?;
        let made = self.memory(var, class, id, null);
        if let Global::Memory { id, .. } = made {
            self.decorate_varying(id, None, &v, is_input)?;
        }
        Ok(made)
    }

    /// `gl_WorkGroupSize` is a constant.
    fn work_group_size(&mut self, var: Var) -> Res<Global> {
        let properties = self.module.entry_points.iter().map(|e| &e.properties).find(|p| p.local_size.is_some());
        let (size, ids) =
            properties.map_or(([1; 3], [None; 3]), |p| (p.local_size.unwrap_or([1; 3]), p.local_size_ids));
        let ty = self.number(Type::UVEC3);
        let value = match ids {
            [None, None, None] => {
                let parts = size.map(|n| self.u32(n));
                self.out.constant(Op::ConstantComposite, ty, &parts)
            }
            _ => self.specialized_size(size, ids)?,
        };
        Ok(self.memory(var, StorageClass::Private, ty, Some(value)))
    }

    /// A work group size that the host may replace; made once. A constant decorated as `WorkgroupSize` applies to every
    /// entry point of the module, and overrides `LocalSize`.
    pub(crate) fn specialized_size(&mut self, size: [u32; 3], ids: [Option<u32>; 3]) -> Res<Id> {
        if let Some(made) = self.specialized_size {
            return Ok(made);
        }
        let sizes = self.module.entry_points.iter().filter_map(|e| Some((e.properties.local_size?, e)));
        if let Some((_, other)) = sizes.clone().find(|(s, e)| (*s, e.properties.local_size_ids) != (size, ids)) {
            let message = "SPIR-V has one work group size for all entry points where constants give it";
            return fail(Code::E0606, self.module.funcs[other.func].span, message);
        }
        let scalar = self.scalar_type(Scalar::U32);
        let mut parts = [0; 3];
        for (axis, part) in parts.iter_mut().enumerate() {
            *part = match ids[axis] {
                Some(number) => {
                    let id = self.out.id();
                    self.out.globals.op(Op::SpecConstant, &[scalar, id, size[axis]]);
                    self.out.decorate(id, Decoration::SpecId, &[number]);
                    id
                }
                None => self.u32(size[axis]),
            };
        }
        let (ty, id) = (self.number(Type::UVEC3), self.out.id());
        self.out.globals.op(Op::SpecConstantComposite, &[ty, id, parts[0], parts[1], parts[2]]);
        self.out.decorate(id, Decoration::BuiltIn, &[spirv::BuiltIn::WorkgroupSize as u32]);
        self.specialized_size = Some(id);
        Ok(id)
    }

    /// Location or built-in, interpolation and the rest, of a variable or of a member of a block.
    fn decorate_varying(&mut self, id: Id, member: Option<u32>, v: &Varying, is_input: bool) -> Res<()> {
        let span = self.module.vars[v.var].span;
        let add = |cx: &mut Self, decoration: Decoration, operands: &[u32]| match member {
            Some(member) => cx.out.decorate_member(id, member, decoration, operands),
            None => cx.out.decorate(id, decoration, operands),
        };
        let at = match v.builtin {
            Some(BuiltIn::FragColor | BuiltIn::FragData) => Some((0, None)),
            Some(BuiltIn::SecondaryFragColor | BuiltIn::SecondaryFragData) => Some((0, Some(1))),
            Some(_) => None,
            None => Some((v.location.unwrap_or(0), None)),
        };
        if let Some((location, index)) = at {
            add(self, Decoration::Location, &[location]);
            index.into_iter().for_each(|n| add(self, Decoration::Index, &[n]));
            self.check_varying(v, span)?;
        } else if let Some(builtin) = v.builtin {
            let is_unused = member.is_some_and(|member| !self.uses_member(v.var, member));
            let known =
                if is_unused { self.unused_builtin(builtin, is_input) } else { self.builtin(builtin, is_input) };
            let Some(known) = known else {
                let span = self.span_of(v.var);
                let stage = self.plan.stage.map_or("this", Stage::name);
                let message = match builtin {
                    BuiltIn::NumSubgroups | BuiltIn::SubgroupId => {
                        format!("SPIR-V before 1.3 has no `{}` (`--spirv-version=1.3`)", builtin.glsl_name())
                    }
                    _ => format!("SPIR-V for Vulkan has no `{}` in the {stage} stage", builtin.glsl_name()),
                };
                return fail(Code::E0603, span, message);
            };
            add(self, Decoration::BuiltIn, &[known as u32]);
        }
        let stage = self.plan.stage;
        let interpolated = is_input == (stage == Some(Stage::Fragment));
        let needs_flat = is_input
            && stage == Some(Stage::Fragment)
            && v.decorations.interpolation() != Some(Interpolation::PerVertex)
            && self.types.contains(v.ty, &mut |k| match k {
                TypeKind::Scalar(s) | TypeKind::Vector(s, _) => {
                    (s.is_integer() || s.bits() == 64) && *s != Scalar::Bool
                }
                _ => false,
            });
        if needs_flat && v.decorations.interpolation() != Some(Interpolation::Flat) {
            add(self, Decoration::Flat, &[]);
        }
        if matches!(v.builtin, Some(BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner)) || v.decorations.has(Is::Patch)
        {
            add(self, Decoration::Patch, &[]);
        }
        for decoration in v.decorations.iter() {
            match decoration {
                Is::Invariant => add(self, Decoration::Invariant, &[]),
                Is::Interpolation(Interpolation::Flat) if interpolated => add(self, Decoration::Flat, &[]),
                Is::Interpolation(Interpolation::NoPerspective) if interpolated && !needs_flat => {
                    add(self, Decoration::NoPerspective, &[]);
                }
                Is::Interpolation(Interpolation::PerVertex) if interpolated => {
                    self.out.need(Capability::FragmentBarycentricKHR);
                    self.out.need_extension(crate::builtins::BARYCENTRIC);
                    add(self, Decoration::PerVertexKHR, &[]);
                }
                Is::Sampling(Sampling::Centroid) if interpolated && !needs_flat => {
                    add(self, Decoration::Centroid, &[]);
                }
                Is::Sampling(Sampling::Sample) if interpolated && !needs_flat => {
                    self.out.need(Capability::SampleRateShading);
                    add(self, Decoration::Sample, &[]);
                }
                Is::Index(n) => add(self, Decoration::Index, &[n]),
                Is::XfbOffset(offset) if !is_input => {
                    let (buffer, _) = v.decorations.captured().unwrap_or_default();
                    let strides = self.module.entry_points.iter().map(|e| e.properties.xfb_strides);
                    let stride = strides.filter_map(|all| *all.get(buffer as usize)?).next().unwrap_or(0);
                    self.out.need(Capability::TransformFeedback);
                    self.captures = true;
                    add(self, Decoration::XfbBuffer, &[buffer]);
                    add(self, Decoration::XfbStride, &[stride]);
                    add(self, Decoration::Offset, &[offset]);
                }
                Is::Component(n) => add(self, Decoration::Component, &[n]),
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a function refers to a member of an array of blocks, or to the whole of an element.
    fn uses_member(&self, var: Var, member: u32) -> bool {
        let module = self.module;
        let Some(element) = per_vertex_element(&self.types, &module.vars[var], self.plan.stage) else { return true };
        module.funcs.values().filter_map(|function| function.body.as_ref()).any(|body| {
            body.nodes().any(|(node, data)| {
                let args = body.args(node);
                let leads_to = args.first().is_some_and(|&arg| {
                    module.types.pointee(module.type_of(body, arg)).is_some_and(|(ty, _)| ty == element)
                });
                let is_element = leads_to && args.first().is_some_and(|&arg| body.base(arg) == var.into());
                is_element && (data.op != NodeOp::AccessStructField || data.imm.as_index() == member)
            })
        })
    }

    fn check_varying(&self, v: &Varying, span: Span) -> Res<()> {
        let is_bool = |k: &TypeKind| matches!(k, TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _));
        let framebuffer = v.decorations.has(Is::FramebufferFetch);
        if framebuffer || self.types.contains(v.ty, &mut |k| is_bool(k)) {
            return fail(Code::E0609, span, format!("SPIR-V cannot pass `{}` between stages", v.name));
        }
        Ok(())
    }

    // Blocks.

    /// The gathered uniforms.
    fn declare_uniforms(&mut self) -> Res<()> {
        let Some(block) = self.plan.uniforms.clone() else { return Ok(()) };
        let span = self.module.vars[block.members[0].var].span;
        self.share(block.ty, StorageClass::Uniform);
        let ty = self.type_id(block.ty, Some(LOOSE_UNIFORMS), span)?;
        self.out.decorate(ty, Decoration::Block, &[]);
        let id = self.out.variable(StorageClass::Uniform, ty, None);
        self.out.name(id, "planish_uniforms");
        self.bind(id, block.group, block.binding);
        for (i, member) in block.members.iter().enumerate() {
            let made = Global::Uniform { member: Some((id, i as u32)) };
            self.globals[at(member.var)] = Some(made);
            self.var_ids.entry(member.var).or_default().push((id, StorageClass::Uniform));
        }
        Ok(())
    }

    fn bind(&mut self, id: Id, group: u32, binding: u32) {
        self.out.decorate(id, Decoration::DescriptorSet, &[group]);
        self.out.decorate(id, Decoration::Binding, &[binding]);
    }

    /// A block of uniforms, storage or push constants, or an array of such.
    pub(crate) fn block(&mut self, var: Var) -> Res<Global> {
        let data = &self.module.vars[var];
        let (mut ty, mut count) = (data.ty, 1u32);
        let is_open = if let TypeKind::RuntimeArray { element } = self.types[ty] {
            ty = element;
            true
        } else {
            false
        };
        while let TypeKind::Array { element, len } = self.types[ty] {
            (ty, count) = (element, count.saturating_mul(len));
        }
        let uniform = data.space == AddressSpace::Uniform;
        let lay = Some(Shared { rule: block_rule(data), row_major: block_row_major(data), uniform });
        let struct_id = self.type_id(ty, lay, data.span)?;
        self.out.decorate(struct_id, Decoration::Block, &[]);
        let class = match data.space {
            AddressSpace::Spirv => self.storage_class(var)?,
            AddressSpace::Storage => StorageClass::StorageBuffer,
            AddressSpace::PushConstant => StorageClass::PushConstant,
            _ => StorageClass::Uniform,
        };
        self.share(ty, class);
        if class == StorageClass::StorageBuffer && !self.since(Version::V1_3) {
            self.out.need_extension("SPV_KHR_storage_buffer_storage_class");
        }
        let is_array = ty != data.ty;
        let whole = if is_open {
            self.open_array(struct_id)
        } else if is_array {
            let len = self.u32(count);
            self.out.plain_type(Op::TypeArray, &[struct_id, len])
        } else {
            struct_id
        };
        let id = self.out.variable(class, whole, None);
        self.var_ids.entry(var).or_default().push((id, class));
        self.out.name(id, &data.name.text);
        if data.space == AddressSpace::Spirv {
            self.spirv_decorations(id, None, &data.decorations);
        } else if class != StorageClass::PushConstant {
            let first = self.plan.resources.iter().find(|r| r.var == var);
            let (group, binding) = first.map_or((0, 0), |r| (r.group, r.whole.0));
            self.bind(id, group, binding);
        }
        if class == StorageClass::StorageBuffer {
            self.memory_qualifiers(id, &data.decorations.clone());
        }
        Ok(if is_array { Global::Blocks { id, class, lay } } else { Global::Memory { id, class, lay } })
    }

    /// The type of an array of bindings whose length the host knows.
    fn open_array(&mut self, element: Id) -> Id {
        self.out.need(Capability::RuntimeDescriptorArray);
        self.need_descriptor_indexing();
        self.out.plain_type(Op::TypeRuntimeArray, &[element])
    }

    /// Notes the extension of capabilities of 1.5 on arrays of bindings.
    pub(crate) fn need_descriptor_indexing(&mut self) {
        if !self.since(Version::V1_5) {
            self.out.need_extension("SPV_EXT_descriptor_indexing");
        }
    }

    fn memory_qualifiers(&mut self, id: Id, decorations: &Decorations) {
        let in_accesses = self.out.has_vulkan_memory_model;
        if in_accesses {
            self.special.add(id, decorations);
        }
        for (is, decoration) in [
            (Is::ReadOnly, Decoration::NonWritable),
            (Is::WriteOnly, Decoration::NonReadable),
            (Is::Coherent, Decoration::Coherent),
            (Is::Volatile, Decoration::Volatile),
            (Is::Restrict, Decoration::Restrict),
        ] {
            let is_written = !(in_accesses && matches!(decoration, Decoration::Coherent | Decoration::Volatile));
            if is_written && decorations.has(is) {
                self.out.decorate(id, decoration, &[]);
            }
        }
    }

    // Textures, samplers, images.

    /// A variable for everything opaque in a uniform, in the order in which the plan lists it.
    fn declare_leaves(&mut self, var: Var) -> Res<()> {
        let mut found = vec![];
        self.leaves_of(self.module.vars[var].ty, &mut vec![], &mut vec![], &mut found);
        let is_half = |r: &Resource| r.kind == ResourceKind::Sampler && self.types.as_image(r.ty).is_some();
        let first_elements = self.plan.resources.iter().filter(|r| r.var == var && r.whole.1 == 0 && !is_half(r));
        let resources: Vec<Resource> = first_elements.cloned().collect();
        for ((fields, lengths, ty), resource) in found.into_iter().zip(resources) {
            self.declare_leaf(var, fields, lengths, ty, &resource)?;
        }
        Ok(())
    }

    fn declare_leaf(&mut self, var: Var, fields: Vec<u32>, lengths: Vec<u32>, ty: Type, r: &Resource) -> Res<()> {
        let data = &self.module.vars[var];
        let mut pointee = self.value_type(ty, data.span)?;
        if lengths.first() == Some(&0) {
            pointee = self.open_array(pointee);
        } else if !lengths.is_empty() {
            let count = lengths.iter().fold(1u32, |n, &len| n.saturating_mul(len));
            let len = self.u32(count);
            pointee = self.out.plain_type(Op::TypeArray, &[pointee, len]);
        }
        let id = self.out.variable(StorageClass::UniformConstant, pointee, None);
        // An array has the name of its first element without the indices.
        let name = if lengths.is_empty() { r.name.clone() } else { r.name.replace("_0", "") };
        self.out.name(id, &name);
        self.bind(id, r.group, r.whole.0);
        if let Some(image) = self.types.as_image(ty) {
            if matches!(image.kind, ImageKind::Storage(_)) {
                self.memory_qualifiers(id, &data.decorations.clone());
            }
            if image.dim == Dim::Subpass {
                let number =
                    data.decorations.find(|d| if let Is::InputAttachmentIndex(n) = d { Some(n) } else { None });
                self.out.decorate(id, Decoration::InputAttachmentIndex, &[number.unwrap_or(0)]);
            }
            if is_relaxed(data.precision) {
                self.out.decorate(id, Decoration::RelaxedPrecision, &[]);
            }
        }
        self.var_ids.entry(var).or_default().push((id, StorageClass::UniformConstant));
        self.leaves.insert((var, fields), Leaf { id, lengths, ty });
        Ok(())
    }

    /// Path of members, lengths of the arrays around, and type of everything opaque in a type.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn leaves_of(
        &self,
        ty: Type,
        fields: &mut Vec<u32>,
        lengths: &mut Vec<u32>,
        out: &mut Vec<(Vec<u32>, Vec<u32>, Type)>,
    ) {
        match &self.types[ty] {
            TypeKind::Image(_) | TypeKind::Sampler { .. } => out.push((fields.clone(), lengths.clone(), ty)),
            TypeKind::RuntimeArray { element } => {
                lengths.push(0);
                self.leaves_of(*element, fields, lengths, out);
                lengths.pop();
            }
            TypeKind::Array { element, len } if self.types.is_opaque(*element) => {
                lengths.push(*len);
                self.leaves_of(*element, fields, lengths, out);
                lengths.pop();
            }
            TypeKind::Struct(s) => {
                for (i, member) in s.members.iter().enumerate().filter(|(_, m)| self.types.is_opaque(m.ty)) {
                    fields.push(i as u32);
                    self.leaves_of(member.ty, fields, lengths, out);
                    fields.pop();
                }
            }
            _ => {}
        }
    }
}
