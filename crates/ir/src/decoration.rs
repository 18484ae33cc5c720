//! Properties of declarations other than their type: precision, qualifiers, layout, built-in, name.

use smallvec::SmallVec;

/// GLSL precision. `None` where the language has none (booleans, structs, desktop without a qualifier).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub enum Precision {
    /// Not qualified.
    #[default]
    None,
    /// `lowp`
    Low,
    /// `mediump`
    Medium,
    /// `highp`
    High,
}

impl Precision {
    /// The GLSL keyword; empty for `None`.
    pub const fn keyword(self) -> &'static str {
        match self {
            Precision::None => "",
            Precision::Low => "lowp",
            Precision::Medium => "mediump",
            Precision::High => "highp",
        }
    }
}

/// Interpolation between vertices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Interpolation {
    /// `smooth`: perspective correct.
    Smooth,
    /// `flat`: the provoking vertex's value.
    Flat,
    /// `noperspective`: linear in window space.
    NoPerspective,
    /// `pervertexEXT`: the values of the three vertices, in an array.
    PerVertex,
}

impl Interpolation {
    /// Its word in the text form and in reflection.
    pub const fn name(self) -> &'static str {
        match self {
            Interpolation::Smooth => "smooth",
            Interpolation::Flat => "flat",
            Interpolation::NoPerspective => "noperspective",
            Interpolation::PerVertex => "pervertex",
        }
    }
}

/// Sample position at which an input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Sampling {
    /// `centroid`
    Centroid,
    /// `sample`
    Sample,
}

/// Memory layout of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum BlockLayout {
    /// `std140`
    Std140,
    /// `std430`
    Std430,
    /// `shared`: chosen by the driver, equal in all programs. Laid out as `std140` here.
    Shared,
    /// `packed`: chosen by the driver. Laid out as `std140` here.
    Packed,
    /// `scalar` (`GL_EXT_scalar_block_layout`)
    Scalar,
}

/// One property of a variable, member, function or result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Decoration {
    /// `invariant`
    Invariant,
    /// `precise`: no contraction, no value-changing rewrite.
    Precise,
    /// Interpolation between vertices.
    Interpolation(Interpolation),
    /// Sample position at which it is interpolated.
    Sampling(Sampling),
    /// `patch`
    Patch,
    /// `layout(location = …)`
    Location(u32),
    /// `layout(index = …)` of a dual-source output.
    Index(u32),
    /// `layout(component = …)`
    Component(u32),
    /// `layout(xfb_buffer = …)`: the buffer that a captured output is written to.
    XfbBuffer(u32),
    /// `layout(xfb_offset = …)`: its place there, in bytes.
    XfbOffset(u32),
    /// `layout(set = …)`
    Set(u32),
    /// `layout(binding = …)`
    Binding(u32),
    /// `layout(offset = …)` of a block member or an atomic counter, in bytes.
    Offset(u32),
    /// `layout(align = …)` of a block member, in bytes.
    Align(u32),
    /// Memory layout of a block.
    BlockLayout(BlockLayout),
    /// Matrices in it are stored by rows.
    RowMajor,
    /// Matrices in it are stored by columns (the default).
    ColumnMajor,
    /// `layout(input_attachment_index = …)`
    InputAttachmentIndex(u32),
    /// `layout(constant_id = …)`: a specialization constant with a default.
    ConstantId(u32),
    /// The number of the specialization constant is not the program's, which knows the constant by its name: an `override` of WGSL without `@id`.
    Unnumbered,
    /// `readonly`
    ReadOnly,
    /// `writeonly`
    WriteOnly,
    /// `coherent`
    Coherent,
    /// `volatile`
    Volatile,
    /// `restrict`
    Restrict,
    /// `nonuniformEXT`
    NonUniform,
    /// `layout(noncoherent)` of an output that is read (framebuffer fetch).
    NonCoherent,
    /// An `inout` fragment output: read before written.
    FramebufferFetch,
    /// `layout(yuv)`
    Yuv,
    /// `#pragma planish flatten` before a function: to be flattened.
    Flatten,
    /// A leaf: a function that the target of flattening provides, so that its calls stay. Its results depend on its
    /// arguments only, and it has no effects.
    Leaf,
    /// A leaf that must be called for each pixel even with uniform arguments.
    LeafBarrier,
    /// A function that runs several iterations of a loop at once, on 128-bit values.
    Vectorized,
    /// A parameter of a function is at most the number of elements that a memory without pages has room for. Code may compare them when the function
    /// is called, and end there as for an access out of bounds, instead of at each access.
    Length(SliceLength),
    /// A built-in variable or block member.
    BuiltIn(BuiltIn),
    /// The storage class of a variable in the address space `spirv`, by its number in SPIR-V.
    StorageClass(u32),
    /// A decoration that only SPIR-V has: its number there, and its operand.
    Spirv(u32, Option<u32>),
}

