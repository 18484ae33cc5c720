//! Variables of module scope.

use planish_ir::decoration::{BuiltIn, Decoration as Ours, Decorations, Interpolation, Name, NameSource, Sampling};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::module::{Module, Stage};
use planish_ir::types::{AddressSpace, ImageType, TypeKind, Types};
use rustc_hash::FxHashSet;
use spirv::{Decoration, Op, StorageClass};

use crate::builtins;
use crate::module::Cx;
use crate::report::Res;
use crate::types::{TypeDef, address_space};
use crate::words::{Decorated, Inst, find};

/// A variable of module scope.
#[derive(Clone, Debug)]
pub(crate) enum Global {
    /// A variable.
    Var(Var),
    /// A block of built-ins: a variable for each member that is used.
    BuiltIns(Vec<Option<Var>>),
    /// A private variable that always has the value of a specialization constant.
    Constant(u32),
}

/// Qualifiers that variables and members have.
pub(crate) fn qualifiers(list: &[Decorated]) -> Decorations {
    let mut out = Decorations::new();
    for (decoration, operands) in list {
        let operand = operands.first().copied().unwrap_or(0);
        out.add(match decoration {
            Decoration::Location => Ours::Location(operand),
            Decoration::Component if operand > 0 => Ours::Component(operand),
            Decoration::XfbBuffer => Ours::XfbBuffer(operand),
            Decoration::Offset if find(list, Decoration::XfbBuffer).is_some() => Ours::XfbOffset(operand),
            Decoration::Index if operand > 0 => Ours::Index(operand),
            Decoration::Flat => Ours::Interpolation(Interpolation::Flat),
            Decoration::NoPerspective => Ours::Interpolation(Interpolation::NoPerspective),
            Decoration::PerVertexKHR => Ours::Interpolation(Interpolation::PerVertex),
            Decoration::Centroid => Ours::Sampling(Sampling::Centroid),
            Decoration::Sample => Ours::Sampling(Sampling::Sample),
            Decoration::Patch => Ours::Patch,
            Decoration::Invariant => Ours::Invariant,
            Decoration::NonWritable => Ours::ReadOnly,
            Decoration::NonReadable => Ours::WriteOnly,
            Decoration::Coherent => Ours::Coherent,
            Decoration::Volatile => Ours::Volatile,
            Decoration::Restrict => Ours::Restrict,
            Decoration::DescriptorSet => Ours::Set(operand),
            Decoration::Binding => Ours::Binding(operand),
            Decoration::InputAttachmentIndex => Ours::InputAttachmentIndex(operand),
            Decoration::BuiltIn => {
                match spirv::BuiltIn::from_u32(operand).and_then(|b| builtins::builtin(b, true, None)) {
                    Some(builtin) => Ours::BuiltIn(builtin),
                    None => continue,
                }
            }
            _ => continue,
        });
    }
    out
}

/// The type of an image, sampler or array of such that does or does not compare with a depth.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn handle_type(types: &mut Types, ty: Type, compares: bool) -> Type {
    match types[ty] {
        TypeKind::Array { element, len } => {
            let element = handle_type(types, element, compares);
            types.array(element, len)
        }
        TypeKind::RuntimeArray { element } => {
            let element = handle_type(types, element, compares);
            types.intern(TypeKind::RuntimeArray { element })
        }
        TypeKind::Image(image) => types.intern(TypeKind::Image(ImageType { shadow: compares, ..image })),
        TypeKind::Sampler { .. } => types.intern(TypeKind::Sampler { comparison: compares }),
        _ => ty,
    }
}

