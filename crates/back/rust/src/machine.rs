//! Memories, tables, references, indirect calls, tokens.

use planish_back_text::tree::{Callee, Expr, ExprKind, Infix};
use planish_ir::entity::{Data, Elem, Memory, Node, Table, Type, Value};
use planish_ir::ops::{Op, Width};
use planish_ir::types::Scalar;

use crate::dialect::Lower;
use crate::ops::{canonical, cast};

/// Writes an indirect call with several results.
pub(crate) fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let is_indirect = matches!(l.body.node(node).op, Op::CallIndirect | Op::TailCallIndirect);
    if !is_indirect || l.body.results(node).len() < 2 {
        return false;
    }
    let call = indirect(l, node);
    // (All results of functions are tuples.)
    let func = l.func;
    l.take_all_results(node, func, call);
    true
}

/// The expression of a node; `None` if Rust has none.
pub(crate) fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = *l.body.node(node);
    let args = l.body.args(node);
    let (low, high) = data.imm.as_pair();
    match data.op {
        Op::MemoryLoad => return load(l, node),
        Op::MemoryStore => return store(l, node),
        Op::CallIndirect | Op::TailCallIndirect => return Some(indirect(l, node)),
        Op::RefFunc => {
            let func = args[0].as_func()?;
            l.w.references.insert(func);
            return Some(l.w.fixed(&format!("Some({})", func.as_u32())));
        }
        Op::NewToken => return Some(l.w.helper("self.new_token", &[])),
        _ => {}
    }
    let mut e: Vec<Expr> = args.iter().map(|&arg| index(l, arg)).collect();
    let is_same = low == high;
    Some(match data.op {
        Op::MemorySize => {
            let pages = on_memory(l, low, "pages", &e);
            cast(l, Scalar::I32, pages)
        }
        Op::MemoryGrow => on_memory(l, low, "grow", &e),
        Op::MemoryFill => checked_on_memory(l, low, "fill", &e),
        Op::MemoryCopy if is_same => checked_on_memory(l, low, "copy", &e),
        Op::MemoryCopy => {
            let text = format!("&self.{}.bytes", l.w.state.memory(Memory::from_u32(high)));
            e.insert(0, l.w.fixed(&text));
            checked_on_memory(l, low, "init", &e)
        }
        Op::MemoryInit => {
            let id = Data::from_u32(high);
            l.w.data.insert(id);
            let text = l.w.state.data(id);
            e.insert(0, l.w.fixed(&text));
            checked_on_memory(l, low, "init", &e)
        }
        Op::DataDrop => {
            let text = l.w.state.data(Data::from_u32(low));
            take(l, &text)
        }
        Op::ElemDrop => {
            let text = l.w.state.elems(l.w.module, Elem::from_u32(low));
            take(l, text.trim_start_matches('&'))
        }
        Op::TableGet => checked_on_table(l, low, "get", &e),
        Op::TableSet => checked_on_table(l, low, "set", &e),
        Op::TableSize => on_table(l, low, "size", &e),
        Op::TableGrow => on_table(l, low, "grow", &e),
        Op::TableFill => checked_on_table(l, low, "fill", &e),
        Op::TableCopy if is_same => checked_on_table(l, low, "copy", &e),
        Op::TableCopy => {
            let text = format!("&self.{}.items", l.w.state.table(Table::from_u32(high)));
            e.insert(0, l.w.fixed(&text));
            checked_on_table(l, low, "init", &e)
        }
        Op::TableInit => {
            let id = Elem::from_u32(high);
            l.w.elems.insert(id);
            let text = l.w.state.elems(l.w.module, id);
            e.insert(0, l.w.fixed(&text));
            checked_on_table(l, low, "init", &e)
        }
        Op::RefIsNull => {
            let truth = l.w.method("is_none", e[0], &[]);
            of_type(l, node, truth)
        }
        Op::TokenEqual => {
            let truth = l.w.tree.infix(Infix::Eq, e[0], e[1]);
            of_type(l, node, truth)
        }
        Op::TokenLess => {
            let truth = l.w.tree.ordered_compare(Infix::Lt, e[0], e[1]);
            of_type(l, node, truth)
        }
        _ => return None,
    })
}

