//! Memories, tables, references, indirect calls, tokens.

use planish_back_text::tree::{Callee, Expr, ExprKind, Infix};
use planish_ir::entity::{Data, Elem, Memory, Node, Table, Type, Value};
use planish_ir::ops::{MemArg, Op, Width};
use planish_ir::types::{Scalar, TypeKind};

use crate::dialect::Lower;
use crate::ops::{canonical, cast};
use crate::vectors::is_vector;

/// Writes a node with several results: an indirect call, or the parts of a float.
pub(crate) fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let data = *l.body.node(node);
    if l.body.results(node).len() < 2 {
        return false;
    }
    if matches!(data.op, Op::CallIndirect | Op::TailCallIndirect) {
        let (_, ty) = data.imm.as_table_type();
        // Without a function of the type the call always traps.
        let same = l.w.module.funcs.iter().find(|(_, f)| f.ty == ty).map(|(func, _)| func);
        let Some(func) = same else { return false };
        let call = indirect(l, node);
        l.take_all_results(node, func, call);
        return true;
    }
    if data.op == Op::Frexp {
        return frexp(l, node);
    }
    false
}

fn frexp(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let value = l.body.args(node)[0];
    let Some(scalar) = l.w.scalar(l.type_of(value)) else { return false };
    let mut results = l.body.results(node);
    let (Some(fraction), Some(exponent)) = (results.next(), results.next()) else { return false };
    let x = l.stable_operand(value);
    let name = l.set_result(exponent, None);
    let address = l.w.tree.address_of(name);
    let call = l.w.helper(if scalar == Scalar::F32 { "split_f32" } else { "split_f64" }, &[x, address]);
    l.set_result(fraction, Some(call));
    true
}

/// The expression of a node; `None` if C has none.
pub(crate) fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = *l.body.node(node);
    let args = l.body.args(node);
    let (low, high) = data.imm.as_pair();
    let (func, span) = (l.func, l.span);
    match data.op {
        Op::MemoryLoad => return load(l, node),
        Op::MemoryStore => return store(l, node),
        Op::CallIndirect | Op::TailCallIndirect => return Some(indirect(l, node)),
        Op::RefFunc => {
            let reference = l.w.reference(args[0].as_func()?);
            return Some(l.w.fixed(&format!("&{reference}")));
        }
        Op::NewToken => return Some(l.w.fixed("++self->token")),
        _ => {}
    }
    let e: Vec<Expr> = args.iter().map(|&arg| index(l, arg)).collect();
    let place = |l: &mut Lower<'_, '_>, first: &[Expr]| {
        let mut all = first.to_vec();
        all.extend(&e);
        all.extend(l.w.place(func, span));
        all
    };
    let memory = |l: &mut Lower<'_, '_>, i: u32| {
        let text = l.w.state.memory(l.w.module, Memory::from_u32(i));
        l.w.fixed(&text)
    };
    let table = |l: &mut Lower<'_, '_>, i: u32| {
        let text = l.w.state.table(Table::from_u32(i));
        l.w.fixed(&text)
    };
    Some(match data.op {
        Op::MemorySize => {
            let memory = memory(l, low);
            l.w.helper("memory_pages", &[memory])
        }
        Op::MemoryGrow => {
            let memory = memory(l, low);
            l.w.helper("memory_grow", &[memory, e[0]])
        }
        Op::MemoryFill => {
            let memory = memory(l, low);
            let all = place(l, &[memory]);
            l.w.helper("memory_fill", &all)
        }
        Op::MemoryCopy => {
            let both = [memory(l, low), memory(l, high)];
            let all = place(l, &both);
            l.w.helper("memory_copy", &all)
        }
        Op::MemoryInit => {
            let id = Data::from_u32(high);
            l.w.data.insert(id);
            let length = l.w.state.data_length(l.w.module, id);
            let first = [memory(l, low), l.w.fixed(&format!("data_{high}")), l.w.fixed(&length)];
            let all = place(l, &first);
            l.w.helper("memory_init", &all)
        }
        Op::DataDrop => {
            let length = l.w.state.data_length(l.w.module, Data::from_u32(low));
            l.w.fixed(&format!("{length} = 0u"))
        }
        Op::ElemDrop => {
            let length = l.w.state.elem_length(l.w.module, Elem::from_u32(low));
            l.w.fixed(&format!("{length} = 0u"))
        }
        Op::TableGet => {
            let first = [table(l, low)];
            let all = place(l, &first);
            let item = l.w.helper("table_get", &all);
            let ty = l.body.local_type(l.body.result(node)?);
            let is_extern = matches!(l.w.module.types[ty], TypeKind::ExternRef);
            if is_extern { l.w.tree.add(ExprKind::Cast(ty, item)) } else { item }
        }
        Op::TableSet => {
            let first = [table(l, low)];
            let all = place(l, &first);
            l.w.helper("table_set", &all)
        }
        Op::TableSize => {
            let name = l.w.state.table(Table::from_u32(low));
            let length = l.w.fixed(&format!("{}.length", name.trim_start_matches('&')));
            cast(l, Scalar::I32, length)
        }
        Op::TableGrow => {
            let table = table(l, low);
            l.w.helper("table_grow", &[table, e[0], e[1]])
        }
        Op::TableFill => {
            let first = [table(l, low)];
            let all = place(l, &first);
            l.w.helper("table_fill", &all)
        }
        Op::TableCopy => {
            let both = [table(l, low), table(l, high)];
            let all = place(l, &both);
            l.w.helper("table_copy", &all)
        }
        Op::TableInit => {
            let id = Elem::from_u32(high);
            l.w.elems.insert(id);
            let length = l.w.state.elem_length(l.w.module, id);
            let first = [table(l, low), l.w.fixed(&format!("elements_{high}")), l.w.fixed(&length)];
            let all = place(l, &first);
            l.w.helper("table_init", &all)
        }
        Op::RefIsNull => {
            let null = l.w.fixed("NULL");
            l.w.tree.infix(Infix::Eq, e[0], null)
        }
        Op::TokenEqual => l.w.tree.infix(Infix::Eq, e[0], e[1]),
        Op::TokenLess => l.w.tree.ordered_compare(Infix::Lt, e[0], e[1]),
        _ => return None,
    })
}

