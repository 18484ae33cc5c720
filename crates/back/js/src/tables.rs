//! Tables of functions, for indirect calls in modules: an array of functions, and one of the numbers of their types.

use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::{Func, Node, Type};
use planish_ir::module::{ElemItem, Module, Offset};
use planish_ir::source::Span;

use crate::Dialect;
use crate::function::Emitter;
use crate::names::Names;
use crate::text::{Kind, Text};

/// The names of the tables of a module, by number, and of the types of their elements.
pub(crate) struct Tables {
    names: Vec<(String, String)>,
}

impl Tables {
    /// Names them; tables that cannot be held are errors. Calls through tables in asm.js are refused at the call.
    pub(crate) fn new(module: &Module, dialect: Dialect, names: &mut Names<'_>, errors: &mut Vec<Diagnostic>) -> Self {
        if dialect == Dialect::Asm {
            return Tables { names: Vec::new() };
        }
        let mut refuse = |text: &str| errors.push(Diagnostic::error(ErrorCode::E0604, Span::NONE, text));
        if module.tables.values().any(|t| t.import.is_some() || !t.exports.is_empty()) {
            refuse("JavaScript cannot share a table of functions with its host");
        }
        let is_plain = |items: &[ElemItem]| items.iter().all(|item| !matches!(item, ElemItem::Var(_)));
        for elem in module.elems.values() {
            let Some((table, offset)) = elem.active else { continue };
            let Offset::Const(start) = offset else {
                refuse("functions must have a constant place in a table in JavaScript");
                continue;
            };
            let room = u64::from(module.tables[table].min);
            if !is_plain(&elem.items) || u64::from(start) + elem.items.len() as u64 > room {
                refuse("a table must begin with constant functions, and be large enough for them, in JavaScript");
            }
        }
        let list = module.tables.values().map(|_| (names.fresh("table", "table"), names.fresh("table_types", "types")));
        Tables { names: list.collect() }
    }

    /// The declarations of a module; `name` is that of a function.
    pub(crate) fn declared(&self, module: &Module, name: &dyn Fn(Func) -> String) -> String {
        let mut out = String::new();
        for ((table, types), data) in self.names.iter().zip(module.tables.values()) {
            out.push_str(&format!("const {table} = new Array({}).fill(null);\n", data.min));
            out.push_str(&format!("const {types} = new Int32Array({}).fill(-1);\n", data.min));
        }
        for elem in module.elems.values() {
            let Some((table, Offset::Const(start))) = elem.active else { continue };
            let Some((table, types)) = self.names.get(table.as_u32() as usize) else { continue };
            let item = |item: &ElemItem| match item.as_func() {
                Some(func) => (name(func), number(module.funcs[func].ty) as i64),
                None => ("null".to_owned(), -1),
            };
            let items: Vec<(String, i64)> = elem.items.iter().map(item).collect();
            let functions: Vec<&str> = items.iter().map(|i| i.0.as_str()).collect();
            let numbers: Vec<String> = items.iter().map(|i| i.1.to_string()).collect();
            out.push_str(&format!("{table}.splice({start}, {}, {});\n", items.len(), functions.join(", ")));
            out.push_str(&format!("{types}.set([{}], {start});\n", numbers.join(", ")));
        }
        out
    }
}

/// Types are interned, so equal ones have one number.
fn number(ty: Type) -> u32 {
    ty.as_u32()
}

impl Emitter<'_> {
    /// The function that an indirect call means, whose number is `index`; `None` where there are no tables.
    pub(crate) fn through_table(&mut self, node: Node, index: Text) -> Option<Text> {
        let (table, ty) = self.body.node(node).imm.as_table_type();
        let (table, types) = self.context.tables.names.get(table.as_u32() as usize)?.clone();
        let [table, types] = [table, types].map(|name| Text::primary(name, Kind::Int));
        let ty = Text::primary(number(ty).to_string(), Kind::Fixnum);
        Some(self.op_writer().helper("callee", &[table, types, index.unsigned(), ty], Kind::Int))
    }
}
