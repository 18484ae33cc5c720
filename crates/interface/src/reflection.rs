//! The values of a reflection.

use serde::Serialize;

/// Everything a host needs to run a module as the back ends emit it. Written as JSON, it is the format of `docs/targets/reflection.md`.
/// Offsets, sizes and strides are in bytes; types have the words of GLSL.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Reflection {
    /// The number of this format.
    pub schema: u32,
    /// Entry points, and functions for others to call.
    pub entry_points: Vec<EntryPointInfo>,
    /// Stage inputs in declaration order.
    pub inputs: Vec<VaryingInfo>,
    /// Stage outputs in declaration order.
    pub outputs: Vec<VaryingInfo>,
    /// The block of the uniforms outside of blocks.
    pub uniforms: Option<Uniforms>,
    /// Push constants.
    pub push_constants: Option<PushConstants>,
    /// Uniform blocks.
    pub uniform_blocks: Vec<Binding>,
    /// Storage blocks.
    pub storage_blocks: Vec<Binding>,
    /// Textures, and the texture halves of combined samplers.
    pub textures: Vec<Binding>,
    /// Samplers, and the sampler halves of combined samplers.
    pub samplers: Vec<Binding>,
    /// Storage images.
    pub images: Vec<Binding>,
    /// Combined samplers that GLSL without Vulkan has in place of separate textures and samplers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub combined: Vec<CombinedInfo>,
    /// Specialization constants, which WGSL calls overrides.
    pub constants: Vec<ConstantInfo>,
    /// Metal's numbers of buffers, textures and samplers; `None` if MSL cannot hold the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metal: Option<Vec<MetalArgument>>,
    /// Registers of Direct3D in the shader model of the options; `None` if HLSL cannot hold the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct3d: Option<Vec<Direct3dRegister>>,
    /// Names of module scope in minified WGSL; `None` if nothing is minified, or WGSL cannot hold the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<NameInfo>>,
}

/// A name of the source and that of the output.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct NameInfo {
    /// Kind of the thing named: `global`, `function`, `struct` or `member`.
    pub kind: &'static str,
    /// In the source; of a member with its struct, as in `Light.position`.
    pub original: String,
    /// In the output.
    pub printed: String,
}

impl NameInfo {
    /// A name of a kind, and its name in the output.
    pub fn new(kind: &'static str, original: String, printed: String) -> NameInfo {
        NameInfo { kind, original, printed }
    }
}

/// A combined sampler in place of a texture and a sampler.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct CombinedInfo {
    /// Its name in the output, of an element of an array with the index, unless that is a reserved word there.
    pub name: String,
    /// The texture.
    pub texture: CombinedHalf,
    /// The sampler; `None` if only texels and sizes are read.
    pub sampler: Option<CombinedHalf>,
}

/// A half of a combined sampler: the name of a [`Binding`], and its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct CombinedHalf {
    /// Path of the source.
    pub name: String,
    /// Group (descriptor set).
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
}

impl CombinedInfo {
    /// The combined sampler of a texture and a sampler, which are found by their names; `None` if there is no such texture or sampler.
    pub fn find(reflection: &Reflection, name: String, texture: &str, sampler: Option<&str>) -> Option<CombinedInfo> {
        let half = |list: &[Binding], name: &str| {
            let Binding { name, group, binding, .. } = list.iter().find(|resource| resource.name == name)?.clone();
            Some(CombinedHalf { name, group, binding })
        };
        let texture = half(&reflection.textures, texture)?;
        let sampler = match sampler {
            Some(sampler) => Some(half(&reflection.samplers, sampler)?),
            None => None,
        };
        Some(CombinedInfo { name, texture, sampler })
    }
}

/// Metal's number of an argument of the entry points.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct MetalArgument {
    /// The name of the resource, as [`Binding::variable`]; `buffer_sizes` are the sizes of buffers.
    pub name: String,
    /// The namespace: `buffer`, `texture` or `sampler`, or `id` of a member of an argument buffer.
    pub table: &'static str,
    /// The number in it.
    pub index: u32,
    /// The number of the argument buffer that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_buffer: Option<u32>,
    /// Group (descriptor set) in other languages, if the resource has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Binding in the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<u32>,
}

impl MetalArgument {
    /// An argument with its number, the argument buffer that it is in, and its place in other languages.
    pub fn new(
        name: String,
        (table, index): (&'static str, u32),
        argument_buffer: Option<u32>,
        place: Option<(u32, u32)>,
    ) -> MetalArgument {
        let (group, binding) = (place.map(|p| p.0), place.map(|p| p.1));
        MetalArgument { name, table, index, argument_buffer, group, binding }
    }
}

/// Direct3D's register of a resource.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Direct3dRegister {
    /// The name of the resource, as [`Binding::variable`]; `num_work_groups` is the number of work groups, a `uint3`.
    pub name: String,
    /// The class: `b` of constant buffers, `t` of textures and buffers that are only read, `s` of samplers, `u` of what may be written.
    pub class: char,
    /// The number in class and space.
    pub register: u32,
    /// The space; `None` before shader model 5.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<u32>,
    /// Group (descriptor set) in other languages, if the resource has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Binding in the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<u32>,
}