/// A truth value as the number that the result may be.
fn of_type(l: &mut Lower<'_, '_>, node: Node, truth: Expr) -> Expr {
    let scalar = l.body.result(node).and_then(|result| l.w.scalar(l.body.local_type(result)));
    match scalar {
        Some(scalar) if scalar != Scalar::Bool => cast(l, scalar, truth),
        _ => truth,
    }
}

/// Empties a segment.
fn take(l: &mut Lower<'_, '_>, text: &str) -> Expr {
    let place = l.w.fixed(text);
    let reference = l.w.tree.address_of(place);
    l.w.tree.builtin("core::mem::take", &[reference])
}

/// The names of the methods of a memory and of a table.
fn need(l: &mut Lower<'_, '_>, name: &'static str) {
    l.w.methods.insert(name);
}

fn on_memory(l: &mut Lower<'_, '_>, memory: u32, method: &'static str, args: &[Expr]) -> Expr {
    need(l, full_name("Memory::", method));
    let receiver = format!("self.{}", l.w.state.memory(Memory::from_u32(memory)));
    let receiver = l.w.fixed(&receiver);
    l.w.method(method, receiver, args)
}

fn on_table(l: &mut Lower<'_, '_>, table: u32, method: &'static str, args: &[Expr]) -> Expr {
    need(l, full_name("Table::", method));
    let receiver = format!("self.{}", l.w.state.table(Table::from_u32(table)));
    let receiver = l.w.fixed(&receiver);
    l.w.method(method, receiver, args)
}

fn checked_on_memory(l: &mut Lower<'_, '_>, memory: u32, method: &'static str, args: &[Expr]) -> Expr {
    let call = on_memory(l, memory, method, args);
    l.w.tree.add(ExprKind::Postfix("?", call))
}

fn checked_on_table(l: &mut Lower<'_, '_>, table: u32, method: &'static str, args: &[Expr]) -> Expr {
    let call = on_table(l, table, method, args);
    l.w.tree.add(ExprKind::Postfix("?", call))
}

/// The name of a method with that of its type.
fn full_name(ty: &str, method: &str) -> &'static str {
    crate::memories::name_of(ty, method)
}

/// An operand of a method; integers as unsigned ones.
fn index(l: &mut Lower<'_, '_>, value: Value) -> Expr {
    let is_signed = l.type_of(value) == Type::I32;
    let e = argument(l, value);
    if !is_signed {
        return e;
    }
    if let Some(bits) = value.as_const().and_then(|c| l.w.module.consts.as_bits(c)) {
        return l.w.tree.add(ExprKind::Uint(bits as u32));
    }
    cast(l, Scalar::U32, e)
}

/// An argument of a method of the state or a part of it, which may not borrow that itself.
pub(crate) fn argument(l: &mut Lower<'_, '_>, value: Value) -> Expr {
    match l.pending(value) {
        Some(e) if l.w.state.has_methods() && l.w.changes_state(e) => l.stable_operand(value),
        _ => l.operand(value),
    }
}

/// Address and offset of an access.
fn address(l: &mut Lower<'_, '_>, value: Value, offset: u32) -> [Expr; 2] {
    let at = index(l, value);
    [at, l.w.tree.add(ExprKind::Uint(offset))]
}

