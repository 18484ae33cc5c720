//! Parts of SPIR-V that the IR has no name for: they go through it as they are, from SPIR-V and GLSL to SPIR-V.
//!
//! The IR knows the stages, types and instructions that several languages have. Binaries and GLSL have more: ray tracing, meshes, sparse images,
//! extensions of one vendor. Passes treat what they do not know by what its place in the IR says:
//!
//! * a type, [`SpirvType`], is a value without parts and without a zero: `spirv<TypeRayQueryKHR 4472>`;
//! * an instruction, [`SpirvInstruction`], is a row among the ops of the user's own ([`crate::custom`]): pure, or ordered with everything
//!   that has an effect. Its literal operands are the row's, its ids are operands of the node;
//! * a variable of another storage class, or an input or output with a decoration that the IR lacks, is in the address space `spirv`,
//!   memory that others may see, and change wherever something has an effect;
//! * its storage class and decorations are [`Decoration::StorageClass`] and [`Decoration::Spirv`], with SPIR-V's numbers;
//! * execution modes are numbers too ([`SpirvMode`]); capabilities and extensions are those of the binary ([`SpirvNeeds`]).
//!
//! ```text
//! needs spirv 1.4 capability 4479 extension "SPV_KHR_ray_tracing"
//! op TraceRayKHR ordered cost 1 spirv 4445 [_, _, _, _, _, _, _, _, _, _, _]
//! var spirv @payload: vec4 storage_class(5338) spirv(30, 0)
//! entry ray_generation @main "main" mode(4461, 32)
//! ```
//!
//! Every target but SPIR-V refuses a module with such a part ([`check`]).

use std::sync::Arc;

use crate::custom::{self, CustomOpData};
use crate::decoration::{Decoration, Name, NameSource};
use crate::diagnostic::{Code, Diagnostic};
use crate::entity::{CustomOp, Type};
use crate::module::Module;
use crate::source::Span;
use crate::types::{AddressSpace, TypeKind};

/// A type of SPIR-V.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SpirvType {
    /// Name of the instruction that declares it, without `Op`; empty if it has none.
    pub name: Arc<str>,
    /// Number of that instruction.
    pub opcode: u16,
    /// Its operands after the result.
    pub operands: Vec<SpirvTypeOperand>,
}

/// An operand of the instruction that declares a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpirvTypeOperand {
    /// A type.
    Type(Type),
    /// A constant of 32 bits, by its id.
    Constant(u32),
    /// A word.
    Literal(u32),
}

/// An instruction of SPIR-V. The operands of a node are its ids, in their order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SpirvInstruction {
    /// Number of the instruction, or of one of a set.
    pub opcode: u32,
    /// The set of extended instructions that it is of.
    pub set: Option<Arc<str>>,
    /// Its operands after the result.
    pub operands: Vec<SpirvOperand>,
    /// Whether it ends its block. The function never goes on after it.
    pub ends: bool,
}

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpirvOperand {
    /// The next operand of the node: a value, a pointer, an image with its sampler, or a sampler.
    Value,
    /// The next operand of the node: an image, without its sampler if it has one.
    Image,
    /// A pointer to a texel of this type: the next three operands of the node are the address of the image, the coordinate and the sample.
    Texel(Type),
    /// A type.
    Type(Type),
    /// A word.
    Literal(u32),
}

impl SpirvInstruction {
    /// Operands that a node has.
    pub fn value_count(&self) -> usize {
        let count = |operand: &SpirvOperand| match operand {
            SpirvOperand::Value | SpirvOperand::Image => 1,
            SpirvOperand::Texel(_) => 3,
            SpirvOperand::Type(_) | SpirvOperand::Literal(_) => 0,
        };
        self.operands.iter().map(count).sum()
    }
}

/// An execution mode of SPIR-V.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SpirvMode {
    /// Its number.
    pub mode: u32,
    /// Its operands.
    pub operands: Vec<u32>,
}

/// Declarations of a binary, which its parts that the IR does not know may need.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpirvNeeds {
    /// Minor number of the version, 0 to 6.
    pub minor_version: u8,
    /// Numbers of the capabilities.
    pub capabilities: Vec<u32>,
    /// Names of the extensions.
    pub extensions: Vec<Arc<str>>,
    /// Whether the memory model is that of Vulkan.
    pub vulkan_memory_model: bool,
}

impl Module {
    /// The row of an instruction of SPIR-V: that of an equal one, or a new one.
    pub fn spirv_op(&mut self, name: &str, row: CustomOpData) -> CustomOp {
        let is_equal = |have: &CustomOpData| have.spirv == row.spirv && have.effect == row.effect;
        if let Some((op, _)) = self.custom_ops.iter().find(|(_, have)| is_equal(have)) {
            return op;
        }
        let mut own: Arc<str> = name.into();
        let mut number = self.custom_ops.len();
        while self.custom_op(&own).is_some() {
            own = format!("{name}_{number}").into();
            number += 1;
        }
        self.custom_ops.push(CustomOpData { name: own, ..row })
    }