/// A parameter that says how many elements are in a memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SliceLength {
    /// The number of the parameter.
    pub param: u32,
    /// The number of the memory.
    pub memory: u32,
    /// Bytes of an element.
    pub stride: u32,
}

/// A sorted set of decorations.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Decorations(SmallVec<[Decoration; 2]>);

impl Decorations {
    /// The buffer that a captured output is written to, and its place there in bytes.
    pub fn captured(&self) -> Option<(u32, u32)> {
        let buffer = self.find(|d| if let Decoration::XfbBuffer(n) = d { Some(n) } else { None });
        let offset = self.find(|d| if let Decoration::XfbOffset(n) = d { Some(n) } else { None })?;
        Some((buffer.unwrap_or(0), offset))
    }

    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a decoration; no effect if present.
    pub fn add(&mut self, decoration: Decoration) {
        if let Err(at) = self.0.binary_search(&decoration) {
            self.0.insert(at, decoration);
        }
    }

    /// Removes a decoration; no effect if absent.
    pub fn remove(&mut self, decoration: Decoration) {
        self.0.retain(|d| *d != decoration);
    }

    /// The set with another decoration.
    pub fn with(mut self, decoration: Decoration) -> Self {
        self.add(decoration);
        self
    }

    /// Whether the set contains a decoration.
    pub fn has(&self, decoration: Decoration) -> bool {
        self.0.binary_search(&decoration).is_ok()
    }

    /// The first result of `pick` on the decorations, in order.
    pub fn find<T>(&self, pick: impl FnMut(Decoration) -> Option<T>) -> Option<T> {
        self.0.iter().copied().find_map(pick)
    }

    /// All decorations, sorted.
    pub fn iter(&self) -> impl Iterator<Item = Decoration> {
        self.0.iter().copied()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `layout(location = …)`
    pub fn location(&self) -> Option<u32> {
        self.find(|d| if let Decoration::Location(n) = d { Some(n) } else { None })
    }

    /// `layout(binding = …)`
    pub fn binding(&self) -> Option<u32> {
        self.find(|d| if let Decoration::Binding(n) = d { Some(n) } else { None })
    }

    /// `layout(set = …)`
    pub fn set(&self) -> Option<u32> {
        self.find(|d| if let Decoration::Set(n) = d { Some(n) } else { None })
    }

    /// `layout(offset = …)`, in bytes.
    pub fn offset(&self) -> Option<u32> {
        self.find(|d| if let Decoration::Offset(n) = d { Some(n) } else { None })
    }

    /// Memory layout of a block.
    pub fn block_layout(&self) -> Option<BlockLayout> {
        self.find(|d| if let Decoration::BlockLayout(n) = d { Some(n) } else { None })
    }

    /// Interpolation.
    pub fn interpolation(&self) -> Option<Interpolation> {
        self.find(|d| if let Decoration::Interpolation(n) = d { Some(n) } else { None })
    }

    /// The built-in, if decorated with one.
    pub fn builtin(&self) -> Option<BuiltIn> {
        self.find(|d| if let Decoration::BuiltIn(n) = d { Some(n) } else { None })
    }
}

impl FromIterator<Decoration> for Decorations {
    fn from_iter<I: IntoIterator<Item = Decoration>>(iter: I) -> Self {
        let mut set = Decorations::new();
        for d in iter {
            set.add(d);
        }
        set
    }
}

macro_rules! builtins {
    ($($variant:ident $name:literal $doc:literal)*) => {
        /// A variable (or block member) that is an input or output of the pipeline.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum BuiltIn { $(#[doc = $doc] $variant),* }
        impl BuiltIn {
            /// Every built-in.
            pub const ALL: &'static [BuiltIn] = &[$(BuiltIn::$variant),*];
            /// Its GLSL name.
            pub const fn glsl_name(self) -> &'static str {
                match self { $(BuiltIn::$variant => $name),* }
            }
        }
    };
}

