//! The part of a module that the translation of a function reads. Constant once the sections are read, so that workers
//! share it.

use std::ops::Range;

use planish_ir::entity::{Type, Var};
use planish_ir::types::{Scalar, TypeKind, Types};
use rustc_hash::FxHashMap;
use wasmparser::{BlockType, RefType, ValType, WasmFeatures};

use crate::places::Places;

/// A type of functions.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) params: Box<[Type]>,
    pub(crate) results: Box<[Type]>,
    /// The IR's own.
    pub(crate) ty: Type,
}

/// The types of values, interned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueTypes {
    pub(crate) i64: [Type; 1],
    pub(crate) u64: Type,
    pub(crate) f64: [Type; 1],
    pub(crate) v128: [Type; 1],
    pub(crate) func_ref: [Type; 1],
    pub(crate) extern_ref: [Type; 1],
}

impl ValueTypes {
    pub(crate) fn new(types: &mut Types) -> Self {
        ValueTypes {
            i64: [types.scalar(Scalar::I64)],
            u64: types.scalar(Scalar::U64),
            f64: [types.scalar(Scalar::F64)],
            v128: [types.intern(TypeKind::V128)],
            func_ref: [types.intern(TypeKind::FuncRef)],
            extern_ref: [types.intern(TypeKind::ExternRef)],
        }
    }

    /// A value type as a list of one; the validator rejects other types.
    pub(crate) fn one(&self, ty: ValType) -> &[Type; 1] {
        match ty {
            ValType::I32 => &[Type::I32],
            ValType::I64 => &self.i64,
            ValType::F32 => &[Type::F32],
            ValType::F64 => &self.f64,
            ValType::V128 => &self.v128,
            ValType::Ref(ty) => self.reference(ty),
        }
    }

    pub(crate) fn of(&self, ty: ValType) -> Type {
        self.one(ty)[0]
    }

    /// A type of references.
    pub(crate) fn reference(&self, ty: RefType) -> &[Type; 1] {
        if ty == RefType::EXTERNREF { &self.extern_ref } else { &self.func_ref }
    }
}

/// The module around a function.
#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) values: ValueTypes,
    /// By number of the type.
    pub(crate) signatures: Vec<Signature>,
    /// By function, imported ones first: the number of its type.
    pub(crate) func_types: Vec<u32>,
    /// By global: its variable.
    pub(crate) globals: Vec<Var>,
    /// By table: the type of its elements.
    pub(crate) tables: Vec<Type>,
    /// Number of imported functions.
    pub(crate) imported_funcs: usize,
    /// By function with a body: its range in the file.
    pub(crate) bodies: Vec<Range<usize>>,
    /// By function: its named local variables by number, as variables that only carry the names.
    pub(crate) local_names: FxHashMap<u32, Vec<(u32, Var)>>,
    pub(crate) places: Places,
    pub(crate) features: WasmFeatures,
}

impl Environment {
    pub(crate) fn signature_of(&self, func: u32) -> &Signature {
        &self.signatures[self.func_types[func as usize] as usize]
    }

    /// Parameter and result types of a block.
    pub(crate) fn block_type(&self, ty: BlockType) -> (&[Type], &[Type]) {
        match ty {
            BlockType::Empty => (&[], &[]),
            BlockType::Type(ty) => (&[], self.values.one(ty)),
            BlockType::FuncType(index) => {
                let signature = &self.signatures[index as usize];
                (&signature.params, &signature.results)
            }
        }
    }
}
