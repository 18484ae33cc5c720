//! Names, locations, bindings and offsets of inputs, uniforms, resources and outputs.

use planish_interface::{Plan, Reach, Resource, ResourceKind, Varying, block_row_major, block_rule};
use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Type, Var};
use planish_ir::layout::{Layouts, Rule, is_row_major};
use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, TypeKind};
use std::fmt::Write;

use crate::graph::{InputKind, UniformKind};
use crate::literal::Literal;
use crate::options::Options;
use crate::places::{Leaf, Root};

/// The interface of the function for the host.
pub(crate) struct Interface<'m> {
    module: &'m Module,
    func: Func,
    plan: Plan,
}

impl<'m> Interface<'m> {
    pub(crate) fn new(module: &'m Module, func: Func, options: &Options<'_>) -> Result<Self, Vec<Diagnostic>> {
        let reach = Reach::from_roots(module, vec![func]).map_err(|e| vec![*e])?;
        let mut types = module.types.clone();
        let plan = Plan::new(module, &mut types, &reach, &options.numbering)?;
        Ok(Interface { module, func, plan })
    }

    /// The name in the syntax of the source: `lights[2].colour`; members of a block without an instance name have no
    /// prefix.
    pub(crate) fn name(&self, leaf: &Leaf) -> String {
        let var = match leaf.root {
            Root::Var(var) => var,
            Root::Param(i) => {
                let name = &self.module.funcs[self.func].params[usize::from(i)].name.text;
                return if name.is_empty() { format!("parameter {i}") } else { name.to_string() };
            }
        };
        let data = &self.module.vars[var];
        let mut name = data.name.text.to_string();
        let mut ty = data.ty;
        for &index in &leaf.path {
            let part = match &self.module.types[ty] {
                TypeKind::Struct(s) => {
                    let member = &s.members[index as usize];
                    // Stages match members of interface blocks by member name.
                    let is_varying = matches!(data.space, AddressSpace::Input | AddressSpace::Output);
                    if is_varying {
                        name.clear();
                    }
                    name.push_str(if name.is_empty() { "" } else { "." });
                    name.push_str(&member.name);
                    member.ty
                }
                &TypeKind::Array { element, .. } => {
                    let _ = write!(name, "[{index}]");
                    element
                }
                _ => ty,
            };
            ty = part;
        }
        if name.is_empty() {
            // A whole block without an instance name has the name of its type.
            name = self.module.types.as_struct(ty).map_or("block".into(), |s| s.name.to_string());
        }
        name
    }