impl Direct3dRegister {
    /// A register with its space, and the place of the resource in other languages.
    pub fn new(
        name: String,
        (class, register, space): (char, u32, Option<u32>),
        place: Option<(u32, u32)>,
    ) -> Direct3dRegister {
        let (group, binding) = (place.map(|p| p.0), place.map(|p| p.1));
        Direct3dRegister { name, class, register, space, group, binding }
    }
}

/// An entry point.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct EntryPointInfo {
    /// Its name.
    pub name: String,
    /// The name of its stage; `None` for a function that others call.
    pub stage: Option<&'static str>,
    /// The size of a work group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_size: Option<[u32; 3]>,
    /// By axis, the number of the specialization constant that may replace the size.
    #[serde(skip_serializing_if = "no_ids")]
    pub local_size_ids: [Option<u32>; 3],
    /// Whether fragments are tested before they are shaded.
    #[serde(skip_serializing_if = "is_false")]
    pub early_fragment_tests: bool,
    /// Order of the depth that a fragment shader writes and the primitive's: `any`, `greater`, `less`, `unchanged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<&'static str>,
}

/// A stage input or output.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct VaryingInfo {
    /// The name by which stages match.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether an entry point uses it.
    pub used: bool,
    /// The built-in, in GLSL's words, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builtin: Option<&'static str>,
    /// The first location, unless it is a built-in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<u32>,
    /// The number of locations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locations: Option<u32>,
    /// `smooth`, `flat`, `noperspective` or `pervertex`, if the source says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpolation: Option<&'static str>,
}

/// The block of the uniforms outside of blocks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Uniforms {
    /// The name of its type.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Its name in the output.
    pub variable: &'static str,
    /// Group (descriptor set).
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
    /// In bytes.
    pub size: u32,
    /// The uniforms, in declaration order.
    pub members: Vec<Member>,
}

/// Push constants.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct PushConstants {
    /// The name of the variable.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Size and members.
    #[serde(flatten)]
    pub block: Block,
}

/// A part of memory that the host shares.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// From the beginning of the struct that it is in.
    pub offset: u32,
    /// In bytes.
    pub size: u32,
    /// From element to element of an array, or from column to column of a matrix, or from row to row if it is stored by rows; else 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub stride: u32,
    /// Whether it holds matrices that are stored by rows.
    #[serde(skip_serializing_if = "is_false")]
    pub row_major: bool,
    /// Members, if it is a struct or an array of structs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Vec<Member>>,
}

/// Size and members of a struct. A block that ends with an array sized by its buffer has the size of what is before it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Block {
    /// In bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// In declaration order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Vec<Member>>,
}

/// A resource.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Binding {
    /// Path of the source: `lights[1].map`.
    pub name: String,
    /// Its name in the output, unless that is a reserved word there.
    pub variable: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Group (descriptor set).
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
    /// Whether it stands for all elements of an array whose length the host decides on.
    #[serde(skip_serializing_if = "is_false")]
    pub unbounded: bool,
    /// Its place in the array that SPIR-V binds as one, unless it is the first element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<ArrayElement>,
    /// More, by its kind.
    #[serde(flatten)]
    pub kind: BindingKind,
}

/// A place in an array of resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ArrayElement {
    /// The binding of the whole array.
    pub binding: u32,
    /// The index.
    pub element: u32,
}

/// Properties of a resource by its kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum BindingKind {
    /// Of a texture or storage image, or half of a combined sampler.
    Image(ImageInfo),
    /// Of a sampler of its own.
    Sampler {
        /// Whether it compares depths.
        comparison: bool,
    },
    /// Of a block.
    Block {
        /// The name of the block.
        #[serde(skip_serializing_if = "Option::is_none")]
        block: Option<String>,
        /// Of storage blocks.
        #[serde(skip_serializing_if = "Option::is_none")]
        access: Option<Access>,
        /// Size and members.
        #[serde(flatten)]
        contents: Block,
    },
}

/// Access to a storage block or storage image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Access {
    /// It is only read.
    Read,
    /// It is read and written; of a block, it may be.
    ReadWrite,
    /// It is only written. Of images.
    Write,
}

/// Of a texture or storage image.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ImageInfo {
    /// `1d`, `2d`, `3d`, `cube`, `rect`, `buffer` or `subpass`.
    pub dimension: &'static str,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether a texel has several samples.
    pub multisampled: bool,
    /// Whether depths are compared, by its type or by the sampler that it is used with.
    pub comparison: bool,
    /// The scalar of a texel: `f32`, `i32` or `u32`.
    pub sampled: &'static str,
    /// Whether it is half of a combined sampler.
    pub combined: bool,
    /// The format of a storage image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<&'static str>,
    /// Uses of a storage image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
}

/// A specialization constant.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct ConstantInfo {
    /// Its name.
    pub name: String,
    /// Its number.
    pub id: u32,
    /// Whether the number is not the program's own: in WGSL the host knows the constant by its name.
    #[serde(skip_serializing_if = "is_false")]
    pub unnumbered: bool,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its value unless the host gives another; `None` if that is not known here.
    pub default: Option<serde_json::Value>,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn no_ids(ids: &[Option<u32>; 3]) -> bool {
    ids.iter().all(Option::is_none)
}
