//! Prints the body of a function: blocks in the order of the dump, sub-blocks in braces.

use std::fmt::Write;

use super::constants::write_const;
use super::print::{Names, write_name, write_var};
use super::words::write_precision;
use crate::arena::{Id, SideTable};
use crate::entity::{Block, Const, Local, Node, Value, ValueKind};
use crate::function::{Args, Body, Case, Exit, Form};
use crate::module::Module;
use crate::ops::{BARRIER_NAMES, CONVERSION_NAMES, GUARD_NAMES, Imm, ImmKind, ORDER_NAMES, Op, PairPart, TextureFlags};
use crate::walk::{self, BlockKind, Event};

/// Depth from which blocks are not indented further, so that the text stays linear in the size of the program.
const MAX_INDENT: u32 = 40;

/// Writes ` {`, the blocks and `}`.
pub(super) fn write_body(out: &mut String, module: &Module, names: &mut Names, body: &Body) {
    out.push_str(if body.form == Form::Floating { " floating {\n" } else { " {\n" });
    if !walk::is_tree(body) {
        out.push_str("  ? the blocks are no tree\n}");
        return;
    }
    let locals = SideTable::with_capacity(body.local_count());
    let blocks = SideTable::with_capacity(body.blocks.len());
    let mut writer = BodyWriter { out, module, names, body, locals, next_local: 0, blocks, next_block: 0 };
    for &input in &body.blocks[body.entry].inputs {
        writer.number(input);
    }
    for event in walk::events(body, body.entry) {
        if let Event::Enter { block, kind, parent, depth } = event {
            writer.write_block(block, kind, parent, depth);
        }
    }
    out.push('}');
}

struct BodyWriter<'a> {
    out: &'a mut String,
    module: &'a Module,
    names: &'a mut Names,
    body: &'a Body,
    /// Numbers of locals, plus one; 0: none yet.
    locals: SideTable<Local, u32>,
    next_local: u32,
    /// Numbers of blocks, plus one; 0: none yet.
    blocks: SideTable<Block, u32>,
    next_block: u32,
}