    /// Whether code or declarations have a part that only SPIR-V knows.
    pub fn has_spirv_parts(&self) -> bool {
        let is_part = |kind: &TypeKind| matches!(kind, TypeKind::Spirv(_));
        let has_mode = self.entry_points.iter().any(|e| !e.properties.spirv_modes.is_empty());
        has_mode
            || self.globals.iter().any(|&var| self.vars[var].space == AddressSpace::Spirv)
            || self.vars.values().any(|data| self.types.contains(data.ty, &mut { is_part }))
            || self.entry_points.iter().any(|e| e.stage.is_some_and(|stage| stage.is_of_spirv()))
            || self.custom_ops.values().any(|row| row.spirv.is_some())
                && self
                    .funcs
                    .values()
                    .filter_map(|function| function.body.as_ref())
                    .any(|body| custom::nodes(body).into_iter().any(|node| custom::is_spirv(self, body, node)))
    }
}

/// Numbers of SPIR-V: the decoration of built-ins, and the storage classes of inputs and outputs.
const BUILT_IN: u32 = 11;
const INPUT: u32 = 1;
const OUTPUT: u32 = 3;

/// Words of GLSL for storage classes and types of SPIR-V, by number.
const GLSL_WORDS: [(u32, &str); 9] = [
    (4472, "rayQueryEXT"),
    (5328, "callableDataEXT"),
    (5329, "callableDataInEXT"),
    (5338, "rayPayloadEXT"),
    (5339, "hitAttributeEXT"),
    (5341, "accelerationStructureEXT"),
    (5342, "rayPayloadInEXT"),
    (5343, "shaderRecordEXT"),
    (5402, "taskPayloadSharedEXT"),
];

/// The word of GLSL for a number, in brackets after a name of SPIR-V; nothing if it has none.
fn glsl_word(number: u32) -> String {
    let word = GLSL_WORDS.iter().find(|row| row.0 == number);
    word.map_or(String::new(), |(_, word)| format!(" (`{word}` of GLSL)"))
}

/// The name of what a decoration of a variable stands for, in messages.
fn decoration_name(name: &Name, decoration: Decoration) -> Option<String> {
    match decoration {
        Decoration::Spirv(BUILT_IN, Some(_)) if name.source == NameSource::BuiltIn => Some(format!("`{}`", name.text)),
        Decoration::Spirv(BUILT_IN, Some(number)) => Some(format!("the built-in {number} of SPIR-V")),
        Decoration::StorageClass(number) if number != INPUT && number != OUTPUT => {
            Some(format!("memory of the storage class {number} of SPIR-V{}", glsl_word(number)))
        }
        _ => None,
    }
}

/// Number of the mode whose fragments count their rows from the bottom. (That of others says how a device computes.)
const ORIGIN_LOWER_LEFT: u32 = 8;

/// Whether a module has nothing that only SPIR-V knows: stages, types and variables. (Instructions: [`crate::custom::unlowered`]. Execution
/// modes say how a device computes, and are left out.)
///
/// # Errors
/// One for each such stage and variable, at its place.
pub fn check(module: &Module) -> Result<(), Vec<Diagnostic>> {
    let mut errors = vec![];
    let mut fail = |span: Span, what: String| {
        errors.push(
            Diagnostic::error(Code::E0602, span, format!("only SPIR-V has {what}"))
                .help("write SPIR-V (`--emit=spirv`), or compile the shader without the feature"),
        );
    };
    for entry in &module.entry_points {
        if let Some(stage) = entry.stage.filter(|stage| stage.is_of_spirv()) {
            let span = module.funcs.get(entry.func).map_or(Span::NONE, |function| function.span);
            fail(span, format!("the stage `{}`", stage.name()));
        }
        if entry.properties.spirv_modes.iter().any(|mode| mode.mode == ORIGIN_LOWER_LEFT) {
            fail(Span::NONE, "a frame buffer whose origin is at the bottom".into());
        }
    }
    for data in module.vars.values() {
        let mut found = None;
        module.types.contains(data.ty, &mut |kind| {
            if let TypeKind::Spirv(ty) = kind {
                found = Some(format!("the type `Op{}`{}", ty.name, glsl_word(ty.opcode.into())));
            }
            found.is_some()
        });
        if let Some(what) = found {
            fail(data.span, what);
        } else if data.space == AddressSpace::Spirv {
            let what = data.decorations.iter().find_map(|decoration| decoration_name(&data.name, decoration));
            fail(data.span, what.unwrap_or_else(|| format!("variables as `{}`", data.name.text)));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
