//! Dump of a function's tree of blocks.

use std::fmt::Write;

use super::Dumper;
use crate::arena::Id;
use crate::decoration::Precision;
use crate::entity::{Block, Func, Local, Node, Value, ValueKind};
use crate::function::{Body, Case, Exit, Form};
use crate::ops::{ImmKind, Op};
use crate::text::{barrier_words, pair_word, texture_words};
use crate::walk::{self, BlockKind, Event};

/// Depth from which blocks are not indented further, so that the dump stays linear in the size of the program.
const MAX_DEPTH: u32 = 64;
/// Width of the column of the register and its type.
const REGISTER_WIDTH: usize = 15;
/// Width of the column of the op.
const OP_WIDTH: usize = 46;

/// Dumps the blocks of a function.
pub(super) fn dump(d: &mut Dumper<'_>, func: Func, body: &Body) {
    if !walk::is_tree(body) {
        d.out.push_str("    The blocks are no tree.\n");
        return;
    }
    let mut drawer = Drawer { d, func, body, frames: Vec::new(), drawn: vec![false; body.local_count()] };
    for event in walk::events(body, body.entry) {
        match event {
            Event::Enter { block, kind, parent, depth } => {
                if kind != BlockKind::Merge {
                    drawer.frames.push((parent, kind));
                }
                drawer.block(block, kind, parent, depth);
            }
            Event::Leave { .. } => {
                drawer.frames.pop();
            }
        }
    }
}

struct Drawer<'d, 'a> {
    d: &'d mut Dumper<'a>,
    func: Func,
    body: &'d Body,
    /// Open merge chains, each with the block whose exit started it.
    frames: Vec<(Block, BlockKind)>,
    /// By local: whether its floating node has been written.
    drawn: Vec<bool>,
}

impl Drawer<'_, '_> {
    fn start(&mut self, depth: u32) {
        self.d.out.push_str("    ");
        for _ in 0..depth.min(MAX_DEPTH) {
            self.d.out.push_str("|   ");
        }
    }

    fn line(&mut self, depth: u32, text: &str) {
        self.start(depth);
        self.d.out.push_str(text);
        self.d.out.push('\n');
    }

    /// A line of two columns. A cell wider than its column is followed by one space.
    fn columns(&mut self, depth: u32, register: &str, op: &str, precision: Precision) {
        let mut text = pad(register, REGISTER_WIDTH);
        if precision == Precision::None {
            text.push_str(op);
        } else {
            let _ = write!(text, "{}[{}]", pad(op, OP_WIDTH), precision.keyword());
        }
        self.line(depth, text.trim_end());
    }

    fn block(&mut self, block: Block, kind: BlockKind, parent: Block, depth: u32) {
        self.title(kind, parent, depth);
        let body = self.body;
        let data = &body.blocks[block];
        if !data.inputs.is_empty() && kind != BlockKind::Entry {
            let inputs: Vec<String> = data.inputs.iter().map(|&l| self.input(l)).collect();
            self.line(depth, &format!("Input: {}", inputs.join(", ")));
        }
        if !data.variables.is_empty() {
            let variables: Vec<String> = data.variables.iter().map(|v| v.to_string()).collect();
            self.line(depth, &format!("Declare: {}", variables.join(", ")));
        }
        for &node in &data.nodes {
            if node.index() < body.node_count() {
                self.floating(body.args(node), depth);
                self.node(node, depth, " =");
            }
        }
        let mut operands: Vec<Value> = Vec::new();
        data.exit.for_each_operand(|v| operands.push(v));
        self.floating(&operands, depth);
        let exit = self.exit(&data.exit);
        self.columns(depth, "", &exit, Precision::None);
    }

    fn title(&mut self, kind: BlockKind, parent: Block, depth: u32) {
        let title = match kind {
            BlockKind::Entry => "Entry To Function:".into(),
            BlockKind::Then => "If True Block:".into(),
            BlockKind::Otherwise => "If False Block:".into(),
            BlockKind::Condition => "Loop Condition:".into(),
            BlockKind::LoopBody => "Loop Body:".into(),
            BlockKind::Next => "Loop Continue Block:".into(),
            BlockKind::LabelledBody => "Labelled Body:".into(),
            BlockKind::Merge => "Merge Block:".into(),
            BlockKind::Case(i) => match &self.body.blocks[parent].exit {
                Exit::Switch { cases, .. } => case_title(&cases[i as usize]),
                _ => "Case:".into(),
            },
        };
        match kind {
            BlockKind::Entry => self.line(depth, &"_".repeat(title.len())),
            BlockKind::Merge => {
                self.line(depth, "|");
                self.line(depth, &format!("V{}", "_".repeat(title.len() - 1)));
            }
            _ => {
                self.line(depth - 1, "|");
                self.line(depth - 1, &format!("+-> {}", "_".repeat(title.len())));
            }
        }
        self.line(depth, &title);
    }

