//! Symbols of an object: functions and data that code refers to by number.

use cranelift_codegen::ir::{
    ExtFuncData, ExternalName, FuncRef, GlobalValueData, InstBuilder, Signature, UserExternalName, Value, types,
};
use cranelift_frontend::FunctionBuilder;
use planish_ir::arena::Id;
use planish_ir::entity::{Data, Elem, Func};
use rustc_hash::FxHashMap;

use crate::Operation;

/// Namespaces of names in code, as `cranelift-module` has them.
const FUNCTIONS: u32 = 0;
const DATA: u32 = 1;

/// Visibility of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// Defined here, for this object only.
    Local,
    /// Defined here, for all.
    Exported,
    /// Defined elsewhere.
    External,
}

/// A function of an object.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) scope: Scope,
    pub(crate) signature: Signature,
}

/// Data of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Datum {
    /// The target of references to a function: address of its code, number of its type.
    Callee(Func),
    /// The name of a function of the program, for messages.
    Name(Func),
    /// An operation that the runtime does.
    Operation(Operation),
    /// The bytes of a data segment.
    Segment(Data),
    /// The items of an element segment.
    Elements(Elem),
    /// The first words of a new instance.
    Image,
    /// A texture op, by its number.
    Texture(u32),
}

/// All functions and data, in order of their numbers. Functions of the module have their own.
#[derive(Debug)]
pub(crate) struct Symbols {
    pub(crate) functions: Vec<Symbol>,
    by_name: FxHashMap<String, u32>,
    pub(crate) data: Vec<Datum>,
    by_datum: FxHashMap<Datum, u32>,
}

impl Symbols {
    /// Begins with the functions of the module.
    pub(crate) fn new(of_module: Vec<Symbol>) -> Self {
        let by_name = of_module.iter().zip(0..).map(|(symbol, i)| (symbol.name.clone(), i)).collect();
        Symbols { functions: of_module, by_name, data: Vec::new(), by_datum: FxHashMap::default() }
    }

    /// The number of a function, declared at its first use.
    pub(crate) fn declare(&mut self, name: &str, scope: Scope, signature: &Signature) -> u32 {
        if let Some(&found) = self.by_name.get(name) {
            return found;
        }
        let number = self.functions.len() as u32;
        self.functions.push(Symbol { name: name.to_owned(), scope, signature: signature.clone() });
        self.by_name.insert(name.to_owned(), number);
        number
    }

    /// The number of data, if code refers to it.
    pub(crate) fn number_of(&self, datum: Datum) -> Option<u32> {
        self.by_datum.get(&datum).copied()
    }

    /// The number of data.
    pub(crate) fn datum(&mut self, datum: Datum) -> u32 {
        *self.by_datum.entry(datum).or_insert_with(|| {
            self.data.push(datum);
            self.data.len() as u32 - 1
        })
    }
}

/// A function of the object, for calls in the function being built.
pub(crate) fn function(b: &mut FunctionBuilder<'_>, number: u32, signature: Signature) -> FuncRef {
    let name = b.func.declare_imported_user_function(UserExternalName::new(FUNCTIONS, number));
    let signature = b.import_signature(signature);
    // (Functions from elsewhere are near, too: linkers insert jumps where they are not.)
    b.import_function(ExtFuncData { name: ExternalName::User(name), signature, colocated: true, patchable: false })
}

/// The address of data of the object.
pub(crate) fn address_of(b: &mut FunctionBuilder<'_>, number: u32, is_near: bool) -> Value {
    let name = b.func.declare_imported_user_function(UserExternalName::new(DATA, number));
    let name = ExternalName::User(name);
    let symbol = GlobalValueData::Symbol { name, offset: 0.into(), colocated: is_near, tls: false };
    let symbol = b.create_global_value(symbol);
    b.ins().symbol_value(types::I64, symbol)
}

/// The number of a function of the module.
pub(crate) fn number_of(func: Func) -> u32 {
    func.index() as u32
}
