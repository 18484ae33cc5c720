//! The host's view of a module: bindings, locations, layouts. One [`Plan`] decides it for every target that numbers
//! resources (WGSL, SPIR-V, MSL, HLSL), so that one reflection describes all of them.
//!
//! ```
//! use planish_interface::{Numbering, Plan, Reach};
//! use planish_ir::decoration::{Name, NameSource};
//! use planish_ir::entity::Type;
//! use planish_ir::module::{Language, Module};
//! use planish_ir::types::AddressSpace;
//!
//! let mut module = Module::new(Language::Glsl { version: 300, es: true });
//! module.add_var(Name::new("colour", NameSource::Interface), Type::VEC4, AddressSpace::Output);
//! let reach = Reach::new(&module).unwrap();
//! let mut types = module.types.clone();
//! let plan = Plan::new(&module, &mut types, &reach, &Numbering::default()).unwrap();
//! assert_eq!(plan.outputs[0].location, Some(0));
//! ```

#![forbid(unsafe_code)]

mod derivatives;
mod plan;
mod reach;
mod reflect;
mod reflection;
mod uses;

use std::collections::BTreeMap;

use planish_ir::module::Stage;
use planish_ir::types::TypeKind;

pub use derivatives::{Derivatives, Implicit};
pub use plan::{
    GATHERED, Plan, Resource, ResourceKind, UniformBlock, UniformMember, Varying, block_row_major, block_rule,
    is_all_opaque, is_loose_uniform, per_vertex_element, without_opaque,
};
pub use reach::{Reach, for_each_operand};
pub use reflect::reflect;
pub use reflection::{
    Access, ArrayElement, Binding, BindingKind, Block, CombinedHalf, CombinedInfo, ConstantInfo, Direct3dRegister,
    EntryPointInfo, ImageInfo, Member, MetalArgument, NameInfo, PushConstants, Reflection, Uniforms, VaryingInfo,
};
pub use uses::{Atomics, ELEMENT, Uses};

/// Numbers for resources and varyings whose declaration has none.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    /// The group (descriptor set) of resources whose declaration gives none. `None`: 1 for fragment shaders, else 0, so
    /// that the stages of one program do not clash.
    pub group: Option<u32>,
    /// Locations of varyings and attributes by name, for those whose declaration gives none.
    pub locations: BTreeMap<String, u32>,
    /// Group and binding of resources by name, before what their declaration says. A name is that of the reflection (`lights[1].map`,
    /// of a combined sampler its texture), or the name of the variable in the output (`lights_1_map_sampler`). The first element of an
    /// array has the name of the array, too. `planish_uniforms` is the block of the loose uniforms.
    pub bindings: BTreeMap<String, (u32, u32)>,
    /// Group and binding of the block of loose uniforms, if several stages share it: then all that are declared are in it, used or not.
    pub shared_uniforms: Option<(u32, u32)>,
}

impl Numbering {
    /// The group of resources whose declaration gives none, in a stage.
    pub fn group_of(&self, stage: Option<Stage>) -> u32 {
        self.group.unwrap_or(if stage == Some(Stage::Fragment) { 1 } else { 0 })
    }
}

/// A type in the words of GLSL, for messages.
pub fn describe(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Void => "`void` value".into(),
        TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } => {
            format!("number of type `{}`", s.name())
        }
        TypeKind::AtomicCounter => "atomic counter (`atomic_uint`)".into(),
        TypeKind::YuvCsc => "`yuvCscStandardEXT`".into(),
        TypeKind::Array { .. } => "array".into(),
        TypeKind::RuntimeArray { .. } => "array sized by its buffer".into(),
        TypeKind::Struct(s) => format!("struct `{}`", s.name),
        TypeKind::Image(i) => format!("image of dimension {:?}{}", i.dim, if i.arrayed { " with layers" } else { "" }),
        TypeKind::Sampler { .. } => "sampler".into(),
        TypeKind::Pointer { .. } => "pointer".into(),
        TypeKind::Function { .. } | TypeKind::FuncRef | TypeKind::ExternRef => "reference".into(),
        TypeKind::V128 => "128-bit value".into(),
        TypeKind::Token => "unique token".into(),
        TypeKind::Spirv(ty) => format!("value of the type `Op{}` of SPIR-V", ty.name),
    }
}