    fn input(&self, input: Local) -> String {
        if input.index() >= self.body.local_count() {
            return format!("{input}?");
        }
        let local = self.body.local(input);
        let precision = local.precision.keyword();
        let ty = self.d.ty(local.ty);
        if precision.is_empty() { format!("{input} ({ty})") } else { format!("{input} ({ty}) [{precision}]") }
    }

    /// Writes the floating operands, transitively, that have not been written.
    fn floating(&mut self, operands: &[Value], depth: u32) {
        if self.body.form == Form::Placed {
            return;
        }
        let body = self.body;
        let mut stack: Vec<(Node, usize)> = Vec::new();
        for &operand in operands {
            stack.extend(self.undrawn(operand, None).map(|n| (n, 0)));
            while let Some((node, at)) = stack.pop() {
                match body.args(node).get(at) {
                    Some(&arg) => {
                        stack.push((node, at + 1));
                        stack.extend(self.undrawn(arg, Some(node)).map(|n| (n, 0)));
                    }
                    None => self.node(node, depth, " ~"),
                }
            }
        }
    }

    fn undrawn(&self, value: Value, user: Option<Node>) -> Option<Node> {
        let local = value.as_local()?;
        if self.drawn.get(local.index()).copied().unwrap_or(true) {
            return None;
        }
        let node = self.body.node_of(value)?;
        let floats = self.d.module.floats(self.body, self.body.node(node).op, self.body.args(node));
        (floats && user.is_none_or(|u| node < u)).then_some(node)
    }

    fn node(&mut self, node: Node, depth: u32, sign: &str) {
        let body = self.body;
        let data = body.node(node);
        let results: Vec<Local> = body.results(node).filter(|r| r.index() < body.local_count()).collect();
        for result in &results {
            self.drawn[result.index()] = true;
        }
        let mut register = String::new();
        let mut precision = Precision::None;
        for (i, &result) in results.iter().enumerate() {
            let local = body.local(result);
            let ty = format!("({})", self.d.ty(local.ty));
            let _ = write!(register, "{}{result}{ty:>7}", if i > 0 { ", " } else { "" });
            precision = precision.max(local.precision);
        }
        if !results.is_empty() {
            register.push_str(sign);
        }
        let mut op = self.op(node);
        if data.precise {
            op.push_str(" precise");
        }
        self.columns(depth, &register, &op, precision);
    }

    /// The op with its immediate and operands.
    fn op(&self, node: Node) -> String {
        let data = self.body.node(node);
        let args: Vec<String> = self.body.args(node).iter().map(|&a| self.operand(a, data.precision)).collect();
        let mut text = data.op.name().to_owned();
        let (first, rest) = match data.op {
            Op::ConstructVectorFromMultiple
            | Op::ConstructMatrixFromMultiple
            | Op::ConstructStruct
            | Op::ConstructArray => (None, Some(&args[..])),
            Op::Custom | Op::CustomTrapping | Op::CustomOrdered => (None, Some(&args[..])),
            Op::Call | Op::CallIndirect => (args.first(), args.get(1..)),
            _ => (None, None),
        };
        match rest {
            Some(rest) => {
                if let Some(first) = first {
                    let _ = write!(text, " {first}");
                }
                text.push_str(&self.imm(node));
                let _ = write!(text, " ({})", rest.join(", "));
            }
            None => {
                // An index follows the operand that it indexes.
                let head = args.len().min(1);
                let behind = matches!(data.op.info().imm, ImmKind::Index | ImmKind::Lanes);
                let imm = self.imm(node);
                let parts = if behind {
                    [args[..head].join(" "), imm.trim_start().to_owned(), args[head..].join(" ")]
                } else {
                    [imm.trim_start().to_owned(), args.join(" "), String::new()]
                };
                for part in parts.iter().filter(|p| !p.is_empty()) {
                    let _ = write!(text, " {part}");
                }
            }
        }
        text
    }

