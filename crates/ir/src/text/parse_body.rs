//! Parses the body of a function line by line. Open constructs are on an explicit stack, so nesting needs no recursion;
//! the block that a construct ends gets its exit at the closing brace, when all sub-blocks are known.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::lex::{Failed, Parsed, Token};
use super::parse::{Pending, is_item};
use super::parse_value::Reader;
use super::type_text;
use crate::builder::{Builder, Policy, Request};
use crate::entity::{Block, Const, Value, Var};
use crate::function::{Args, Case, Exit, Form, TrapKind};
use crate::module::Module;
use crate::ops::{OPS, Op};
use crate::source::Span;
use crate::types::AddressSpace;

/// A construct without its closing brace yet.
struct Construct {
    owner: Block,
    kind: ConstructKind,
    /// Sub-blocks parsed so far.
    blocks: SmallVec<[Block; 3]>,
    span: Span,
}

enum ConstructKind {
    If(Value),
    Loop(Args),
    DoLoop(Args),
    Labelled,
    Switch {
        selector: Value,
        args: Args,
        cases: Vec<Case>,
    },
    /// A construct whose first line was wrong; its blocks are still parsed.
    Broken,
}

impl ConstructKind {
    /// The keyword of sub-block number `index`.
    fn role(&self, index: usize) -> Option<&'static str> {
        let roles: &[&str] = match self {
            ConstructKind::If(_) => &["then", "else"],
            ConstructKind::Loop(_) => &["cond", "body", "next"],
            ConstructKind::DoLoop(_) => &["body", "cond"],
            ConstructKind::Labelled => &["body"],
            ConstructKind::Switch { .. } => return Some("case"),
            ConstructKind::Broken => return None,
        };
        roles.get(index).copied()
    }

    /// Minimum number of sub-blocks.
    fn least(&self) -> usize {
        match self {
            ConstructKind::If(_) | ConstructKind::Loop(_) | ConstructKind::DoLoop(_) => 2,
            ConstructKind::Labelled => 1,
            ConstructKind::Switch { .. } | ConstructKind::Broken => 0,
        }
    }

    fn exit(self, blocks: &[Block], merge: Block) -> Exit {
        match self {
            ConstructKind::If(condition) => Exit::If { condition, then: blocks[0], otherwise: blocks[1], merge },
            ConstructKind::Loop(args) => {
                Exit::Loop { args, condition: blocks[0], body: blocks[1], next: blocks.get(2).copied(), merge }
            }
            ConstructKind::DoLoop(args) => Exit::DoLoop { args, body: blocks[0], condition: blocks[1], merge },
            ConstructKind::Labelled => Exit::Labelled { body: blocks[0], merge },
            ConstructKind::Switch { selector, args, cases } => Exit::Switch { selector, cases, args, merge },
            ConstructKind::Broken => Exit::Open,
        }
    }
}

/// The value of a label; `None` if the line that defines it was wrong.
type Slot = Option<Value>;

/// Position of the next line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the current block.
    Open,
    /// After the exit of the current block: a sub-block or a closing brace follows.
    Ended,
    /// Before the label of this merge block (or of the entry block).
    Head(Block),
}

/// State of parsing a function.
struct BodyParser<'p, 'a> {
    read: &'p mut Reader<'a>,
    values: FxHashMap<&'a str, Slot>,
    vars: FxHashMap<&'a str, Var>,
    blocks: FxHashMap<&'a str, Block>,
    constructs: Vec<Construct>,
    state: State,
}

type Build<'b, 'm> = &'b mut Builder<'m, 'static>;

/// Parses the body of a function, from after its opening brace.
pub(super) fn parse_body<'a>(read: &mut Reader<'a>, module: &mut Module, pending: &Pending<'a>) {
    let form = if pending.floating { Form::Floating } else { Form::Placed };
    let mut builder = Builder::new(module, pending.func, Policy { form, ..Policy::VERBATIM });
    let mut body = BodyParser {
        read,
        values: FxHashMap::default(),
        vars: FxHashMap::default(),
        blocks: FxHashMap::default(),
        constructs: Vec::new(),
        state: State::Head(builder.block()),
    };
    body.define_params(&builder, pending);
    while body.read_line(&mut builder) {}
    builder.finish();
}

