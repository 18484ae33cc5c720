//! Blocks that naga cannot place: it wants arrays and structs of uniform memory every 16 bytes, and counts 256 bytes of push constants.

use naga::{AddressSpace, Handle, Module, Type, TypeInner};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

/// Alignment of arrays and structs in uniform blocks, of the elements of arrays, and of a member after a struct, in bytes.
const STEP: u32 = 16;

/// Maximum size of push constants, in bytes.
const MOST_CONSTANTS: u32 = 256;

/// Refuses a module with a block that naga cannot place; `target`: the language that is written.
pub(crate) fn check(module: &Module, target: &str) -> Result<(), Box<Diagnostic>> {
    for (handle, variable) in module.global_variables.iter() {
        let message = match variable.space {
            AddressSpace::Uniform if !is_stepped(module, variable.ty) => {
                let steps = format!("arrays and structs go in steps of {STEP} bytes");
                format!("{target} cannot place a part of this uniform block, where {steps}")
            }
            AddressSpace::Immediate if size(module, variable.ty) > MOST_CONSTANTS => {
                let found = size(module, variable.ty);
                format!("{target} has {MOST_CONSTANTS} bytes of push constants, fewer than these {found}")
            }
            _ => continue,
        };
        let range = module.global_variables.get_span(handle).to_range();
        let span = range.map_or(Span::NONE, |r| Span::new(r.start as u32, r.end as u32));
        let error = Diagnostic::error(Code::E0606, span, message);
        return Err(Box::new(error.help("use the layout `std140`, or a storage block")));
    }
    Ok(())
}

fn size(module: &Module, ty: Handle<Type>) -> u32 {
    module.types[ty].inner.size(module.to_ctx())
}

/// Whether the parts of a type are where uniform memory has them.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn is_stepped(module: &Module, ty: Handle<Type>) -> bool {
    match &module.types[ty].inner {
        &TypeInner::Array { base, stride, .. } => stride.is_multiple_of(STEP) && is_stepped(module, base),
        TypeInner::Struct { members, .. } => {
            // The end of the struct before.
            let mut least = 0;
            members.iter().all(|member| {
                let inner = &module.types[member.ty].inner;
                let is_struct = matches!(inner, TypeInner::Struct { .. });
                let begins = is_struct || matches!(inner, TypeInner::Array { .. });
                let fits = member.offset >= least && (!begins || member.offset.is_multiple_of(STEP));
                let end = member.offset + size(module, member.ty).next_multiple_of(STEP);
                least = if is_struct { end } else { 0 };
                fits && is_stepped(module, member.ty)
            })
        }
        _ => true,
    }
}