    /// The immediate after a space; empty if none.
    fn imm(&self, node: Node) -> String {
        let data = self.body.node(node);
        let imm = data.imm;
        let words = match data.op.info().imm {
            ImmKind::None => return String::new(),
            ImmKind::Index => return format!(" {}", imm.as_index()),
            ImmKind::Lanes => {
                let lanes: Vec<String> = imm.as_lanes().iter().map(|l| l.to_string()).collect();
                return format!(" ({})", lanes.join(", "));
            }
            ImmKind::Texture => texture_words(imm.as_texture()),
            ImmKind::Group => format!(" {}", imm.as_group()),
            ImmKind::Barrier => barrier_words(imm),
            ImmKind::Conversion if imm.is_open() => "open".into(),
            ImmKind::Guard if imm.is_guarded() => "guarded".into(),
            ImmKind::Order if imm.is_reassociable() => "reassociable".into(),
            ImmKind::Conversion | ImmKind::Guard | ImmKind::Order => return String::new(),
            ImmKind::Shape => format!(" {}", imm.as_shape().name()),
            ImmKind::Lane => format!(" {} {}", imm.as_shape().name(), imm.as_lane()),
            ImmKind::MemArg => {
                let access = imm.as_mem_arg();
                let sign = if access.signed { "signed " } else { "" };
                let bounds = if access.in_bounds { ", in bounds" } else { "" };
                format!("{} {sign}{} bytes + {}{bounds}", access.memory, access.width.bytes(), access.offset)
            }
            ImmKind::Pair => {
                let (low, high) = imm.as_pair();
                let (low_part, high_part) = data.op.pair_parts();
                let words = [pair_word(low_part, low), pair_word(high_part, high)];
                words.iter().filter(|w| !w.is_empty()).map(String::as_str).collect::<Vec<_>>().join(", ")
            }
            ImmKind::TableType => {
                let (table, ty) = imm.as_table_type();
                format!("{table} {}", self.d.ty(ty))
            }
            ImmKind::Custom => {
                let (op, ty) = imm.as_custom();
                let name = self.d.module.custom_ops.get(op).map_or_else(|| op.to_string(), |row| row.name.to_string());
                format!("{name} {}", self.d.ty(ty))
            }
        };
        if words.is_empty() { String::new() } else { format!(" [{words}]") }
    }

    /// An operand; numeric constants with the precision of their use.
    fn operand(&self, value: Value, precision: Precision) -> String {
        let text = format!("{value:?}");
        let ValueKind::Const(c) = value.kind() else { return text };
        if precision == Precision::None || c >= self.d.module.consts.next_id() {
            return text;
        }
        let scalar = self.d.module.types.scalar_of(self.d.module.consts[c].ty);
        let takes = scalar.is_some_and(|s| s.is_float() || s.is_integer());
        if takes { format!("{text}[{}]", precision.keyword()) } else { text }
    }

    /// Arguments for the inputs of a block.
    fn arguments(&self, args: &[Value], to: Option<Block>) -> Vec<String> {
        let inputs = to.map(|b| &self.body.blocks[b].inputs);
        let precision = |i: usize| {
            let input = inputs.and_then(|inputs| inputs.get(i)).filter(|l| l.index() < self.body.local_count());
            input.map_or(Precision::None, |l| self.body.local(*l).precision)
        };
        args.iter().enumerate().map(|(i, &a)| self.operand(a, precision(i))).collect()
    }

    fn merge_of(&self, owner: Block) -> Option<Block> {
        self.body.blocks.get(owner).and_then(|b| b.exit.merge_block())
    }

