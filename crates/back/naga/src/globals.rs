//! Module-scope variables.

use std::rc::Rc;

use naga::{AddressSpace as Space, Handle};
use planish_ir::arena::Id;
use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type, Var};
use planish_ir::layout::Rule;
use planish_ir::module::VarData;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, ImageKind, TypeKind};

use crate::module::{Context, naga_span};
use crate::types::{MemId, Res, fail};
use planish_interface::{
    Atomics, ELEMENT, ResourceKind, Uses, block_row_major, block_rule, is_all_opaque, is_loose_uniform,
};

/// A texture or sampler in naga.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// A global variable.
    Global(Handle<naga::GlobalVariable>),
    /// An argument of the function.
    Argument(u32),
}

/// Opaque things, split to their parts.
#[derive(Debug)]
pub(crate) enum Tree {
    /// An image or sampler.
    Leaf {
        /// The image half.
        texture: Option<Bound>,
        /// The sampler half.
        sampler: Option<Bound>,
    },
    /// An array.
    Array(Vec<Rc<Tree>>),
    /// A struct; `None` for members that are not opaque.
    Struct(Vec<Option<Rc<Tree>>>),
}

/// Lowered form of a variable.
#[derive(Clone, Debug)]
pub(crate) enum GlobalRef {
    /// A naga variable.
    Memory { global: Handle<naga::GlobalVariable>, mem: MemId },
    /// A member of the gathered uniforms.
    Member { global: Handle<naga::GlobalVariable>, member: u32, mem: MemId },
    /// An array of blocks: one naga variable each.
    Blocks { globals: Vec<Handle<naga::GlobalVariable>>, mem: MemId },
    /// Textures and samplers.
    Opaque(Rc<Tree>),
    /// A struct with textures and samplers among its members.
    Mixed { memory: Option<Box<GlobalRef>>, tree: Rc<Tree> },
}