    fn varying<'a>(of: &'a [Varying], leaf: &Leaf) -> Option<&'a Varying> {
        let Root::Var(var) = leaf.root else { return None };
        let member = leaf.path.first().copied();
        of.iter().find(|v| v.var == var && v.member == member)
    }

    pub(crate) fn input(&self, leaf: &Leaf) -> InputKind {
        if let Some(output) = Self::varying(&self.plan.outputs, leaf) {
            return InputKind::Framebuffer { location: output.location };
        }
        match (leaf.root, Self::varying(&self.plan.inputs, leaf)) {
            (Root::Param(_), _) => InputKind::Parameter,
            (_, Some(Varying { builtin: Some(builtin), .. })) => InputKind::BuiltIn(*builtin),
            (_, Some(v)) => InputKind::Varying { location: v.location, interpolation: v.decorations.interpolation() },
            // The members of a whole block have the locations.
            (_, None) => InputKind::Varying { location: None, interpolation: None },
        }
    }

    /// Location and built-in of an output.
    pub(crate) fn output(&self, leaf: &Leaf) -> (Option<u32>, Option<planish_ir::decoration::BuiltIn>) {
        Self::varying(&self.plan.outputs, leaf).map_or((None, None), |v| (v.location, v.builtin))
    }

    pub(crate) fn uniform(&self, leaf: &Leaf) -> UniformKind {
        let Root::Var(var) = leaf.root else { return UniformKind::Unbound };
        let data = &self.module.vars[var];
        if let Some(builtin) = data.decorations.builtin() {
            return UniformKind::BuiltIn(builtin);
        }
        if let Some(id) = data.decorations.find(|d| if let Decoration::ConstantId(n) = d { Some(n) } else { None }) {
            return UniformKind::Specialization(id);
        }
        if data.space == AddressSpace::PushConstant {
            return UniformKind::PushConstant { offset: self.offset(var, data.ty, &leaf.path, block_rule(data)) };
        }
        let loose = self.plan.uniforms.as_ref();
        if let Some(block) = loose.filter(|u| u.members.iter().any(|m| m.var == var)) {
            let start = block.members.iter().find(|m| m.var == var).map_or(0, |m| m.offset);
            let offset = self.offset(var, data.ty, &leaf.path, Rule::Std140).map(|o| start + o);
            return UniformKind::Buffer { group: block.group, binding: block.binding, offset };
        }
        // Each element of an array of blocks has its own binding, selected by the first indices of the path.
        let (mut ty, mut element, mut skipped) = (data.ty, 0, 0);
        while let TypeKind::Array { element: inner, len } = self.module.types[ty] {
            let index = leaf.path.get(skipped).copied();
            element = element * len as usize + index.unwrap_or(0) as usize;
            skipped += usize::from(index.is_some());
            ty = inner;
        }
        let is_block =
            |r: &&Resource| r.var == var && matches!(r.kind, ResourceKind::UniformBlock | ResourceKind::StorageBlock);
        let Some(&Resource { group, binding, kind, .. }) = self.plan.resources.iter().filter(is_block).nth(element)
        else {
            return UniformKind::Unbound;
        };
        let offset = self.offset(var, ty, &leaf.path[skipped..], block_rule(data));
        match kind {
            ResourceKind::StorageBlock => UniformKind::Storage { group, binding, offset },
            _ => UniformKind::Buffer { group, binding, offset },
        }
    }

    /// The part of the initializer.
    pub(crate) fn default_of(&self, leaf: &Leaf) -> Option<Literal> {
        let Root::Var(var) = leaf.root else { return None };
        let mut literal = Literal::of(self.module, self.module.vars[var].initializer?)?;
        for &index in &leaf.path {
            literal = match literal {
                Literal::Parts(mut parts) if (index as usize) < parts.len() => parts.swap_remove(index as usize),
                _ => return None,
            };
        }
        Some(literal)
    }

    /// Offset of a part in a block, in bytes; `None` if the type has no layout.
    fn offset(&self, var: Var, ty: Type, path: &[u32], rule: Rule) -> Option<u32> {
        let data = &self.module.vars[var];
        let mut row_major = match data.decorations.block_layout() {
            Some(_) => block_row_major(data),
            None => is_row_major(&data.decorations, false),
        };
        let types = &self.module.types;
        let mut layouts = Layouts::new(rule);
        let (mut at, mut ty) = (0u32, ty);
        for &index in path {
            let layout = layouts.get(types, ty, row_major).ok()?;
            match &types[ty] {
                TypeKind::Struct(s) => {
                    let member = layout.members.get(index as usize)?;
                    at = at.checked_add(member.offset)?;
                    row_major = member.row_major;
                    ty = s.members[index as usize].ty;
                }
                &TypeKind::Array { element, .. } => {
                    at = at.checked_add(layout.stride.checked_mul(index)?)?;
                    ty = element;
                }
                _ => return None,
            }
        }
        Some(at)
    }

    /// Binding of a texture, image or sampler; and that of the sampler of a combined one.
    #[allow(clippy::type_complexity)]
    pub(crate) fn resource(&self, leaf: &Leaf) -> (Option<(u32, u32)>, Option<(u32, u32)>) {
        let Root::Var(var) = leaf.root else { return (None, None) };
        let name = self.name(leaf);
        // A whole array has the binding of its first element.
        let is_it =
            |path: &str| path.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with("[0]"));
        let find = |sampler: bool| {
            let mut all = self.plan.resources.iter().filter(|r| r.var == var && is_it(&r.path));
            all.find(|r| (r.kind == ResourceKind::Sampler) == sampler).map(|r| (r.group, r.binding))
        };
        match (find(false), find(true)) {
            (Some(texture), sampler) => (Some(texture), sampler),
            (None, sampler) => (sampler, None),
        }
    }
}