impl<'a> BodyParser<'_, 'a> {
    fn define_params(&mut self, builder: &Builder<'_, '_>, pending: &Pending<'a>) {
        for (i, label) in pending.params.iter().enumerate() {
            if self.values.insert(label, Some(builder.param(i))).is_some() {
                self.read.cursor.error(builder.module.funcs[pending.func].span, format!("`%{label}` is defined twice"));
            }
        }
    }

    /// Parses a line; false at the end of the function.
    fn read_line(&mut self, b: Build<'_, '_>) -> bool {
        let here = self.read.cursor.here();
        b.at(here);
        let done = match self.read.cursor.peek() {
            Token::End => Err(self.read.cursor.error(here, "the function has no closing brace")),
            Token::Line => {
                self.read.cursor.bump();
                return true;
            }
            Token::Mark(b'}') => self.close(b, here),
            Token::Local => self.read_results(b),
            Token::Word if self.read.cursor.is_first_column() && is_item(self.read.cursor.text()) => {
                self.read.cursor.error(here, "the function before has no closing brace");
                return false;
            }
            Token::Word => self.read_words(b, here),
            _ => Err(self.read.cursor.expected("a node, an exit, a block or `}`")),
        };
        match done {
            Ok(go_on) => go_on,
            Err(Failed) if self.read.cursor.peek() == Token::End => false,
            Err(Failed) => {
                self.read.cursor.skip_line();
                true
            }
        }
    }

    fn read_words(&mut self, b: Build<'_, '_>, here: Span) -> Parsed<bool> {
        let word = self.read.cursor.text();
        if is_block_label(word) && matches!(self.read.cursor.peek_at(1), Token::Mark(b':' | b'(')) {
            self.read_merge_head(b, here)?;
        } else if matches!(word, "then" | "else" | "cond" | "body" | "next" | "case") {
            self.read.cursor.bump();
            self.read_sub_block(b, here, word)?;
        } else if word == "var" {
            self.read.cursor.bump();
            self.open_block(b, here)?;
            let (label, var) = self.read.parse_var(b.module, here)?;
            self.declare(b, here, label, var)?;
        } else if is_exit(word) {
            self.read.cursor.bump();
            self.read_exit(b, here, word)?;
        } else {
            self.read_node(b, &[])?;
        }
        self.read.cursor.line()?;
        Ok(true)
    }

    /// Checks that the current block is open, else reports why not.
    fn open_block(&mut self, b: Build<'_, '_>, here: Span) -> Parsed<()> {
        match self.state {
            State::Open => Ok(()),
            State::Ended => Err(self.read.cursor.error(here, "the block has ended already")),
            State::Head(block) => {
                // Continues as if it were present, so that it is reported once.
                b.switch_to(block);
                let failed = self.read.cursor.error(here, "expected the label of a block, such as `b0:`");
                self.state = State::Open;
                Err(failed)
            }
        }
    }

    fn declare(&mut self, b: Build<'_, '_>, here: Span, label: &'a str, var: Var) -> Parsed<()> {
        let data = &b.module.vars[var];
        if data.space != AddressSpace::Function {
            b.module.globals.retain(|v| *v != var);
            return Err(self.read.cursor.error(here, "a variable of a function has no address space"));
        }
        b.declare(var);
        match self.vars.insert(label, var) {
            None => Ok(()),
            Some(_) => Err(self.read.cursor.error(here, format!("`@{label}` is defined twice"))),
        }
    }

    // Blocks.

    fn name_block(&mut self, here: Span, label: &'a str, block: Block) {
        if self.blocks.insert(label, block).is_some() {
            self.read.cursor.error(here, format!("`{label}` is defined twice"));
        }
    }

    /// `b3(%5: vec4):`, after the keyword of its role.
    fn read_head(&mut self, b: Build<'_, '_>, block: Block) -> Parsed<()> {
        b.switch_to(block);
        self.state = State::Open;
        let here = self.read.cursor.here();
        let label = self.read.cursor.take(Token::Word, "the label of a block")?;
        if !is_block_label(label) {
            return Err(self.read.cursor.error(here, "the label of a block is `b` and a number"));
        }
        self.name_block(here, label, block);
        if self.read.cursor.eat(b'(') {
            while !self.read.cursor.eat(b')') {
                if !b.body().blocks[block].inputs.is_empty() {
                    self.read.cursor.mark(b',')?;
                }
                let here = self.read.cursor.here();
                let label = self.read.cursor.label(Token::Local, "the label of an input")?;
                self.read.cursor.mark(b':')?;
                let ty = self.read.parse_type(b.module)?;
                let precision = self.read.parse_precision();
                let input = b.add_input(block, ty, precision);
                self.define(here, label, Some(input))?;
            }
        }
        self.read.cursor.mark(b':')
    }

    fn read_merge_head(&mut self, b: Build<'_, '_>, here: Span) -> Parsed<()> {
        let block = match self.state {
            State::Head(block) => block,
            _ => {
                self.read.cursor.error(here, "no block may begin here: it belongs after a closing brace");
                b.new_block()
            }
        };
        self.read_head(b, block)
    }

    fn read_sub_block(&mut self, b: Build<'_, '_>, here: Span, role: &'a str) -> Parsed<()> {
        let Some(construct) = self.constructs.last() else {
            return Err(self.read.cursor.error(here, format!("`{role}` belongs into the braces of a construct")));
        };
        let expected = construct.kind.role(construct.blocks.len());
        let broken = matches!(construct.kind, ConstructKind::Broken);
        if self.state != State::Ended {
            self.read.cursor.error(here, "the block before has not ended");
        }
        let block = b.new_block();
        let case = (role == "case").then(|| self.read_case(b, block)).transpose();
        if let Some(construct) = self.constructs.last_mut() {
            construct.blocks.push(block);
            if let (ConstructKind::Switch { cases, .. }, Ok(Some(case))) = (&mut construct.kind, &case) {
                cases.push(case.clone());
            }
        }
        if expected != Some(role) && !broken {
            self.read.cursor.error(
                here,
                match expected {
                    Some(expected) => format!("expected `{expected}` here"),
                    None => "the construct has all its blocks already".into(),
                },
            );
            self.constructs.last_mut().expect("seen above").kind = ConstructKind::Broken;
        }
        if case.is_err() {
            b.switch_to(block);
            self.state = State::Open;
        }
        case?;
        self.read_head(b, block)
    }

    /// `1, 2, default` of a case.
    fn read_case(&mut self, b: Build<'_, '_>, block: Block) -> Parsed<Case> {
        let mut values: SmallVec<[Const; 1]> = SmallVec::new();
        let mut is_default = false;
        loop {
            if self.read.cursor.eat_word("default") {
                is_default = true;
            } else {
                values.push(self.read.parse_const(b.module)?);
            }
            if !self.read.cursor.eat(b',') {
                return Ok(Case { values, is_default, block });
            }
        }
    }

    /// A closing brace: of a construct, or of the function (returns false).
    fn close(&mut self, b: Build<'_, '_>, here: Span) -> Parsed<bool> {
        self.read.cursor.bump();
        if self.state != State::Ended {
            self.read.cursor.error(here, "the block before has not ended");
        }
        let Some(construct) = self.constructs.pop() else { return Ok(false) };
        let merge = b.new_block();
        self.state = State::Head(merge);
        if construct.blocks.len() < construct.kind.least() {
            let role = construct.kind.role(construct.blocks.len()).unwrap_or("block");
            return Err(self.read.cursor.error(here, format!("the construct lacks its `{role}`")));
        }
        if !matches!(construct.kind, ConstructKind::Broken) {
            b.at(construct.span);
            b.exit_block(construct.owner, construct.kind.exit(&construct.blocks, merge));
        }
        self.read.cursor.line()?;
        Ok(true)
    }

    // Exits.

    fn read_exit(&mut self, b: Build<'_, '_>, here: Span, word: &str) -> Parsed<()> {
        let open = self.open_block(b, here);
        let opens = matches!(word, "if" | "loop" | "do_loop" | "switch" | "labelled");
        if opens {
            let kind = self.read_opening(b, word);
            let owner = b.block();
            self.state = State::Ended;
            let broken = kind.is_err() || open.is_err();
            let has_brace = broken && self.skip_to_brace();
            if !broken || has_brace {
                let kind = kind.unwrap_or(ConstructKind::Broken);
                let kind = if broken { ConstructKind::Broken } else { kind };
                let blocks = SmallVec::new();
                self.constructs.push(Construct { owner, kind, blocks, span: here });
            }
            return Ok(());
        }
        // Even if it is wrong, it ends the block.
        self.state = State::Ended;
        open?;
        let exit = self.read_leaving(b, word)?;
        if let Exit::NextBlock { merge } = exit {
            self.state = State::Head(merge);
        }
        b.exit(exit);
        Ok(())
    }

    /// After a wrong first line of a construct: whether it ends with an opening brace, which is consumed.
    fn skip_to_brace(&mut self) -> bool {
        let mut last_is_brace = self.read.cursor.before_is_brace();
        while !matches!(self.read.cursor.peek(), Token::Line | Token::End) {
            last_is_brace = self.read.cursor.peek() == Token::Mark(b'{');
            self.read.cursor.bump();
        }
        last_is_brace
    }

    fn read_opening(&mut self, b: Build<'_, '_>, word: &str) -> Parsed<ConstructKind> {
        let kind = match word {
            "if" => ConstructKind::If(self.operand(b)?),
            "loop" => ConstructKind::Loop(self.operands(b)?),
            "do_loop" => ConstructKind::DoLoop(self.operands(b)?),
            "labelled" => ConstructKind::Labelled,
            _ => ConstructKind::Switch { selector: self.operand(b)?, args: self.group(b, "none")?, cases: vec![] },
        };
        self.read.cursor.mark(b'{')?;
        Ok(kind)
    }

    fn read_leaving(&mut self, b: Build<'_, '_>, word: &str) -> Parsed<Exit> {
        Ok(match word {
            "open" => Exit::Open,
            "next_block" => Exit::NextBlock { merge: b.new_block() },
            "merge" => Exit::Merge(self.operands(b)?),
            "break" => {
                let (label, args) = self.jump(b)?;
                Exit::Break(label, args)
            }
            "continue" => {
                let (label, args) = self.jump(b)?;
                Exit::Continue(label, args)
            }
            "loop_if" => Exit::LoopIf {
                condition: self.operand(b)?,
                body_args: self.group(b, "body")?,
                merge_args: self.group(b, "merge")?,
            },
            "passthrough" => Exit::Passthrough,
            "return" => Exit::Return(self.operands(b)?),
            "discard" => Exit::Discard,
            _ => {
                let here = self.read.cursor.here();
                let name = self.read.cursor.take(Token::Word, "the kind of a trap")?;
                match TrapKind::ALL.into_iter().find(|k| k.name() == name) {
                    Some(kind) => Exit::Trap(kind),
                    None => {
                        let near = self.read.near(name, TrapKind::ALL.map(TrapKind::name));
                        return Err(self.read.unknown(here, "trap", name, near));
                    }
                }
            }
        })
    }

    fn jump(&mut self, b: Build<'_, '_>) -> Parsed<(Block, Args)> {
        let here = self.read.cursor.here();
        let label = self.read.cursor.take(Token::Word, "the label of a block")?;
        let Some(&block) = self.blocks.get(label) else {
            return Err(self.read.cursor.error(here, format!("there is no block `{label}` before this")));
        };
        let mut args = Args::new();
        while self.read.cursor.eat(b',') {
            args.push(self.operand(b)?);
        }
        Ok((block, args))
    }

    /// `word(%1, %2)`, or empty.
    fn group(&mut self, b: Build<'_, '_>, word: &str) -> Parsed<Args> {
        let mut args = Args::new();
        if self.read.cursor.eat_word(word) {
            self.read.cursor.mark(b'(')?;
            while !self.read.cursor.eat(b')') {
                if !args.is_empty() {
                    self.read.cursor.mark(b',')?;
                }
                args.push(self.operand(b)?);
            }
        }
        Ok(args)
    }

    // Nodes.

    fn define(&mut self, here: Span, label: &'a str, value: Slot) -> Parsed<()> {
        match self.values.insert(label, value) {
            None => Ok(()),
            Some(_) => Err(self.read.cursor.error(here, format!("`%{label}` is defined twice"))),
        }
    }

    fn read_results(&mut self, b: Build<'_, '_>) -> Parsed<bool> {
        let mut labels: SmallVec<[(&'a str, Span); 2]> = SmallVec::new();
        let mut head = || {
            loop {
                let here = self.read.cursor.here();
                labels.push((self.read.cursor.label(Token::Local, "the label of a result")?, here));
                if !self.read.cursor.eat(b',') {
                    return Ok(());
                }
            }
        };
        let done = head().and_then(|()| self.read_node(b, &labels)).and_then(|()| self.read.cursor.line());
        if done.is_err() {
            // Uses of labels from a wrong line are not reported.
            for (label, _) in labels {
                self.values.entry(label).or_insert(None);
            }
        }
        done.map(|()| true)
    }

    /// A node, after the labels of its results.
    fn read_node(&mut self, b: Build<'_, '_>, labels: &[(&'a str, Span)]) -> Parsed<()> {
        let start = labels.first().map_or(self.read.cursor.here(), |(_, span)| *span);
        self.open_block(b, start)?;
        let ty = if self.read.cursor.eat(b':') { Some(self.read.parse_type(b.module)?) } else { None };
        if !labels.is_empty() {
            self.read.cursor.mark(b'=')?;
        }
        let here = self.read.cursor.here();
        let word = self.read.cursor.take(Token::Word, "an op")?;
        let Some(op) = Op::from_text(word) else {
            let near = self.read.near(word, OPS.iter().map(|row| row.text));
            return Err(self.read.unknown(here, "op", word, near));
        };
        let imm = self.read.parse_imm(b.module, op)?;
        let args = self.operands(b)?;
        let precision = self.read.parse_precision();
        b.set_precise(self.read.cursor.eat_word("precise"));
        b.at(start.to(self.read.cursor.before()));
        let mut request = Request::new(op, &args).imm(imm).precision(precision);
        request.ty = ty;
        if op.info().rule.needs_type() && ty.is_none() {
            return Err(self.read.cursor.error(here, format!("`{word}` needs the type of its result: `%1: type = …`")));
        }
        let results = match b.try_make(request) {
            Ok(results) => results,
            Err(error) => return Err(self.read.cursor.error(here, format!("`{word}`: {}", error.0))),
        };
        if results.len() != labels.len() {
            let message = format!("`{word}` gives {} results, not {}", results.len(), labels.len());
            return Err(self.read.cursor.error(here, message));
        }
        if let (Some(want), Some(&first)) = (ty, results.first())
            && b.type_of(first) != want
        {
            let have = type_text(&b.module.types, b.type_of(first));
            return Err(self.read.cursor.error(here, format!("`{word}` gives {have} here")));
        }
        for (&(label, span), &value) in labels.iter().zip(&results) {
            self.define(span, label, Some(value))?;
        }
        Ok(())
    }

    /// Operands up to the first token that cannot begin one.
    fn operands(&mut self, b: Build<'_, '_>) -> Parsed<Args> {
        let mut args = Args::new();
        let none = match self.read.cursor.peek() {
            Token::Line | Token::End | Token::Mark(b'{') => true,
            Token::Word => matches!(self.read.cursor.text(), "lowp" | "mediump" | "highp" | "precise"),
            _ => false,
        };
        if none {
            return Ok(args);
        }
        let mut failed = false;
        loop {
            match self.operand(b) {
                Ok(value) => args.push(value),
                // The other operands may have errors of their own.
                Err(Failed) if self.read.cursor.peek() == Token::Mark(b',') => failed = true,
                Err(Failed) => return Err(Failed),
            }
            if !self.read.cursor.eat(b',') {
                return if failed { Err(Failed) } else { Ok(args) };
            }
        }
    }

    fn operand(&mut self, b: Build<'_, '_>) -> Parsed<Value> {
        let here = self.read.cursor.here();
        match self.read.cursor.peek() {
            Token::Local => {
                let label = &self.read.cursor.bump()[1..];
                match self.values.get(label) {
                    Some(Some(value)) => Ok(*value),
                    Some(None) => Err(Failed),
                    None => Err(self.read.cursor.error(here, format!("no line before this makes `%{label}`"))),
                }
            }
            Token::Global => {
                let label = &self.read.cursor.bump()[1..];
                if let Some(&var) = self.vars.get(label) {
                    return Ok(var.into());
                }
                if let Some(&value) = self.read.globals.get(label) {
                    return Ok(value);
                }
                let known = self.vars.keys().chain(self.read.globals.keys()).copied();
                let near = self.read.near(label, known);
                Err(self.read.unknown(here, "variable or function", label, near))
            }
            _ => Ok(self.read.parse_const(b.module)?.into()),
        }
    }
}

/// `b` and a number.
fn is_block_label(word: &str) -> bool {
    word.strip_prefix('b').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn is_exit(word: &str) -> bool {
    matches!(
        word,
        "if" | "loop"
            | "do_loop"
            | "switch"
            | "labelled"
            | "next_block"
            | "merge"
            | "break"
            | "continue"
            | "loop_if"
            | "passthrough"
            | "return"
            | "discard"
            | "trap"
            | "open"
    )
}
