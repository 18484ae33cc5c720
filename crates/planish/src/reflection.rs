//! The values of a reflection ([`reflect`](crate::reflect)).

pub use planish_interface::{
    Access, ArrayElement, Binding, BindingKind, Block, CombinedHalf, CombinedInfo, ConstantInfo, Direct3dRegister,
    EntryPointInfo, ImageInfo, Member, MetalArgument, NameInfo, PushConstants, Reflection, Uniforms, VaryingInfo,
};
