//! Dump of memories, tables, segments and exports.

use std::fmt::Write;
use std::sync::Arc;

use super::Dumper;
use crate::module::{ElemItem, Import, Offset};

/// Writes a section for each kind that the module has.
pub(super) fn machine(d: &mut Dumper<'_>) {
    let module = d.module;
    let mut section = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let _ = writeln!(d.out, "\n{title}:");
            for line in lines {
                let _ = writeln!(d.out, "  {line}");
            }
        }
    };
    let memories = module.memories.iter().map(|(id, m)| {
        format!("{id}: {} pages{}", range(m.min_pages, m.max_pages), outside(m.import.as_ref(), &m.exports))
    });
    section("Memories", memories.collect());
    let element = |ty| crate::text::type_text(&module.types, ty);
    let tables = module.tables.iter().map(|(id, t)| {
        format!("{id}: {} {}{}", range(t.min, t.max), element(t.element), outside(t.import.as_ref(), &t.exports))
    });
    section("Tables", tables.collect());
    let data = module.data.iter().map(|(id, s)| {
        let place = s.active.map_or(String::new(), |(memory, at)| format!(" in {memory} at {}", offset(at)));
        format!("{id}: {} bytes{place}", s.bytes.len())
    });
    section("Data segments", data.collect());
    let elems = module.elems.iter().map(|(id, s)| {
        let place = s.active.map_or(String::new(), |(table, at)| format!(" in {table} at {}", offset(at)));
        let items: Vec<String> = s.items.iter().map(|&item| element_item(item)).collect();
        format!("{id}: {} ({}){place}", element(s.element), items.join(", "))
    });
    section("Element segments", elems.collect());
    let exports = module.entry_points.iter().filter(|e| e.stage.is_none()).map(|e| {
        let names: Vec<String> = e.names.iter().map(|n| format!("'{n}'")).collect();
        format!("{}: {}", e.func, names.join(", "))
    });
    section("Exports", exports.collect());
    section("Start", module.start.iter().map(|func| func.to_string()).collect());
}

fn element_item(item: ElemItem) -> String {
    match item {
        ElemItem::Null => "null".into(),
        ElemItem::Func(func) => func.to_string(),
        ElemItem::Var(var) => var.to_string(),
    }
}

fn range(min: u32, max: Option<u32>) -> String {
    max.map_or_else(|| format!("{min}"), |max| format!("{min} to {max}"))
}

fn offset(offset: Offset) -> String {
    match offset {
        Offset::Const(n) => n.to_string(),
        Offset::Var(var) => var.to_string(),
    }
}

fn outside(import: Option<&Import>, exports: &[Arc<str>]) -> String {
    let mut text = import.map_or(String::new(), |i| format!(", import '{}' '{}'", i.module, i.name));
    for name in exports {
        let _ = write!(text, ", export '{name}'");
    }
    text
}