builtins! {
    Position "gl_Position" "Clip-space position."
    PointSize "gl_PointSize" "Diameter of a point, in pixels."
    ClipDistance "gl_ClipDistance" "Distances to user clip planes."
    CullDistance "gl_CullDistance" "Distances to user cull planes."
    PerVertexIn "gl_in" "Input block array of tessellation and geometry shaders."
    PerVertexOut "gl_out" "Output block array of tessellation control shaders."
    VertexId "gl_VertexID" "Index of the vertex (OpenGL)."
    InstanceId "gl_InstanceID" "Index of the instance (OpenGL: without the base)."
    VertexIndex "gl_VertexIndex" "Index of the vertex (Vulkan)."
    InstanceIndex "gl_InstanceIndex" "Index of the instance (Vulkan: with the base)."
    BaseVertex "gl_BaseVertex" "Base vertex of the draw."
    BaseInstance "gl_BaseInstance" "Base instance of the draw."
    DrawId "gl_DrawID" "Index of the draw in a multi-draw."
    ViewId "gl_ViewID_OVR" "Index of the view in multi-view rendering."
    FragCoord "gl_FragCoord" "Window coordinates of the fragment: x, y, depth, 1/w."
    FrontFacing "gl_FrontFacing" "Whether the primitive faces the viewer."
    PointCoord "gl_PointCoord" "Place in a point, 0 to 1."
    FragColor "gl_FragColor" "Colour (ES 1.00 and old desktop)."
    FragData "gl_FragData" "Colours by attachment (ES 1.00 and old desktop)."
    FragDepth "gl_FragDepth" "Depth."
    FragStencilRef "gl_FragStencilRefARB" "Reference value of the stencil test."
    SecondaryFragColor "gl_SecondaryFragColorEXT" "Second source colour."
    SecondaryFragData "gl_SecondaryFragDataEXT" "Second source colours by attachment."
    LastFragData "gl_LastFragData" "Colours in the frame buffer before this fragment."
    LastFragColor "gl_LastFragColorARM" "Colour in the frame buffer before this fragment."
    LastFragDepth "gl_LastFragDepthARM" "Depth in the frame buffer before this fragment."
    LastFragStencil "gl_LastFragStencilARM" "Stencil in the frame buffer before this fragment."
    SampleId "gl_SampleID" "Index of the sample."
    SamplePosition "gl_SamplePosition" "Place of the sample in the pixel, 0 to 1."
    SampleMaskIn "gl_SampleMaskIn" "Samples covered."
    SampleMask "gl_SampleMask" "Samples to write."
    NumSamples "gl_NumSamples" "Samples of the frame buffer."
    BaryCoord "gl_BaryCoordEXT" "Weights of the triangle's vertices at the fragment, perspective correct."
    BaryCoordNoPerspective "gl_BaryCoordNoPerspEXT" "Weights of the triangle's vertices at the fragment, linear in window space."
    FullyCovered "gl_FragFullyCoveredNV" "Whether the primitive covers all of the pixel."
    FragSize "gl_FragSizeEXT" "Size in pixels of the area that the fragment covers."
    FragInvocationCount "gl_FragInvocationCountEXT" "Most invocations of the fragment's area."
    ShadingRate "gl_ShadingRateEXT" "Size of the fragment in pixels, as bits."
    PrimitiveShadingRate "gl_PrimitiveShadingRateEXT" "Size of the primitive's fragments in pixels, as bits."
    DeviceIndex "gl_DeviceIndex" "Index of the device in a group of devices."
    HelperInvocation "gl_HelperInvocation" "Whether the fragment runs only for its neighbours' derivatives."
    Layer "gl_Layer" "Layer of a layered frame buffer."
    ViewportIndex "gl_ViewportIndex" "Index of the viewport."
    PrimitiveId "gl_PrimitiveID" "Index of the primitive."
    PrimitiveIdIn "gl_PrimitiveIDIn" "Index of the input primitive of a geometry shader."
    InvocationId "gl_InvocationID" "Index of the invocation of a tessellation control or geometry shader."
    BoundingBox "gl_BoundingBox" "Bounds of a patch."
    PatchVerticesIn "gl_PatchVerticesIn" "Vertices of the input patch."
    TessLevelOuter "gl_TessLevelOuter" "Outer tessellation levels."
    TessLevelInner "gl_TessLevelInner" "Inner tessellation levels."
    TessCoord "gl_TessCoord" "Place in the patch."
    NumWorkGroups "gl_NumWorkGroups" "Work groups of the dispatch."
    WorkGroupSize "gl_WorkGroupSize" "Invocations of a work group."
    WorkGroupId "gl_WorkGroupID" "Index of the work group."
    LocalInvocationId "gl_LocalInvocationID" "Index in the work group."
    GlobalInvocationId "gl_GlobalInvocationID" "Index in the dispatch."
    LocalInvocationIndex "gl_LocalInvocationIndex" "Index in the work group, flattened."
    NumSubgroups "gl_NumSubgroups" "Subgroups of the work group."
    SubgroupId "gl_SubgroupID" "Index of the subgroup in the work group."
    SubgroupSize "gl_SubgroupSize" "Invocations of a subgroup."
    SubgroupInvocationId "gl_SubgroupInvocationID" "Index in the subgroup."
    SubgroupEqMask "gl_SubgroupEqMask" "The invocation's own bit of a ballot."
    SubgroupGeMask "gl_SubgroupGeMask" "The bits of a ballot from the invocation's own on."
    SubgroupGtMask "gl_SubgroupGtMask" "The bits of a ballot above the invocation's own."
    SubgroupLeMask "gl_SubgroupLeMask" "The bits of a ballot up to the invocation's own."
    SubgroupLtMask "gl_SubgroupLtMask" "The bits of a ballot below the invocation's own."
    DepthRange "gl_DepthRange" "Near, far and difference of the depth range."
}