impl Cx<'_> {
    /// Declares a variable.
    pub(crate) fn global(&mut self, module: &mut Module, inst: &Inst<'_>) -> Res<Global> {
        let Some((class, pointee)) = self.defs.pointer(inst.ty) else {
            return inst.invalid("its type is no pointer");
        };
        let Some(space) = address_space(self.binary, &self.defs, class, pointee) else {
            return inst.unsupported(&format!("a variable of storage class `{class:?}`"));
        };
        if space == AddressSpace::Spirv || self.spirv_variables.contains(&inst.result) {
            return self.spirv_variable(module, inst, class, pointee);
        }
        if class == StorageClass::Private
            && let Some(&constant) = inst.operands.get(1)
            && self.specialized.contains_key(&constant)
            && self.binary.is_only_loaded(inst.result)
        {
            return Ok(Global::Constant(constant));
        }
        let is_io = matches!(space, AddressSpace::Input | AddressSpace::Output);
        let mut decorations = qualifiers(self.binary.decorations(inst.result));
        decorations.iter().filter(|d| matches!(d, Ours::BuiltIn(_))).collect::<Vec<_>>().into_iter().for_each(|d| {
            decorations.remove(d);
        });
        if is_io && let Some(number) = self.binary.decoration(inst.result, Decoration::BuiltIn) {
            let ty = self.memory_type(inst, pointee)?;
            let var = self.builtin(module, inst, number, ty, space, &decorations)?;
            return Ok(Global::Var(var));
        }
        if is_io && let Some(members) = self.builtin_block(pointee) {
            return self.builtin_members(module, inst, pointee, space, &members);
        }
        let mut ty = self.memory_type(inst, pointee)?;
        if is_io {
            let per_vertex = self.element_struct(pointee).is_some_and(|s| self.builtin_block(s).is_some());
            if per_vertex {
                let builtin = if space == AddressSpace::Input { BuiltIn::PerVertexIn } else { BuiltIn::PerVertexOut };
                decorations.add(Ours::BuiltIn(builtin));
                let var = module.add_var(Name::new(builtin.glsl_name(), NameSource::BuiltIn), ty, space);
                module.vars[var].decorations = decorations;
                return Ok(Global::Var(var));
            }
        } else {
            decorations.remove(Ours::Invariant);
        }
        match space {
            AddressSpace::Handle => {
                let compares = self.samplers.compares(&self.defs, inst.result, pointee);
                ty = handle_type(&mut module.types, ty, compares);
            }
            AddressSpace::Storage | AddressSpace::PushConstant | AddressSpace::Uniform
                if class != StorageClass::UniformConstant =>
            {
                self.block(module, inst, pointee, ty, space, &mut decorations)?;
            }
            _ => {}
        }
        self.accesses.qualify(inst.result, space, &mut decorations);
        let initializer = match inst.operands.get(1) {
            Some(&id) if matches!(space, AddressSpace::Private | AddressSpace::Output) => {
                let value = self.constant(inst, id)?;
                let own = module.consts[value].ty;
                let zero = module.consts.zero(&mut module.types, own);
                // Outputs are zero before they are written.
                let value = Some(value).filter(|v| space == AddressSpace::Private || zero != Some(*v));
                if value.is_some() && own != ty {
                    return inst.invalid("the initializer does not have the type of the variable");
                }
                value
            }
            _ => None,
        };
        let name = self.global_name(module, inst, space, pointee, &decorations);
        let var = module.add_var(name, ty, space);
        let data = &mut module.vars[var];
        data.decorations = decorations;
        data.initializer = initializer;
        data.span = inst.span();
        Ok(Global::Var(var))
    }

    pub(crate) fn memory_type(&self, inst: &Inst<'_>, id: u32) -> Res<Type> {
        match self.types.memory(id) {
            Ok(Type::VOID) => inst.invalid("a variable of type `void`"),
            Ok(ty) => Ok(ty),
            Err(what) => inst.unsupported(what),
        }
    }

    /// Checks a buffer, and adds its layout.
    pub(crate) fn block(
        &mut self,
        module: &Module,
        inst: &Inst<'_>,
        pointee: u32,
        ty: Type,
        space: AddressSpace,
        decorations: &mut Decorations,
    ) -> Res<()> {
        let mut element = ty;
        while let TypeKind::Array { element: inner, .. } | TypeKind::RuntimeArray { element: inner } =
            module.types[element]
        {
            element = inner;
        }
        if !module.types.as_struct(element).is_some_and(|s| s.is_block) {
            return inst.invalid("a buffer whose type is no struct decorated as a block");
        }
        let Some(layout) = self.layouts.rule(inst.result) else {
            let name = self.binary.name(inst.result);
            let message = format!(
                "`OpVariable` (word {}): the buffer `{name}` has a memory layout that cannot be represented",
                inst.at
            );
            return Err(Box::new(Diagnostic::error(Code::E0706, inst.span(), message)));
        };
        decorations.add(Ours::BlockLayout(layout));
        if space == AddressSpace::Storage
            && let Some(s) = self.element_struct(pointee).or(Some(pointee))
        {
            // A block whose members are all read-only is read-only.
            let count = match self.defs.get(s) {
                Some(TypeDef::Struct(parts)) => parts.len() as u32,
                _ => 0,
            };
            for (decoration, ours) in [
                (Decoration::NonWritable, Ours::ReadOnly),
                (Decoration::NonReadable, Ours::WriteOnly),
                (Decoration::Coherent, Ours::Coherent),
                (Decoration::Volatile, Ours::Volatile),
                (Decoration::Restrict, Ours::Restrict),
            ] {
                let has = |i: u32| self.binary.member_decorations(s, i).iter().any(|d| d.0 == decoration);
                if count > 0 && (0..count).all(has) {
                    decorations.add(ours);
                }
            }
        }
        Ok(())
    }

    /// The struct in an array.
    fn element_struct(&self, mut id: u32) -> Option<u32> {
        let whole = id;
        while let Some(TypeDef::Array(element, _) | TypeDef::RuntimeArray(element)) = self.defs.get(id) {
            id = *element;
        }
        (id != whole && matches!(self.defs.get(id), Some(TypeDef::Struct(_)))).then_some(id)
    }

    /// The built-ins of a struct's members, if they are such.
    fn builtin_block(&self, id: u32) -> Option<Vec<u32>> {
        let Some(TypeDef::Struct(parts)) = self.defs.get(id) else { return None };
        let number = |i: usize| find(self.binary.member_decorations(id, i as u32), Decoration::BuiltIn);
        let members: Option<Vec<u32>> = (0..parts.len()).map(number).collect();
        members.filter(|m| !m.is_empty())
    }

    fn builtin_members(
        &mut self,
        module: &mut Module,
        inst: &Inst<'_>,
        pointee: u32,
        space: AddressSpace,
        numbers: &[u32],
    ) -> Res<Global> {
        let Some(TypeDef::Struct(parts)) = self.defs.get(pointee).cloned() else { return inst.invalid("no struct") };
        let used = self.used_members(inst.result, parts.len());
        let mut vars = vec![];
        for (i, (&part, &number)) in parts.iter().zip(numbers).enumerate() {
            if !used.contains(&(i as u32)) {
                vars.push(None);
                continue;
            }
            let ty = self.memory_type(inst, part)?;
            let mut decorations = qualifiers(self.binary.member_decorations(pointee, i as u32));
            decorations.iter().filter(|d| matches!(d, Ours::BuiltIn(_))).collect::<Vec<_>>().into_iter().for_each(
                |d| {
                    decorations.remove(d);
                },
            );
            vars.push(Some(self.builtin(module, inst, number, ty, space, &decorations)?));
        }
        Ok(Global::BuiltIns(vars))
    }

    /// Members of a block that an access begins with; all if the block is used in another way.
    pub(crate) fn used_members(&self, id: u32, count: usize) -> FxHashSet<u32> {
        let mut used = FxHashSet::default();
        for function in &self.binary.functions {
            for inst in &self.binary.insts[function.range.clone()] {
                let place = inst.operands.iter().position(|&operand| operand == id);
                let Some(place) = place else { continue };
                let is_access = matches!(inst.op, Op::AccessChain | Op::InBoundsAccessChain) && place == 0;
                let member = inst.operands.get(1).and_then(|&i| crate::types::integer(self.binary, i));
                match member.and_then(|m| u32::try_from(m).ok()).filter(|_| is_access) {
                    Some(member) => {
                        used.insert(member);
                    }
                    None => used.extend(0..count as u32),
                }
            }
        }
        used
    }

    /// The variable of a built-in: one a built-in, direction and type.
    fn builtin(
        &mut self,
        module: &mut Module,
        inst: &Inst<'_>,
        number: u32,
        ty: Type,
        space: AddressSpace,
        decorations: &Decorations,
    ) -> Res<Var> {
        let stage = self.stage_of(inst.result);
        let known = spirv::BuiltIn::from_u32(number);
        let Some(ours) = known.and_then(|b| builtins::builtin(b, space == AddressSpace::Output, stage)) else {
            let name = known.map_or_else(|| number.to_string(), |b| format!("{b:?}"));
            return inst.unsupported(&format!("the built-in `{name}`"));
        };
        let ty = match builtins::integer(ours) {
            Some(scalar) => match module.types[ty] {
                TypeKind::Array { element, len } => {
                    let element = module.types.with_scalar(element, scalar);
                    module.types.array(element, len)
                }
                _ => module.types.with_scalar(ty, scalar),
            },
            None => ty,
        };
        let var = *self.builtins.entry((ours, space, ty)).or_insert_with(|| {
            let var = module.add_var(Name::new(ours.glsl_name(), NameSource::BuiltIn), ty, space);
            module.vars[var].decorations.add(Ours::BuiltIn(ours));
            var
        });
        let kept = |d: &Ours| matches!(d, Ours::Invariant | Ours::XfbBuffer(_) | Ours::XfbOffset(_));
        for decoration in decorations.iter().filter(kept) {
            module.vars[var].decorations.add(decoration);
        }
        Ok(var)
    }

    /// The stage of the entry points that have the variable in their interface.
    pub(crate) fn stage_of(&self, id: u32) -> Option<Stage> {
        self.interfaces.iter().find(|i| i.ids.contains(&id)).and_then(|i| i.stage)
    }

    /// The name of a variable: no other one that the same entry point has may have it.
    pub(crate) fn global_name(
        &mut self,
        module: &Module,
        inst: &Inst<'_>,
        space: AddressSpace,
        pointee: u32,
        decorations: &Decorations,
    ) -> Name {
        let source = match space {
            AddressSpace::Private | AddressSpace::Workgroup => NameSource::Temporary,
            _ => NameSource::Interface,
        };
        let is_block = matches!(self.defs.get(pointee), Some(TypeDef::Struct(_)))
            && matches!(space, AddressSpace::Uniform | AddressSpace::Storage | AddressSpace::PushConstant);
        let (set, binding) = (decorations.set().unwrap_or(0), decorations.binding().unwrap_or(0));
        let location = decorations.location().unwrap_or(0);
        let wanted = match (self.binary.name(inst.result), space) {
            // The members of a block without a name have no prefix.
            ("", _) if is_block => return Name::new("", source),
            ("", AddressSpace::Input) => format!("in_{location}"),
            ("", AddressSpace::Output) => format!("out_{location}"),
            ("", AddressSpace::Handle | AddressSpace::Uniform | AddressSpace::Storage) => {
                format!("resource_{set}_{binding}")
            }
            ("", _) => return Name::new("", source),
            (name, _) => name.to_owned(),
        };
        let meets = |interfaces: &[crate::entry::Interface], other: u32| {
            let is_io = |id: u32| interfaces.iter().any(|i| i.ids.contains(&id));
            let together = interfaces.iter().any(|i| i.ids.contains(&inst.result) && i.ids.contains(&other));
            !is_io(inst.result) || !is_io(other) || together
        };
        let mut name = wanted.clone();
        let mut number = 1;
        while let Some(ids) = self.taken.get(&name)
            && ids.iter().any(|&other| meets(&self.interfaces, other))
        {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        debug_assert!(module.vars.len() < u32::MAX as usize);
        self.taken.entry(name.clone()).or_default().push(inst.result);
        Name::new(name, source)
    }
}