impl BodyWriter<'_> {
    fn number(&mut self, local: Local) {
        self.next_local += 1;
        if local.index() < self.body.local_count() {
            self.locals[local] = self.next_local;
        }
    }

    fn indent(&mut self, levels: u32) {
        for _ in 0..levels.min(MAX_INDENT) {
            self.out.push_str("  ");
        }
    }

    fn write_block(&mut self, block: Block, kind: BlockKind, parent: Block, depth: u32) {
        let body = self.body;
        if kind == BlockKind::Merge && !matches!(body.blocks[parent].exit, Exit::NextBlock { .. }) {
            self.indent(depth + 1);
            self.out.push_str("}\n");
        }
        self.write_head(block, kind, parent, depth);
        let data = &body.blocks[block];
        for &var in &data.variables {
            self.names.declare(self.module, var);
            self.indent(depth + 1);
            match self.module.vars.get(var) {
                Some(data) => write_var(self.out, self.module, self.names, var, data),
                None => {
                    let _ = write!(self.out, "var @?{var}");
                }
            }
            self.out.push('\n');
        }
        for &node in &data.nodes {
            if node.index() < body.node_count() {
                self.write_floating(body.args(node), depth + 1);
                self.write_node(node, depth + 1);
            }
        }
        let mut operands = Args::new();
        data.exit.for_each_operand(|v| operands.push(v));
        self.write_floating(&operands, depth + 1);
        self.indent(depth + 1);
        self.write_exit(&data.exit);
        self.out.push('\n');
    }

    fn write_head(&mut self, block: Block, kind: BlockKind, parent: Block, depth: u32) {
        self.indent(depth);
        let role = match kind {
            BlockKind::Entry | BlockKind::Merge => "",
            BlockKind::Then => "then ",
            BlockKind::Otherwise => "else ",
            BlockKind::Condition => "cond ",
            BlockKind::LoopBody | BlockKind::LabelledBody => "body ",
            BlockKind::Next => "next ",
            BlockKind::Case(i) => {
                if let Exit::Switch { cases, .. } = &self.body.blocks[parent].exit {
                    self.write_case(&cases[i as usize]);
                }
                ""
            }
        };
        self.out.push_str(role);
        self.next_block += 1;
        self.blocks[block] = self.next_block;
        let _ = write!(self.out, "b{}", self.next_block - 1);
        let inputs = &self.body.blocks[block].inputs;
        if kind != BlockKind::Entry && !inputs.is_empty() {
            self.out.push('(');
            for (i, &input) in inputs.iter().enumerate() {
                self.out.push_str(if i > 0 { ", " } else { "" });
                self.number(input);
                let _ = write!(self.out, "%{}: ", self.next_local - 1);
                if input.index() < self.body.local_count() {
                    let local = self.body.local(input);
                    self.names.write_type(self.out, self.module, local.ty);
                    write_precision(self.out, local.precision);
                }
            }
            self.out.push(')');
        }
        self.out.push_str(":\n");
    }

    fn write_case(&mut self, case: &Case) {
        self.out.push_str("case ");
        for (i, &value) in case.values.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            self.write_const(value);
        }
        if case.is_default {
            self.out.push_str(if case.values.is_empty() { "default" } else { ", default" });
        }
        self.out.push(' ');
    }

    fn write_const(&mut self, c: Const) {
        write_const(self.out, self.module, self.names, c);
    }

    /// Writes the floating operands, transitively, that have not been written, the oldest first.
    fn write_floating(&mut self, operands: &[Value], levels: u32) {
        if self.body.form == Form::Placed {
            return;
        }
        // Nodes, each with the next operand to visit.
        let mut stack: Vec<(Node, usize)> = Vec::new();
        for &operand in operands {
            stack.extend(self.floating_node(operand, None).map(|n| (n, 0)));
            while let Some((node, at)) = stack.pop() {
                match self.body.args(node).get(at) {
                    Some(&arg) => {
                        stack.push((node, at + 1));
                        stack.extend(self.floating_node(arg, Some(node)).map(|n| (n, 0)));
                    }
                    None => self.write_node(node, levels),
                }
            }
        }
    }

    fn floating_node(&self, value: Value, user: Option<Node>) -> Option<Node> {
        let local = value.as_local()?;
        if local.index() >= self.body.local_count() || self.locals[local] != 0 {
            return None;
        }
        let node = self.body.node_of(value)?;
        let floats = self.module.floats(self.body, self.body.node(node).op, self.body.args(node));
        (floats && user.is_none_or(|u| node < u)).then_some(node)
    }

    fn write_node(&mut self, node: Node, levels: u32) {
        let body = self.body;
        let data = body.node(node);
        self.indent(levels);
        for (i, result) in body.results(node).enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            self.number(result);
            let _ = write!(self.out, "%{}", self.next_local - 1);
        }
        if let Some(result) = body.result(node) {
            if data.op.info().rule.needs_type() {
                self.out.push_str(": ");
                self.names.write_type(self.out, self.module, body.local_type(result));
            }
            self.out.push_str(" = ");
        }
        self.out.push_str(data.op.text());
        self.write_imm(data.op, data.imm);
        self.write_operands(body.args(node));
        write_precision(self.out, data.precision);
        self.out.push_str(if data.precise { " precise\n" } else { "\n" });
    }

    /// Writes operands after a space, with commas.
    fn write_operands(&mut self, operands: &[Value]) {
        for (i, &operand) in operands.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { " " });
            self.write_operand(operand);
        }
    }

    fn write_operand(&mut self, value: Value) {
        let _ = match value.kind() {
            ValueKind::Local(local) => match self.locals[local] {
                0 => write!(self.out, "%?{local}"),
                n => write!(self.out, "%{}", n - 1),
            },
            ValueKind::Const(c) => {
                self.write_const(c);
                Ok(())
            }
            ValueKind::Var(var) => write!(self.out, "@{}", self.names.var(var)),
            ValueKind::Func(func) => write!(self.out, "@{}", self.names.func(func)),
        };
    }

    fn write_imm(&mut self, op: Op, imm: Imm) {
        let words = match op.info().imm {
            ImmKind::None => return,
            ImmKind::Index => imm.as_index().to_string(),
            ImmKind::Lanes => format!("{:?}", imm.as_lanes()),
            ImmKind::Texture => texture_words(imm.as_texture()),
            ImmKind::Group => imm.as_group().to_string(),
            ImmKind::Barrier => bit_words(&BARRIER_NAMES, imm.0),
            ImmKind::Conversion => bit_words(&CONVERSION_NAMES, imm.0),
            ImmKind::Guard => bit_words(&GUARD_NAMES, imm.0),
            ImmKind::Order => bit_words(&ORDER_NAMES, imm.0),
            ImmKind::Shape => imm.as_shape().name().into(),
            ImmKind::Lane => format!("{} {}", imm.as_shape().name(), imm.as_lane()),
            ImmKind::MemArg => {
                let access = imm.as_mem_arg();
                let sign = if access.signed { 's' } else { 'u' };
                let mut words = format!("{} {sign}{}", access.memory, access.width.bytes() * 8);
                if access.offset != 0 {
                    let _ = write!(words, " offset {}", access.offset);
                }
                if access.in_bounds {
                    words.push_str(" in_bounds");
                }
                words
            }
            ImmKind::Pair => {
                let (low, high) = imm.as_pair();
                let (low_part, high_part) = op.pair_parts();
                let mut words = pair_word(low_part, low);
                if high_part != PairPart::Nothing {
                    let _ = write!(words, ", {}", pair_word(high_part, high));
                }
                words
            }
            ImmKind::TableType => {
                let (table, ty) = imm.as_table_type();
                let mut words = format!("{table} ");
                self.names.write_type(&mut words, self.module, ty);
                words
            }
            ImmKind::Custom => {
                let (custom, ty) = imm.as_custom();
                let Some(row) = self.module.custom_ops.get(custom) else {
                    return self.out.push_str(&format!("[?{custom}]"));
                };
                let mut words = String::new();
                write_name(&mut words, &row.name);
                if row.signature.is_none() {
                    words.push(' ');
                    self.names.write_type(&mut words, self.module, ty);
                }
                words
            }
        };
        if !words.is_empty() {
            let _ = write!(self.out, "[{words}]");
        }
    }

    fn block_text(&self, block: Block) -> String {
        match self.blocks[block] {
            0 => format!("?{block}"),
            n => format!("b{}", n - 1),
        }
    }

    fn write_exit(&mut self, exit: &Exit) {
        match exit {
            Exit::Open => self.out.push_str("open"),
            Exit::If { condition, .. } => self.write_opening("if", &[*condition]),
            Exit::Loop { args, .. } => self.write_opening("loop", args),
            Exit::DoLoop { args, .. } => self.write_opening("do_loop", args),
            Exit::Switch { selector, args, .. } => {
                self.out.push_str("switch");
                self.write_operands(&[*selector]);
                self.write_group("none", args);
                self.out.push_str(" {");
            }
            Exit::Labelled { .. } => self.write_opening("labelled", &[]),
            Exit::NextBlock { .. } => self.out.push_str("next_block"),
            Exit::Merge(args) => {
                self.out.push_str("merge");
                self.write_operands(args);
            }
            Exit::Break(label, args) => self.write_jump("break", *label, args),
            Exit::Continue(label, args) => self.write_jump("continue", *label, args),
            Exit::LoopIf { condition, body_args, merge_args } => {
                self.out.push_str("loop_if");
                self.write_operands(&[*condition]);
                self.write_group("body", body_args);
                self.write_group("merge", merge_args);
            }
            Exit::Passthrough => self.out.push_str("passthrough"),
            Exit::Return(args) => {
                self.out.push_str("return");
                self.write_operands(args);
            }
            Exit::Discard => self.out.push_str("discard"),
            Exit::Trap(kind) => {
                let _ = write!(self.out, "trap {}", kind.name());
            }
        }
    }

    fn write_opening(&mut self, word: &str, operands: &[Value]) {
        self.out.push_str(word);
        self.write_operands(operands);
        self.out.push_str(" {");
    }

    fn write_jump(&mut self, word: &str, label: Block, args: &[Value]) {
        let _ = write!(self.out, "{word} {}", self.block_text(label));
        for &arg in args {
            self.out.push_str(", ");
            self.write_operand(arg);
        }
    }

    fn write_group(&mut self, word: &str, args: &[Value]) {
        if !args.is_empty() {
            let _ = write!(self.out, " {word}(");
            for (i, &arg) in args.iter().enumerate() {
                self.out.push_str(if i > 0 { ", " } else { "" });
                self.write_operand(arg);
            }
            self.out.push(')');
        }
    }
}

fn bit_words(names: &[&str], bits: u64) -> String {
    let set = names.iter().enumerate().filter(|(i, _)| bits >> i & 1 != 0);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}

/// The flags of a texture op; shared with the dump.
pub(crate) fn texture_words(flags: TextureFlags) -> String {
    let mut words = bit_words(&TextureFlags::NAMES, flags.0.into());
    if flags.component() != 0 {
        let space = if words.is_empty() { "" } else { " " };
        let _ = write!(words, "{space}component {}", flags.component());
    }
    words
}

/// The bits of a barrier's immediate; shared with the dump.
pub(crate) fn barrier_words(imm: Imm) -> String {
    bit_words(&BARRIER_NAMES, imm.0)
}

/// One half of a pair immediate; shared with the dump.
pub(crate) fn pair_word(part: PairPart, index: u32) -> String {
    match pair_kind(part) {
        "" => String::new(),
        kind => format!("{kind}{index}"),
    }
}

/// The word before the index in one half of a pair immediate.
pub(super) fn pair_kind(part: PairPart) -> &'static str {
    match part {
        PairPart::Nothing => "",
        PairPart::Memory => "memory",
        PairPart::Table => "table",
        PairPart::Data => "data",
        PairPart::Elem => "elem",
    }
}
