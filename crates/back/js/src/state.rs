//! Memories and their initial contents.

use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::Memory;
use planish_ir::host::SliceParam;
use planish_ir::module::{MemoryData, Module, Offset};
use planish_ir::ops::Op;
use planish_ir::source::Span;

use crate::Dialect;
use crate::helpers::Needs;
use crate::names::{Names, is_identifier};

/// The memories of a module, by number.
pub(crate) struct Memories {
    /// Those that are slices of the host, which have no buffer.
    slices: Vec<Memory>,
    /// The names of their buffers, and of the views of these.
    buffers: Vec<String>,
    pub(crate) views: Vec<String>,
    /// The names of the functions that make them larger.
    pub(crate) growths: Vec<String>,
    /// The names of the data segments.
    pub(crate) data: Vec<String>,
    /// Bytes of the only one (asm.js).
    pub(crate) bytes: u32,
}

impl Memories {
    /// Names them; memories and data that JavaScript cannot hold are errors.
    pub(crate) fn new(
        module: &Module,
        dialect: Dialect,
        slices: &[SliceParam],
        names: &mut Names<'_>,
        errors: &mut Vec<Diagnostic>,
    ) -> Self {
        let slices: Vec<Memory> = slices.iter().map(|slice| slice.memory).collect();
        let mut refuse = |text: &str| errors.push(Diagnostic::error(ErrorCode::E0604, Span::NONE, text));
        if module.memories.values().any(|m| m.import.is_some()) {
            refuse("JavaScript cannot import a memory: its buffer would not be seen to grow");
        }
        if dialect == Dialect::Asm && module.memories.len() > 1 {
            refuse("asm.js has one memory");
        }
        if module.data.values().any(|d| matches!(d.active, Some((_, Offset::Var(_))))) {
            refuse("data must have a constant address in JavaScript");
        }
        let mut buffers = Vec::new();
        let mut views = Vec::new();
        for memory in module.memories.values() {
            let wanted = memory.exports.first().map_or("memory", |n| n);
            buffers.push(names.fresh(wanted, "memory"));
            views.push(names.fresh("view", "view"));
        }
        let growths: Vec<String> = views.iter().map(|view| names.fresh(&format!("grow_{view}"), "grow")).collect();
        let data: Vec<String> = module.data.values().map(|_| names.fresh("data", "data")).collect();
        let pages = module.memories.values().next().map_or(0, |m| m.min_pages);
        let Some(bytes) = pages.checked_mul(MemoryData::PAGE as u32).filter(|b| *b < 1 << 31) else {
            refuse("the memory is too large for JavaScript");
            return Memories { slices, buffers, views, growths, data, bytes: 0 };
        };
        Memories { slices, buffers, views, growths, data, bytes }
    }

    /// Names of buffers, and those outside.
    pub(crate) fn exports(&self, module: &Module) -> Vec<(String, String)> {
        let all = module.memories.iter().filter(|(memory, _)| !self.slices.contains(memory));
        let all = all.map(|(memory, data)| (data, &self.buffers[memory.as_u32() as usize]));
        let pairs = all.flat_map(|(m, name)| m.exports.iter().map(|e| (name.clone(), e.to_string())));
        pairs.map(|(name, e)| (name, if is_identifier(&e) { e } else { format!("{e:?}") })).collect()
    }

    /// The declarations of a module.
    pub(crate) fn declared(&self, module: &Module) -> String {
        let mut out = String::new();
        let uses = |ops: &[Op]| {
            let bodies = module.funcs.values().filter_map(|f| f.body.as_ref());
            bodies.flat_map(|b| b.nodes()).any(|(_, node)| ops.contains(&node.op))
        };
        let (grows, copies) = (uses(&[Op::MemoryGrow]), uses(&[Op::MemoryInit, Op::DataDrop]));
        let word = if grows { "let" } else { "const" };
        for (number, memory) in module.memories.iter().filter(|(memory, _)| !self.slices.contains(memory)) {
            let number = number.as_u32() as usize;
            let (buffer, view) = (&self.buffers[number], &self.views[number]);
            let bytes = u64::from(memory.min_pages) * MemoryData::PAGE as u64;
            out.push_str(&format!("{word} {buffer} = new ArrayBuffer({bytes});\n"));
            out.push_str(&format!("{word} {view} = new DataView({buffer});\n"));
            if grows {
                out.push_str(&growth(&self.growths[number], buffer, view));
            }
        }
        for (data, name) in module.data.values().zip(&self.data) {
            let bytes: Vec<String> = data.bytes.iter().map(u8::to_string).collect();
            let bytes = bytes.join(", ");
            match data.active {
                Some((memory, Offset::Const(at))) => {
                    let buffer = &self.buffers[memory.as_u32() as usize];
                    out.push_str(&format!("new Uint8Array({buffer}).set([{bytes}], {at});\n"));
                    if copies {
                        // The segment is in the memory, so it is dropped.
                        out.push_str(&format!("let {name} = new Uint8Array(0);\n"));
                    }
                }
                _ if copies => out.push_str(&format!("let {name} = new Uint8Array([{bytes}]);\n")),
                _ => {}
            }
        }
        out
    }

    /// The statements that put data in the heap (asm.js).
    pub(crate) fn stores(&self, module: &Module, needs: &mut Needs) -> Vec<String> {
        let mut lines = Vec::new();
        for data in module.data.values() {
            let Some((_, Offset::Const(start))) = data.active else { continue };
            let mut at = start;
            let mut rest: &[u8] = &data.bytes;
            while !rest.is_empty() {
                if at % 4 == 0 && rest.len() >= 4 {
                    let word = i32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]);
                    needs.insert("i32");
                    lines.push(format!("i32[{}] = {word};", at / 4));
                    (at, rest) = (at + 4, &rest[4..]);
                } else {
                    needs.insert("u8");
                    lines.push(format!("u8[{at}] = {};", rest[0]));
                    (at, rest) = (at + 1, &rest[1..]);
                }
            }
        }
        lines
    }
}

/// The function that makes a memory larger: its contents move to a new buffer.
fn growth(name: &str, buffer: &str, view: &str) -> String {
    format!(
        "\
function {name}(pages, limit) {{
  const old = {view}.byteLength / 65536;
  if (old + pages > limit) return -1;
  if (pages > 0) {{
    const grown = new ArrayBuffer((old + pages) * 65536);
    new Uint8Array(grown).set(new Uint8Array({buffer}));
    {buffer} = grown;
    {view} = new DataView(grown);
  }}
  return old;
}}
"
    )
}