/// An operand; integers as unsigned ones.
fn index(l: &mut Lower<'_, '_>, value: Value) -> Expr {
    let is_signed = l.type_of(value) == Type::I32;
    let e = l.operand(value);
    if is_signed { cast(l, Scalar::U32, e) } else { e }
}

/// The address of an access, as a number of 64 bits.
fn address(l: &mut Lower<'_, '_>, value: Value, arg: MemArg) -> Expr {
    let e = index(l, value);
    if arg.offset == 0 {
        return e;
    }
    if let ExprKind::Uint(at) = l.w.tree.kind(e) {
        let sum = u64::from(at) + u64::from(arg.offset);
        return match u32::try_from(sum) {
            Ok(sum) => l.w.tree.add(ExprKind::Uint(sum)),
            Err(_) => l.w.fixed(&format!("UINT64_C({sum})")),
        };
    }
    let ty = l.w.scalar_type(Scalar::U64);
    let wide = l.w.tree.add(ExprKind::Cast(ty, e));
    let offset = l.w.tree.add(ExprKind::Uint(arg.offset));
    l.w.tree.infix(Infix::Add, wide, offset)
}

fn load(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let arg = l.body.node(node).imm.as_mem_arg();
    let result = l.body.local_type(l.body.result(node)?);
    let memory = l.w.state.memory(l.w.module, arg.memory);
    let memory = l.w.fixed(&memory);
    let at = address(l, l.body.args(node)[0], arg);
    let (func, span) = (l.func, l.span);
    let [function, line, column] = l.w.place(func, span);
    let all = [memory, at, function, line, column];
    if is_vector(&l.w.module.types[result]) {
        return Some(l.w.helper("load_v128", &all));
    }
    let result = l.w.scalar(result)?;
    let name = match (result, arg.width) {
        (Scalar::F32, Width::B32) => return Some(l.w.helper("load_f32", &all)),
        (Scalar::F64, Width::B64) => return Some(l.w.helper("load_f64", &all)),
        (Scalar::F32 | Scalar::F64, _) | (_, Width::B128) => return None,
        (_, Width::B8) => "load_u8",
        (_, Width::B16) => "load_u16",
        (_, Width::B32) => "load_u32",
        (_, Width::B64) => "load_u64",
    };
    let value = l.w.helper(name, &all);
    if result == Scalar::Bool {
        let zero = l.w.tree.add(ExprKind::Uint(0));
        return Some(l.w.tree.infix(Infix::Ne, value, zero));
    }
    let narrow = match (arg.signed, arg.width) {
        (true, Width::B8) => Some("(int8_t)"),
        (true, Width::B16) => Some("(int16_t)"),
        (true, Width::B32) => Some("(int32_t)"),
        _ => None,
    };
    let value = match narrow {
        Some(name) => l.w.tree.add(ExprKind::Prefix(name, value)),
        None => value,
    };
    let is_same = narrow.is_none() && !result.is_signed() && arg.width.bytes() * 8 == result.bits();
    Some(if is_same { value } else { cast(l, result, value) })
}