    fn exit(&self, exit: &Exit) -> String {
        let none = Precision::None;
        match exit {
            Exit::Open => "Open".into(),
            Exit::If { condition, .. } => format!("If {}", self.operand(*condition, none)),
            Exit::Loop { args, condition, .. } => with_args("Loop", &self.arguments(args, Some(*condition)), true),
            Exit::DoLoop { args, body, .. } => with_args("DoLoop", &self.arguments(args, Some(*body)), true),
            Exit::Switch { selector, args, merge, .. } => {
                let head = format!("Switch {}", self.operand(*selector, none));
                let args = self.arguments(args, Some(*merge));
                if args.is_empty() { head } else { format!("{head} else ({})", args.join(", ")) }
            }
            Exit::Labelled { .. } => "Labelled".into(),
            Exit::NextBlock { .. } => "NextBlock".into(),
            Exit::Merge(args) => {
                let to = self.frames.last().and_then(|(owner, _)| self.merge_of(*owner));
                with_args("Merge", &self.arguments(args, to), false)
            }
            Exit::Break(label, args) => {
                let head = format!("Break{}", self.levels(*label, true));
                with_args(&head, &self.arguments(args, self.merge_of(*label)), !head.ends_with('k'))
            }
            Exit::Continue(label, args) => {
                let head = format!("Continue{}", self.levels(*label, false));
                with_args(&head, &self.arguments(args, self.continue_target(*label)), !head.ends_with('e'))
            }
            Exit::LoopIf { condition, body_args, merge_args } => self.loop_if(*condition, body_args, merge_args),
            Exit::Passthrough => "Passthrough".into(),
            Exit::Return(args) => {
                let results = &self.d.module.funcs[self.func].results;
                let precision = |i: usize| results.get(i).map_or(none, |r| r.precision);
                let args: Vec<String> = args.iter().enumerate().map(|(i, &a)| self.operand(a, precision(i))).collect();
                with_args("Return", &args, false)
            }
            Exit::Discard => "Discard".into(),
            Exit::Trap(kind) => format!("Trap {}", kind.name()),
        }
    }

    fn loop_if(&self, condition: Value, body_args: &[Value], merge_args: &[Value]) -> String {
        let mut text = format!("LoopIf {}", self.operand(condition, Precision::None));
        let owner = self.frames.last().map(|(owner, _)| *owner);
        let (body, merge) = match owner.and_then(|o| self.body.blocks.get(o)).map(|b| &b.exit) {
            Some(Exit::Loop { body, merge, .. } | Exit::DoLoop { body, merge, .. }) => (Some(*body), Some(*merge)),
            _ => (None, None),
        };
        if !body_args.is_empty() {
            let _ = write!(text, " body ({})", self.arguments(body_args, body).join(", "));
        }
        if !merge_args.is_empty() {
            let _ = write!(text, " merge ({})", self.arguments(merge_args, merge).join(", "));
        }
        text
    }

    fn continue_target(&self, label: Block) -> Option<Block> {
        let kind = self.frames.iter().rev().find(|(owner, _)| *owner == label).map(|(_, kind)| *kind);
        match (&self.body.blocks.get(label)?.exit, kind) {
            (Exit::Loop { next: Some(next), .. }, Some(BlockKind::LoopBody)) => Some(*next),
            (Exit::Loop { condition, .. } | Exit::DoLoop { condition, .. }, _) => Some(*condition),
            _ => None,
        }
    }

    /// Number of constructs between here and `label` that the exit could also leave; empty for the innermost one.
    fn levels(&self, label: Block, leaves: bool) -> String {
        let mut levels = 0;
        for (owner, kind) in self.frames.iter().rev() {
            if *kind == BlockKind::Entry {
                break;
            }
            if *owner == label {
                return if levels == 0 { String::new() } else { format!(" {levels} out") };
            }
            let counts = match self.body.blocks[*owner].exit {
                Exit::Loop { .. } | Exit::DoLoop { .. } => true,
                Exit::Switch { .. } | Exit::Labelled { .. } => leaves,
                _ => false,
            };
            levels += u32::from(counts);
        }
        format!(" {label}?")
    }
}

fn pad(text: &str, width: usize) -> String {
    if text.len() < width { format!("{text:<width$}") } else { format!("{text} ") }
}

/// `Word r1`, or `Word (r1, r2)`.
fn with_args(word: &str, args: &[String], brackets: bool) -> String {
    match args {
        [] => word.to_owned(),
        [one] if !brackets => format!("{word} {one}"),
        _ => format!("{word} ({})", args.join(", ")),
    }
}

fn case_title(case: &Case) -> String {
    let values: Vec<String> = case.values.iter().map(|c| c.to_string()).collect();
    match (values.is_empty(), case.is_default) {
        (true, _) => "Default Case:".into(),
        (false, true) => format!("Case {}, default:", values.join(", ")),
        (false, false) => format!("Case {}:", values.join(", ")),
    }
}