fn load(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let arg = l.body.node(node).imm.as_mem_arg();
    let result = l.w.scalar(l.body.local_type(l.body.result(node)?))?;
    let all = address(l, l.body.args(node)[0], arg.offset);
    let (name, loaded) = match (result, arg.width, arg.signed) {
        (Scalar::F32, Width::B32, _) => ("load_f32", Some(Scalar::F32)),
        (Scalar::F64, Width::B64, _) => ("load_f64", Some(Scalar::F64)),
        (Scalar::F32 | Scalar::F64, ..) | (_, Width::B128, _) => return None,
        (_, Width::B8, true) => ("load_i8", None),
        (_, Width::B8, false) => ("load_u8", None),
        (_, Width::B16, true) => ("load_i16", None),
        (_, Width::B16, false) => ("load_u16", None),
        (Scalar::I32, Width::B32, _) | (_, Width::B32, true) => ("load_i32", Some(Scalar::I32)),
        (_, Width::B32, false) => ("load_u32", Some(Scalar::U32)),
        (Scalar::U64, Width::B64, _) => ("load_u64", Some(Scalar::U64)),
        (_, Width::B64, _) => ("load_i64", Some(Scalar::I64)),
    };
    let value = checked_on_memory(l, arg.memory.as_u32(), name, &all);
    if result == Scalar::Bool {
        let zero = l.w.tree.add(ExprKind::Uint(0));
        return Some(l.w.tree.infix(Infix::Ne, value, zero));
    }
    Some(if loaded == Some(result) { value } else { cast(l, result, value) })
}

fn store(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let arg = l.body.node(node).imm.as_mem_arg();
    let args = l.body.args(node);
    let [at, offset] = address(l, args[0], arg.offset);
    let scalar = l.w.scalar(l.type_of(args[1]))?;
    let mut value = argument(l, args[1]);
    let (name, word) = match (scalar, arg.width) {
        (Scalar::F32, Width::B32) => ("store_f32", Scalar::F32),
        (Scalar::F64, Width::B64) => ("store_f64", Scalar::F64),
        (Scalar::F32 | Scalar::F64, _) | (_, Width::B128) => return None,
        (_, Width::B8) => ("store_u8", Scalar::U32),
        (_, Width::B16) => ("store_u16", Scalar::U32),
        (Scalar::I32, Width::B32) => ("store_i32", Scalar::I32),
        (_, Width::B32) => ("store_u32", Scalar::U32),
        (Scalar::I64, Width::B64) => ("store_i64", Scalar::I64),
        (_, Width::B64) => ("store_u64", Scalar::U64),
    };
    if scalar.is_float() {
        value = canonical(l, args[1], value);
    } else if scalar != word {
        value = match args[1].as_const().and_then(|c| l.w.module.consts.as_bits(c)) {
            Some(bits) if word == Scalar::U32 => l.w.tree.add(ExprKind::Uint(bits as u32)),
            _ => cast(l, word, value),
        };
    }
    Some(checked_on_memory(l, arg.memory.as_u32(), name, &[at, offset, value]))
}

/// The call of an element of a table, whose index is operand 0.
fn indirect(l: &mut Lower<'_, '_>, node: Node) -> Expr {
    let (table, ty) = l.body.node(node).imm.as_table_type();
    if !l.w.indirect.contains(&(table, ty)) {
        l.w.indirect.push((table, ty));
    }
    need(l, "Table::callee");
    let args = l.body.args(node);
    let mut all = vec![index(l, args[0])];
    all.extend(args[1..].iter().map(|&arg| argument(l, arg)));
    let name = format!("self.{}", indirect_name(table, ty));
    let e = l.w.fixed(&name);
    let callee = match l.w.tree.kind(e) {
        ExprKind::Name(symbol) => Callee::User(symbol),
        _ => unreachable!("a text is a name"),
    };
    let call = l.w.tree.call(callee, &all);
    l.w.tree.add(ExprKind::Postfix("?", call))
}

/// The name of the function that calls elements of a table that have a type.
pub(crate) fn indirect_name(table: Table, ty: Type) -> String {
    format!("call_{}_{}", table.as_u32(), ty.as_u32())
}
