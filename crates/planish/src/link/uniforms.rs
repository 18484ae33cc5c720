//! One block for the uniforms outside of blocks of all stages of a program, as a program of OpenGL has one set of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use planish_interface::{is_loose_uniform, without_opaque};
use planish_ir::decoration::{Decorations, Name, NameSource, Precision};
use planish_ir::entity::{Type, Var};
use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, Member, StructType, TypeKind, Types};

/// The uniforms outside of blocks of all stages of a program. Targets whose uniforms are in blocks put them into one block with the
/// same members, group and binding for each stage.
#[derive(Clone, Debug)]
pub struct SharedUniforms {
    types: Types,
    uniforms: Vec<Uniform>,
    /// Groups and bindings that a declaration of some stage asks for.
    taken: BTreeSet<(u32, u32)>,
}

#[derive(Clone, Debug)]
struct Uniform {
    name: Arc<str>,
    ty: Type,
    precision: Precision,
    decorations: Decorations,
}

impl SharedUniforms {
    /// The uniforms of the stages, which agree; `None` if fewer than two stages have any.
    pub(super) fn of(modules: &[&Module]) -> Option<SharedUniforms> {
        let mut all = SharedUniforms { types: Types::new(), uniforms: vec![], taken: BTreeSet::new() };
        let mut stages = 0;
        for module in modules {
            let bound = module.globals.iter().map(|&var| &module.vars[var].decorations);
            all.taken.extend(bound.filter_map(|d| Some((d.set().unwrap_or(0), d.binding()?))));
            let mut types = module.types.clone();
            let loose = loose_uniforms(module);
            stages += usize::from(!loose.is_empty());
            for var in loose {
                let data = &module.vars[var];
                let Some(ty) = without_opaque(&mut types, data.ty) else { continue };
                if all.uniforms.iter().all(|u| u.name != data.name.text) {
                    let (name, precision) = (data.name.text.clone(), data.precision);
                    let ty = copy_type(&types, ty, &mut all.types);
                    let decorations = data.decorations.clone();
                    all.uniforms.push(Uniform { name, ty, precision, decorations });
                }
            }
        }
        (stages > 1).then_some(all)
    }

    /// The place of the block: the first binding of a group that no declaration asks for.
    pub(crate) fn place(&self, group: u32) -> (u32, u32) {
        let mut binding = 0;
        while self.taken.contains(&(group, binding)) {
            binding += 1;
        }
        (group, binding)
    }

    /// Declares all of them in a module, in the order that all stages have.
    pub(crate) fn declare_in(&self, module: &mut Module) {
        let mut order = vec![];
        for uniform in &self.uniforms {
            let is_it = |&var: &Var| module.vars[var].name.text == uniform.name && is_loose_uniform(&module.vars[var]);
            order.push(module.globals.iter().copied().find(is_it).unwrap_or_else(|| {
                let ty = copy_type(&self.types, uniform.ty, &mut module.types);
                let name = Name::new(&*uniform.name, NameSource::Interface);
                let var = module.add_var(name, ty, AddressSpace::Uniform);
                module.vars[var].precision = uniform.precision;
                module.vars[var].decorations = uniform.decorations.clone();
                var
            }));
        }
        let mut next = order.iter();
        for at in module.globals.iter_mut().filter(|at| order.contains(at)) {
            *at = *next.next().expect("as many as there are");
        }
    }
}

/// Uniforms outside of blocks that have memory.
fn loose_uniforms(module: &Module) -> Vec<Var> {
    let mut types = module.types.clone();
    let has_memory = |var: &&Var| {
        let data = &module.vars[**var];
        is_loose_uniform(data) && without_opaque(&mut types, data.ty).is_some()
    };
    module.globals.iter().filter(has_memory).copied().collect()
}

/// The type of another module.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn copy_type(from: &Types, ty: Type, to: &mut Types) -> Type {
    match from[ty].clone() {
        TypeKind::Array { element, len } => {
            let element = copy_type(from, element, to);
            to.array(element, len)
        }
        TypeKind::Struct(s) => {
            let copied = |m: &Member| Member { ty: copy_type(from, m.ty, to), ..m.clone() };
            let members = s.members.iter().map(copied).collect();
            to.intern(TypeKind::Struct(Arc::new(StructType { name: s.name.clone(), members, is_block: s.is_block })))
        }
        // A type without component types.
        kind => to.intern(kind),
    }
}