impl Context<'_> {
    /// Declares every variable that is reached.
    pub(crate) fn declare_globals(&mut self) -> Vec<Diagnostic> {
        let uses = Uses::new(self.module, &self.reach);
        let mut errors = vec![];
        if let Err(error) = self.declare_uniforms() {
            errors.push(*error);
        }
        for &var in &self.module.globals {
            if self.reach.vars[var.index()]
                && let Err(error) = self.declare(var, &uses)
            {
                errors.push(*error);
            }
        }
        errors
    }

    fn declare(&mut self, var: Var, uses: &Uses) -> Res<()> {
        let module = self.module;
        let data = &module.vars[var];
        let made = match data.space {
            AddressSpace::Private | AddressSpace::Input | AddressSpace::Output => {
                let init = match data.initializer {
                    Some(c) => self.initializer(var, c)?,
                    None => None,
                };
                self.memory(data, Space::Private, None, init)?
            }
            AddressSpace::Workgroup => self.memory(data, Space::WorkGroup, uses.atomics.get(&var), None)?,
            AddressSpace::PushConstant => {
                let mem = self.types.host_mem(data.ty, block_rule(data), block_row_major(data), None, data.span)?;
                let global = self.global(data.name.text.to_string(), Space::Immediate, None, mem, data.span);
                GlobalRef::Memory { global, mem }
            }
            AddressSpace::Storage => self.block(var, uses)?,
            AddressSpace::Uniform if !is_loose_uniform(data) && !is_all_opaque(&self.types.ir, data.ty) => {
                self.block(var, uses)?
            }
            AddressSpace::Uniform | AddressSpace::Handle => {
                if !self.types.ir.is_opaque(data.ty) {
                    return Ok(());
                }
                if let TypeKind::AtomicCounter = self.types.ir[data.ty] {
                    let message = format!("{} has no atomic counters", self.target());
                    return fail(Code::E0602, data.span, message);
                }
                let mut resources = self.plan.resources.clone().into_iter().filter(|r| r.var == var);
                let tree = self.tree(data.ty, var, uses, &mut resources)?;
                let memory = self.globals[var.index()].take();
                if is_all_opaque(&self.types.ir, data.ty) {
                    GlobalRef::Opaque(tree)
                } else {
                    GlobalRef::Mixed { memory: memory.map(Box::new), tree }
                }
            }
            // (The last is refused before.)
            AddressSpace::Function | AddressSpace::Spirv => return Ok(()),
        };
        self.globals[var.index()] = Some(made);
        Ok(())
    }

    fn initializer(&mut self, var: Var, c: Const) -> Res<Option<Handle<naga::Expression>>> {
        if let Some(init) = self.override_initializer(var, c)? {
            return Ok(Some(init));
        }
        let init = self.constant_expression(c)?;
        if init.is_none() {
            self.late_initializers.push((var, c));
        }
        Ok(init)
    }

    fn memory(
        &mut self,
        data: &VarData,
        space: Space,
        atomics: Option<&Atomics>,
        init: Option<Handle<naga::Expression>>,
    ) -> Res<GlobalRef> {
        let mem = self.types.private_mem(data.ty, atomics, data.span)?;
        let global = self.global(data.name.text.to_string(), space, None, mem, data.span);
        self.types.naga.global_variables.get_mut(global).init = init;
        Ok(GlobalRef::Memory { global, mem })
    }

    fn global(
        &mut self,
        name: String,
        space: Space,
        binding: Option<(u32, u32)>,
        mem: MemId,
        span: Span,
    ) -> Handle<naga::GlobalVariable> {
        let ty = self.types.mem(mem).naga;
        self.typed_global(name, space, binding, ty, span)
    }

    fn typed_global(
        &mut self,
        name: String,
        space: Space,
        binding: Option<(u32, u32)>,
        ty: Handle<naga::Type>,
        span: Span,
    ) -> Handle<naga::GlobalVariable> {
        let variable = naga::GlobalVariable {
            name: Some(name).filter(|n| !n.is_empty()),
            space,
            binding: binding.map(|(group, binding)| naga::ResourceBinding { group, binding }),
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        self.types.naga.global_variables.append(variable, naga_span(span))
    }

    /// The gathered uniforms.
    fn declare_uniforms(&mut self) -> Res<()> {
        let Some(block) = self.plan.uniforms.clone() else { return Ok(()) };
        let span = self.module.vars[block.members[0].var].span;
        let mem = self.types.host_mem(block.ty, Rule::Std140, false, None, span)?;
        let binding = Some((block.group, block.binding));
        let global = self.global("planish_uniforms".into(), Space::Uniform, binding, mem, span);
        for (i, member) in block.members.iter().enumerate() {
            let crate::types::MemKind::Struct { members } = &self.types.mem(mem).kind else {
                // A block that lies as naga would lay it out.
                let value = self.types.private_mem(member.ty, None, span)?;
                self.globals[member.var.index()] = Some(GlobalRef::Member { global, member: i as u32, mem: value });
                continue;
            };
            let (number, part) = members[i];
            self.globals[member.var.index()] = Some(GlobalRef::Member { global, member: number, mem: part });
        }
        Ok(())
    }

    /// A uniform or storage block, or an array of them.
    fn block(&mut self, var: Var, uses: &Uses) -> Res<GlobalRef> {
        let module = self.module;
        let data = &module.vars[var];
        let resources: Vec<_> = self.plan.resources.iter().filter(|r| r.var == var).cloned().collect();
        let first = resources.first().expect("a block that is reached has a binding");
        let mut atomics = uses.atomics.get(&var);
        let mut ty = data.ty;
        while let TypeKind::Array { element, .. } = self.types.ir[ty] {
            ty = element;
            atomics = atomics.and_then(|a| a.parts.get(&ELEMENT));
        }
        let mem = self.types.host_mem(ty, block_rule(data), block_row_major(data), atomics, data.span)?;
        let space = match first.kind {
            ResourceKind::StorageBlock => {
                let mut access = naga::StorageAccess::LOAD;
                if !data.decorations.has(Decoration::ReadOnly) {
                    access |= naga::StorageAccess::STORE;
                }
                Space::Storage { access }
            }
            _ => Space::Uniform,
        };
        let mut globals = vec![];
        for r in &resources {
            let global = self.global(r.name.clone(), space, Some((r.group, r.binding)), mem, data.span);
            let decorations = &mut self.types.naga.global_variables.get_mut(global).memory_decorations;
            if self.options.target == crate::Target::Spirv && first.kind == ResourceKind::StorageBlock {
                decorations.set(naga::MemoryDecorations::COHERENT, data.decorations.has(Decoration::Coherent));
                decorations.set(naga::MemoryDecorations::VOLATILE, data.decorations.has(Decoration::Volatile));
            }
            globals.push(global);
        }
        Ok(match globals[..] {
            [global] if ty == data.ty => GlobalRef::Memory { global, mem },
            _ => GlobalRef::Blocks { globals, mem },
        })
    }

    /// Textures and samplers of a variable, in the order of the plan's leaves.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn tree(
        &mut self,
        ty: Type,
        var: Var,
        uses: &Uses,
        resources: &mut dyn Iterator<Item = planish_interface::Resource>,
    ) -> Res<Rc<Tree>> {
        let span = self.module.vars[var].span;
        Ok(Rc::new(match self.types.ir[ty].clone() {
            TypeKind::Image(image) => {
                let mut next = || resources.next().expect("a leaf in the plan");
                let (texture, sampler) = match image.kind {
                    ImageKind::Combined => (Some(next()), Some(next())),
                    _ => (Some(next()), None),
                };
                let depth = image.shadow || uses.compared.contains(&var);
                let write = uses.written.contains(&var);
                let read = uses.loaded.contains(&var) || !write;
                let mut access = naga::StorageAccess::empty();
                access.set(naga::StorageAccess::LOAD, read);
                access.set(naga::StorageAccess::STORE, write);
                if uses.updated.contains(&var) {
                    access = naga::StorageAccess::all();
                }
                let image_type = self.types.image(image, depth, access, span)?;
                let texture = texture.map(|r| self.handle(&r, image_type, span));
                let sampler = sampler.map(|r| {
                    let ty = self.types.insert(None, naga::TypeInner::Sampler { comparison: image.shadow });
                    self.handle(&r, ty, span)
                });
                Tree::Leaf { texture, sampler }
            }
            TypeKind::Sampler { comparison } => {
                let resource = resources.next().expect("a leaf in the plan");
                let ty = self.types.insert(None, naga::TypeInner::Sampler { comparison });
                Tree::Leaf { texture: None, sampler: Some(self.handle(&resource, ty, span)) }
            }
            TypeKind::Array { element, len } => {
                let mut parts = vec![];
                for _ in 0..len {
                    parts.push(self.tree(element, var, uses, resources)?);
                }
                Tree::Array(parts)
            }
            TypeKind::Struct(s) => {
                let mut parts = vec![];
                for member in &s.members {
                    let opaque = self.types.ir.is_opaque(member.ty);
                    parts.push(if opaque { Some(self.tree(member.ty, var, uses, resources)?) } else { None });
                }
                Tree::Struct(parts)
            }
            ref kind => {
                let what = planish_interface::describe(kind);
                return fail(Code::E0602, span, format!("{} has no {what} here", self.target()));
            }
        }))
    }

    fn handle(&mut self, r: &planish_interface::Resource, ty: Handle<naga::Type>, span: Span) -> Bound {
        Bound::Global(self.typed_global(r.name.clone(), Space::Handle, Some((r.group, r.binding)), ty, span))
    }

    /// Arguments for the opaque parts of a parameter.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn argument_tree(
        &mut self,
        ty: Type,
        name: &str,
        span: Span,
        arguments: &mut Vec<naga::FunctionArgument>,
    ) -> Res<Rc<Tree>> {
        let mut argument = |name: String, ty| {
            arguments.push(naga::FunctionArgument { name: Some(name), ty, binding: None });
            Bound::Argument(arguments.len() as u32 - 1)
        };
        Ok(Rc::new(match self.types.ir[ty].clone() {
            TypeKind::Image(image) => {
                if let ImageKind::Storage(_) = image.kind {
                    let message = format!("{} cannot pass storage images to functions", self.target());
                    return fail(Code::E0605, span, message);
                }
                let image_type = self.types.image(image, image.shadow, naga::StorageAccess::LOAD, span)?;
                let texture = Some(argument(name.to_string(), image_type));
                let sampler = (image.kind == ImageKind::Combined).then(|| {
                    let ty = self.types.insert(None, naga::TypeInner::Sampler { comparison: image.shadow });
                    argument(format!("{name}_sampler"), ty)
                });
                Tree::Leaf { texture, sampler }
            }
            TypeKind::Sampler { comparison } => {
                let ty = self.types.insert(None, naga::TypeInner::Sampler { comparison });
                Tree::Leaf { texture: None, sampler: Some(argument(name.to_string(), ty)) }
            }
            TypeKind::Array { element, len } => {
                let mut parts = vec![];
                for i in 0..len {
                    parts.push(self.argument_tree(element, &format!("{name}_{i}"), span, arguments)?);
                }
                Tree::Array(parts)
            }
            ref kind => {
                let what = planish_interface::describe(kind);
                let message = format!("{} cannot pass a {what} that holds samplers to a function", self.target());
                return Err(Box::new(
                    Diagnostic::error(Code::E0605, span, message).help("pass the members one by one"),
                ));
            }
        }))
    }
}
