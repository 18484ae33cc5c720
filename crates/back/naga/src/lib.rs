//! From the IR to [`naga::Module`], and from there to WGSL and SPIR-V.
//!
//! [`lower`] takes a module in the placed form. What the target cannot hold is an error that names the construct and its
//! place in the source; the module that comes out has passed naga's validator.
//!
//! # How GLSL's world becomes the target's
//!
//! - **Combined samplers** are split: `uniform sampler2D map` becomes the texture `map` and the sampler `map_sampler`.
//!   Arrays of samplers and structs that hold samplers become one texture and one sampler an element; a dynamic index
//!   takes all elements and selects.
//! - **Loose uniforms** become members, in declaration order, of one uniform block of type `PlanishUniforms` (variable
//!   `planish_uniforms`), laid out as `std140`. Those that no entry point reaches are left out.
//! - **Memory that the target has no type for** (booleans, arrays of scalars under `std140`, `mat2` under `std140`,
//!   row-major matrices) gets a type of the same layout, and the accesses are rewritten.
//! - **Bindings** without a `binding` are numbered in declaration order, the uniform block first, in group
//!   [`Numbering::group`], around those that are given.
//! - **Stage inputs and outputs** become private variables; the entry point copies its arguments in, calls `main`, and
//!   returns its results. Varyings without a `location` are numbered in declaration order; [`Numbering::locations`]
//!   overrides that by name, so that the stages of one program can be made to fit.
//!
//! # Example
//! ```
//! use planish_back_naga::{Options, Target, lower};
//! use planish_ir::builder::{Builder, Policy};
//! use planish_ir::decoration::{BuiltIn, Decoration, Name, NameSource};
//! use planish_ir::entity::Type;
//! use planish_ir::module::{EntryPoint, Language, Module, Stage, StageProperties};
//! use planish_ir::ops::Op;
//! use planish_ir::source::Span;
//! use planish_ir::types::AddressSpace;
//!
//! let mut module = Module::new(Language::Glsl { version: 300, es: true });
//! let colour = module.add_var(Name::new("colour", NameSource::Interface), Type::VEC4, AddressSpace::Output);
//! let tint = module.add_var(Name::new("tint", NameSource::Interface), Type::VEC4, AddressSpace::Uniform);
//! let main = module.add_func(Name::new("main", NameSource::Interface), vec![], vec![], Span::NONE);
//! let mut b = Builder::new(&mut module, main, Policy::PLAIN);
//! let value = b.load(tint.into());
//! b.store(colour.into(), value);
//! b.ret(&[]);
//! b.finish();
//! module.entry_points.push(EntryPoint {
//!     names: vec!["main".into()],
//!     func: main,
//!     stage: Some(Stage::Fragment),
//!     properties: StageProperties::default(),
//! });
//! let lowered = lower(&module, &Options::new(Target::Wgsl)).unwrap();
//! let text = planish_back_naga::write_wgsl(&lowered).unwrap();
//! assert!(text.contains("@fragment"), "{text}");
//! ```

mod arithmetic;
mod blocks;
mod choices;
mod control;
mod entry;
mod expressions;
mod function;
mod globals;
mod legal;
mod matrices;
mod memory;
mod module;
mod overrides;
mod parts;
mod routes;
mod stack;
mod textures;
mod types;
mod write;

use planish_ir::custom;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::Module;

pub use legal::info;
pub use planish_interface::{Numbering, Plan, Resource, ResourceKind, UniformBlock, UniformMember, Varying, reflect};
#[cfg(feature = "spirv")]
pub use write::write_spirv;
#[cfg(feature = "wgsl")]
pub use write::write_wgsl;

/// API or language that the naga module is written in. Lowering depends on it, because the targets hold different
/// constructs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// WebGPU Shading Language.
    Wgsl,
    /// SPIR-V for Vulkan.
    Spirv,
}

impl Target {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Wgsl => "WGSL",
            Target::Spirv => "SPIR-V",
        }
    }
}

/// Options of [`lower`].
#[derive(Clone, Debug)]
pub struct Options {
    /// The target.
    pub target: Target,
    /// Negate the y of `gl_Position` at the end of vertex shaders.
    pub flip_y: bool,
    /// Map the depth of `gl_Position` from OpenGL's -w to w to 0 to w at the end of vertex shaders.
    pub adjust_depth: bool,
    /// Replaces `gl_PointCoord`, if the target has none (WGSL), by the middle of the point, which is right for
    /// the one-pixel points that it draws. If false, it is an error there.
    pub point_coord_is_centre: bool,
    /// Numbering of resources, varyings and attributes without a number.
    pub numbering: Numbering,
}

impl Options {
    /// The defaults for a target.
    pub fn new(target: Target) -> Self {
        Options {
            target,
            flip_y: false,
            adjust_depth: false,
            point_coord_is_centre: false,
            numbering: Numbering::default(),
        }
    }
}

/// A lowered and validated module.
#[derive(Debug)]
pub struct Lowered {
    /// The target.
    pub target: Target,
    /// The module.
    pub module: naga::Module,
    /// Results of naga's validator.
    pub info: naga::valid::ModuleInfo,
    /// Placement of everything that the host sees.
    pub plan: Plan,
    /// Constructs that were dropped or approximated.
    pub warnings: Vec<Diagnostic>,
    /// An entry point's place, for errors of a writer without one.
    span: planish_ir::source::Span,
    /// Whether its constructs nest so deep that writing it needs a stack of its own.
    deep: bool,
}

impl Lowered {
    /// Validates the module again, after a change by the caller.
    ///
    /// # Errors
    /// If it is not valid any more (E0699).
    pub fn validate_again(&mut self) -> Result<(), Vec<Diagnostic>> {
        let capabilities = module::capabilities(self.target);
        let mut validator = naga::valid::Validator::new(module::validation_flags(), capabilities);
        let mut validate = || validator.validate(&self.module).map_err(Box::new);
        let result = if self.deep { stack::with_stack(validate) } else { validate() };
        match result {
            Ok(info) => {
                self.info = info;
                Ok(())
            }
            Err(error) => {
                let text = format!("the changed {} module is invalid", self.target.name());
                let note = format!("{:?}", error.as_inner());
                Err(vec![Diagnostic::error(Code::E0699, self.span, text).note(note)])
            }
        }
    }
}

/// Lowers all entry points of a module, which is legal for the [`info`] of the target, and all that they reach.
///
/// # Errors
/// Constructs that the target cannot hold, or that are not legal (`E06xx`), each with its place.
pub fn lower(module: &Module, options: &Options) -> Result<Lowered, Vec<Diagnostic>> {
    custom::check(module)?;
    let module = &*planish_target::jumps::shorten(module, &control::FRAMES);
    if stack::is_deep(module) {
        return stack::with_stack(|| module::lower(module, options, true));
    }
    module::lower(module, options, false)
}