fn store(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let arg = l.body.node(node).imm.as_mem_arg();
    let args = l.body.args(node);
    let memory = l.w.state.memory(l.w.module, arg.memory);
    let memory = l.w.fixed(&memory);
    let at = address(l, args[0], arg);
    let mut value = l.operand(args[1]);
    if is_vector(&l.w.module.types[l.type_of(args[1])]) {
        let (func, span) = (l.func, l.span);
        let [function, line, column] = l.w.place(func, span);
        return Some(l.w.helper("store_v128", &[memory, at, value, function, line, column]));
    }
    let scalar = l.w.scalar(l.type_of(args[1]))?;
    let name = match (scalar, arg.width) {
        (Scalar::F32, Width::B32) => "store_f32",
        (Scalar::F64, Width::B64) => "store_f64",
        (Scalar::F32 | Scalar::F64, _) | (_, Width::B128) => return None,
        (_, Width::B8) => "store_u8",
        (_, Width::B16) => "store_u16",
        (_, Width::B32) => "store_u32",
        (_, Width::B64) => "store_u64",
    };
    let word = if arg.width == Width::B64 { Scalar::U64 } else { Scalar::U32 };
    value = match scalar {
        _ if scalar.is_float() => canonical(l, args[1], value),
        Scalar::Bool => cast(l, Scalar::U32, value),
        _ if scalar == word => value,
        _ => cast(l, word, value),
    };
    let (func, span) = (l.func, l.span);
    let [function, line, column] = l.w.place(func, span);
    Some(l.w.helper(name, &[memory, at, value, function, line, column]))
}

/// The call of an element of a table, whose index is operand 0.
fn indirect(l: &mut Lower<'_, '_>, node: Node) -> Expr {
    let (table, ty) = l.body.node(node).imm.as_table_type();
    if !l.w.indirect.contains(&(table, ty)) {
        l.w.indirect.push((table, ty));
    }
    l.w.needs.insert("callee_of");
    if let TypeKind::Function { results, .. } = &l.w.module.types[ty]
        && results.len() > 1
    {
        let results = results.to_vec();
        l.w.need_results(&results);
    }
    let args = l.body.args(node);
    let mut all = vec![l.w.fixed("self"), index(l, args[0])];
    all.extend(args[1..].iter().map(|&arg| l.operand(arg)));
    let (func, span) = (l.func, l.span);
    all.extend(l.w.place(func, span));
    let callee = indirect_symbol(l, table, ty);
    l.w.tree.call(callee, &all)
}

fn indirect_symbol(l: &mut Lower<'_, '_>, table: Table, ty: Type) -> Callee {
    let name = indirect_name(table, ty);
    let e = l.w.fixed(&name);
    match l.w.tree.kind(e) {
        ExprKind::Name(symbol) => Callee::User(symbol),
        _ => unreachable!("a text is a name"),
    }
}

/// The name of the function that calls elements of a table that have a type.
pub(crate) fn indirect_name(table: Table, ty: Type) -> String {
    format!("call_{}_{}", table.as_u32(), ty.as_u32())
}
