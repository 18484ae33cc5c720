//! Memory that the host shares and WGSL restricts: uniform blocks and push constants.

use planish_back_shading::memory::{Memory, Res};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Scalar, TypeKind, Types};

/// Alignment of arrays and structs in uniform blocks, of the elements of arrays, and of a member after a struct, in bytes.
const STEP: u32 = 16;

/// Maximum size of push constants, in bytes.
const MOST_CONSTANTS: u32 = 256;

/// Refuses a block that WGSL cannot place in an address space.
pub(crate) fn check(memory: &mut Memory, types: &Types, ty: Type, space: AddressSpace, span: Span) -> Res<()> {
    match space {
        AddressSpace::Uniform => uniform(memory, types, ty, span),
        AddressSpace::PushConstant => constants(memory, types, ty, span),
        _ => Ok(()),
    }
}

fn constants(memory: &mut Memory, types: &Types, ty: Type, span: Span) -> Res<()> {
    let mut is_half = |kind: &TypeKind| {
        let (TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. }) = kind else {
            return false;
        };
        *s == Scalar::F16
    };
    let size = memory.size_align(types, ty).0;
    let (code, message) = match types.contains(ty, &mut is_half) {
        true => (Code::E0602, "WGSL has no 16-bit floats in push constants".to_owned()),
        false if size > MOST_CONSTANTS => {
            (Code::E0606, format!("WGSL has {MOST_CONSTANTS} bytes of push constants, fewer than these {size}"))
        }
        false => return Ok(()),
    };
    Err(Box::new(Diagnostic::error(code, span, message).help("declare a uniform block")))
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn uniform(memory: &mut Memory, types: &Types, ty: Type, span: Span) -> Res<()> {
    let refused = |part: String| {
        let steps = format!("arrays and structs go in steps of {STEP} bytes");
        let message = format!("WGSL cannot place {part} of a uniform block, where {steps}");
        Err(Box::new(Diagnostic::error(Code::E0606, span, message).help("use the layout `std140`, or a storage block")))
    };
    match &types[ty] {
        TypeKind::Array { element, .. } => {
            let (size, align) = memory.size_align(types, *element);
            let stride = size.next_multiple_of(align);
            if !stride.is_multiple_of(STEP) {
                return refused(format!("an array with an element every {stride} bytes"));
            }
            uniform(memory, types, *element, span)
        }
        TypeKind::Struct(s) => {
            // The end of the struct before.
            let mut least = 0;
            for (i, member) in s.members.iter().enumerate() {
                let at = memory.offset_of(types, ty, i as u32);
                let is_stepped = matches!(types[member.ty], TypeKind::Array { .. } | TypeKind::Struct(_));
                if at < least || is_stepped && !at.is_multiple_of(STEP) {
                    return refused(format!("the member `{}`", member.name));
                }
                uniform(memory, types, member.ty, span)?;
                least = match types[member.ty] {
                    TypeKind::Struct(_) => at + memory.size_align(types, member.ty).0.next_multiple_of(STEP),
                    _ => 0,
                };
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