impl BuiltIn {
    /// Whether it tells of the subgroup that the invocation is in, so that its value depends on how a device forms them.
    pub const fn is_of_subgroup(self) -> bool {
        matches!(
            self,
            BuiltIn::NumSubgroups
                | BuiltIn::SubgroupId
                | BuiltIn::SubgroupSize
                | BuiltIn::SubgroupInvocationId
                | BuiltIn::SubgroupEqMask
                | BuiltIn::SubgroupGeMask
                | BuiltIn::SubgroupGtMask
                | BuiltIn::SubgroupLeMask
                | BuiltIn::SubgroupLtMask
        )
    }
}

/// Origin of a name: decides whether an output may change it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameSource {
    /// The shader's interface: kept wherever the target allows it.
    Interface,
    /// A built-in: never changed.
    BuiltIn,
    /// Made by a pass: changed only on collision.
    Internal,
    /// A local or private name of the source: readable, may be changed.
    Temporary,
}

/// The name of a variable, function or parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    /// The text; may be empty for temporaries.
    pub text: std::sync::Arc<str>,
    /// Origin.
    pub source: NameSource,
}

impl Name {
    /// A name with its origin.
    pub fn new(text: impl Into<std::sync::Arc<str>>, source: NameSource) -> Self {
        Name { text: text.into(), source }
    }

    /// A local name of the source.
    pub fn temporary(text: impl Into<std::sync::Arc<str>>) -> Self {
        Self::new(text, NameSource::Temporary)
    }
}
