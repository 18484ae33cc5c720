//! Types as WebAssembly has them, and the section of function types.

use planish_ir::entity::Type;
use planish_ir::host;
use planish_ir::types::{TypeKind, Types};
use rustc_hash::FxHashMap;
use wasm_encoder::{BlockType, RefType, TypeSection, ValType};

/// The type of a value; `None` for types that WebAssembly lacks. Signs are those of the instructions, and truth values
/// are `i32`.
pub(crate) fn val_type(types: &Types, ty: Type) -> Option<ValType> {
    Some(match host::ValType::of(types, ty)? {
        host::ValType::I32 => ValType::I32,
        host::ValType::I64 => ValType::I64,
        host::ValType::F32 => ValType::F32,
        host::ValType::F64 => ValType::F64,
        host::ValType::V128 => ValType::V128,
        host::ValType::FuncRef => ValType::FUNCREF,
        host::ValType::ExternRef => ValType::EXTERNREF,
    })
}

/// The type of a reference that a table holds.
pub(crate) fn ref_type(types: &Types, ty: Type) -> RefType {
    if types[ty] == TypeKind::ExternRef { RefType::EXTERNREF } else { RefType::FUNCREF }
}

/// Parameters and results.
type Signature = (Box<[ValType]>, Box<[ValType]>);

/// The function types of a module, each once.
#[derive(Default)]
pub(crate) struct Signatures {
    pub(crate) section: TypeSection,
    ids: FxHashMap<Signature, u32>,
}

impl Signatures {
    /// The number of a function type.
    pub(crate) fn id(&mut self, params: &[ValType], results: &[ValType]) -> u32 {
        let next = self.ids.len() as u32;
        *self.ids.entry((params.into(), results.into())).or_insert_with(|| {
            self.section.ty().function(params.iter().copied(), results.iter().copied());
            next
        })
    }

    /// The number of a function type of the IR; `None` if it has types that WebAssembly lacks.
    pub(crate) fn of(&mut self, types: &Types, ty: Type) -> Option<u32> {
        let TypeKind::Function { params, results } = &types[ty] else { return None };
        let all = |list: &[Type]| list.iter().map(|&t| val_type(types, t)).collect::<Option<Vec<_>>>();
        Some(self.id(&all(params)?, &all(results)?))
    }

    /// Type of a block of WebAssembly that leaves `results` on the stack.
    pub(crate) fn block(&mut self, results: &[ValType]) -> BlockType {
        match *results {
            [] => BlockType::Empty,
            [one] => BlockType::Result(one),
            _ => BlockType::FunctionType(self.id(&[], results)),
        }
    }
}
