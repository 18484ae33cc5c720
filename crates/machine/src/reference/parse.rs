//! The assembler: parses text in the format of [`print`](super::text::print) into directives.

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Memory, Table, Type};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Imm, ImmKind, LaneShape, MemArg, Op, Width};
use planish_ir::source::Span;
use smallvec::SmallVec;

use super::directive::{Arg, Directive, Nested, Target};
use crate::asm::{FunctionAsm, Spans};
use crate::isa::{Comparison, Frame, Kind, Label, Reg, is_comparison};

/// A syntax error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AsmError {
    /// Line, from 1.
    pub line: usize,
    /// Description, in a few words.
    pub message: String,
}

impl std::fmt::Display for AsmError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

type Parsed<T> = Result<T, String>;

/// Parses functions.
///
/// # Errors
/// The first malformed line.
pub fn parse(text: &str) -> Result<Vec<FunctionAsm<Directive>>, AsmError> {
    let mut functions: Vec<FunctionAsm<Directive>> = vec![];
    let mut open = false;
    for (i, line) in text.lines().enumerate() {
        let wrong = |message: String| AsmError { line: i + 1, message };
        let (code, span) = place(line).map_err(wrong)?;
        if code.is_empty() {
            continue;
        }
        if !open {
            functions.push(header(code).map_err(wrong)?);
            open = true;
        } else if code == "}" {
            open = false;
        } else if let Some(function) = functions.last_mut() {
            let mut words = Words { rest: code };
            let directive = directive(&mut words).and_then(|d| words.end().map(|()| d)).map_err(wrong)?;
            each_label(&directive, |label| function.labels = function.labels.max(label.0 + 1));
            function.spans.push(function.directives.len(), span);
            function.directives.push(directive);
        }
    }
    if open {
        return Err(AsmError { line: text.lines().count(), message: "the function does not end".into() });
    }
    Ok(functions)
}

/// Calls `f` with the labels of a directive.
fn each_label(directive: &Directive, mut f: impl FnMut(Label)) {
    match directive {
        Directive::Label(to) | Directive::Jump(to) => f(*to),
        Directive::JumpIf { to, .. } | Directive::JumpCompare { to, .. } => f(*to),
        Directive::JumpTable { to, .. } => to.iter().copied().for_each(f),
        _ => {}
    }
}

/// Splits a line into code and the source span in its comment.
fn place(line: &str) -> Parsed<(&str, Span)> {
    let Some((code, comment)) = line.split_once(';') else { return Ok((line.trim(), Span::NONE)) };
    let span = match comment.trim().split_once("..") {
        Some((start, end)) => match (start.trim().parse(), end.trim().parse()) {
            (Ok(start), Ok(end)) => Span::new(start, end),
            _ => Span::NONE,
        },
        None => Span::NONE,
    };
    Ok((code.trim(), span))
}

/// `fn f0 "name" args 1 results 1 frame 3 {`
fn header(line: &str) -> Parsed<FunctionAsm<Directive>> {
    let rest = line.strip_prefix("fn ").ok_or("a function begins with `fn`")?;
    let (func, rest) = rest.split_once(' ').ok_or("a function has a number")?;
    let rest = rest.trim_end().strip_suffix('{').ok_or("`{` is missing")?;
    let after_name = rest.rfind('"').map_or(rest, |end| &rest[end + 1..]);
    let mut words = Words { rest: after_name.trim() };
    let mut count = |name: &str| {
        words.expect(name)?;
        words.number()
    };
    let (args, results, frame) = (count("args")?, count("results")?, count("frame")?);
    let func = Func::from_u32(numbered(func, "f")?);
    Ok(FunctionAsm { func, directives: vec![], spans: Spans::default(), labels: 0, frame, args, results })
}

fn numbered(word: &str, prefix: &str) -> Parsed<u32> {
    let digits = word.strip_prefix(prefix);
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| format!("`{word}` is not `{prefix}` and a number"))
}

/// The unread rest of a line.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// Next word or punctuation mark.
    fn next(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let len = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        let len = if len == 0 { self.rest.chars().next().map_or(0, char::len_utf8) } else { len };
        let (next, rest) = self.rest.split_at(len);
        self.rest = rest;
        next
    }

    fn peek(&self) -> &'a str {
        Words { rest: self.rest }.next()
    }

    fn eat(&mut self, word: &str) -> bool {
        let is = self.peek() == word;
        if is {
            self.next();
        }
        is
    }

    fn expect(&mut self, word: &str) -> Parsed<()> {
        let next = self.next();
        if next == word { Ok(()) } else { Err(format!("`{word}` is expected, not `{next}`")) }
    }

    fn end(&mut self) -> Parsed<()> {
        let next = self.next();
        if next.is_empty() { Ok(()) } else { Err(format!("the line should end before `{next}`")) }
    }

    fn number(&mut self) -> Parsed<u32> {
        let word = self.next();
        word.parse().map_err(|_| format!("`{word}` is no number"))
    }

    fn reg(&mut self) -> Parsed<Reg> {
        Ok(Reg(numbered(self.next(), "r")?))
    }

    fn label(&mut self) -> Parsed<Label> {
        Ok(Label(numbered(self.next(), "L")?))
    }

    fn arg(&mut self) -> Parsed<Arg> {
        if self.eat("(") {
            // Nested operations have no nested operands (`fuse::absorb`).
            let (op, imm, operand, result, args) = self.operation(false, Self::plain_arg)?;
            self.expect(")")?;
            return Ok(Arg::Nested(Box::new(Nested { op, imm, operand, result, args })));
        }
        self.plain_arg()
    }

    fn plain_arg(&mut self) -> Parsed<Arg> {
        let word = self.next();
        if word.starts_with('r') {
            return Ok(Arg::Reg(Reg(numbered(word, "r")?)));
        }
        if let Some(digits) = word.strip_prefix("wide_") {
            return u128::from_str_radix(digits, 16).map(Arg::Wide).map_err(|_| format!("`{word}` is no constant"));
        }
        constant(word).map(Arg::Const)
    }

    /// `kind.op.result[imm] args`
    fn operation(&mut self, no_result: bool, arg: fn(&mut Self) -> Parsed<Arg>) -> Parsed<Operation> {
        let word = self.next();
        let (op, operand, result) = operation_name(word, no_result)?;
        let imm = if self.peek() == "[" { self.immediate(op)? } else { Imm::NONE };
        let mut args = SmallVec::new();
        if !matches!(self.peek(), "" | ")") {
            args.push(arg(self)?);
            while self.eat(",") {
                args.push(arg(self)?);
            }
        }
        Ok((op, imm, operand, result, args))
    }

    fn immediate(&mut self, op: Op) -> Parsed<Imm> {
        self.expect("[")?;
        let imm = match op.info().imm {
            ImmKind::MemArg => {
                let memory = Memory::new(numbered(self.next(), "memory")? as usize);
                let width = self.next();
                let signed = width.starts_with('s');
                let width = match width.trim_start_matches(['s', 'u']) {
                    "8" => Width::B8,
                    "16" => Width::B16,
                    "32" => Width::B32,
                    "64" => Width::B64,
                    "128" => Width::B128,
                    _ => return Err(format!("`{width}` is no width")),
                };
                self.expect("offset")?;
                let offset = self.number()?;
                let in_bounds = self.peek() == "in_bounds";
                if in_bounds {
                    self.next();
                }
                MemArg { memory, width, signed, offset, in_bounds }.into()
            }
            ImmKind::Shape => self.shape()?.into(),
            ImmKind::Lane => Imm::lane(self.shape()?, self.number()? as u8),
            _ => {
                let low = self.number()?;
                self.expect(",")?;
                Imm::pair(low, self.number()?)
            }
        };
        self.expect("]")?;
        Ok(imm)
    }

    fn shape(&mut self) -> Parsed<LaneShape> {
        let name = self.next();
        LaneShape::ALL.into_iter().find(|s| s.name() == name).ok_or_else(|| format!("`{name}` is no shape"))
    }
}

type Operation = (Op, Imm, Kind, Kind, SmallVec<[Arg; 2]>);

fn constant(word: &str) -> Parsed<u64> {
    let parsed = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    parsed.ok_or_else(|| format!("`{word}` is no constant"))
}

/// Op and kinds; the kind of no result is `none`.
fn operation_name(word: &str, no_result: bool) -> Parsed<(Op, Kind, Kind)> {
    let parts: Vec<&str> = word.split('.').collect();
    let kind = |name: &str| Kind::from_name(name).ok_or_else(|| format!("`{name}` is no kind"));
    let op = |name: &str| Op::from_text(name).ok_or_else(|| format!("`{name}` is no operation"));
    let (op, operand, result) = match parts[..] {
        [name] => (op(name)?, Kind::None, Kind::None),
        [first, second] => match Op::from_text(first) {
            Some(op) => (op, Kind::None, kind(second)?),
            None => (op(second)?, kind(first)?, kind(first)?),
        },
        [first, name, last] => (op(name)?, kind(first)?, kind(last)?),
        _ => return Err(format!("`{word}` is no operation")),
    };
    Ok((op, operand, if no_result { Kind::None } else { result }))
}

fn directive(words: &mut Words<'_>) -> Parsed<Directive> {
    match words.peek() {
        "jump" | "jump_not" => jump(words),
        "jump_if" | "jump_unless" => {
            let nonzero = words.next() == "jump_if";
            let condition = words.arg()?;
            words.expect(",")?;
            Ok(Directive::JumpIf { condition, nonzero, to: words.label()? })
        }
        "table" => {
            words.next();
            let index = words.reg()?;
            words.expect(",")?;
            words.expect("[")?;
            let mut to = vec![words.label()?];
            while words.eat(",") {
                to.push(words.label()?);
            }
            words.expect("]")?;
            Ok(Directive::JumpTable { index, to: to.into() })
        }
        "trap" => {
            words.next();
            let name = words.next();
            let kind = TrapKind::ALL.into_iter().find(|kind| kind.name() == name);
            kind.map(Directive::Trap).ok_or_else(|| format!("`{name}` is no trap"))
        }
        "call" | "tail_call" => call(words),
        "return" => {
            words.next();
            Ok(Directive::Return)
        }
        "frame" => {
            words.next();
            let (base, index) = indexed(words)?;
            words.expect("=")?;
            let value = words.arg()?;
            words.expect("words")?;
            Ok(Directive::IndexedStore { base, index, value, words: words.number()? })
        }
        word if word.starts_with('L') => {
            let label = words.label()?;
            words.expect(":")?;
            Ok(Directive::Label(label))
        }
        word if word.starts_with('r') && numbered(word, "r").is_ok() => assignment(words),
        _ => {
            let (op, imm, operand, result, args) = words.operation(true, Words::arg)?;
            Ok(Directive::Op { op, imm, operand, result, outs: SmallVec::new(), args })
        }
    }
}

fn jump(words: &mut Words<'_>) -> Parsed<Directive> {
    let negated = words.next() == "jump_not";
    if words.peek().starts_with('L') {
        return Ok(Directive::Jump(words.label()?));
    }
    let word = words.next();
    let (op, kind, _) = operation_name(word, false)?;
    if !is_comparison(op) {
        return Err(format!("`{word}` is no comparison"));
    }
    let a = words.arg()?;
    words.expect(",")?;
    let b = words.arg()?;
    words.expect(",")?;
    Ok(Directive::JumpCompare { comparison: Comparison { op, kind, negated }, args: [a, b], to: words.label()? })
}

fn indexed(words: &mut Words<'_>) -> Parsed<(Reg, Arg)> {
    words.expect("[")?;
    let base = words.reg()?;
    words.expect("+")?;
    let index = words.arg()?;
    words.expect("]")?;
    Ok((base, index))
}

/// `r1 = …`
fn assignment(words: &mut Words<'_>) -> Parsed<Directive> {
    let mut outs: SmallVec<[Reg; 2]> = SmallVec::new();
    outs.push(words.reg()?);
    while words.eat(",") {
        outs.push(words.reg()?);
    }
    words.expect("=")?;
    let word = words.peek();
    let out = outs[0];
    if word == "frame" {
        words.next();
        let (base, index) = indexed(words)?;
        words.expect("words")?;
        return Ok(Directive::IndexedLoad { out, base, index, words: words.number()? });
    }
    if numbered(word, "r").is_ok() {
        return Ok(Directive::Copy { out, from: words.reg()? });
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(Directive::Constant { out, bits: constant(words.next())? });
    }
    let (op, imm, operand, result, args) = words.operation(false, Words::arg)?;
    Ok(Directive::Op { op, imm, operand, result, outs, args })
}

/// `call f0 at r1 args 1 results 1` and similar.
fn call(words: &mut Words<'_>) -> Parsed<Directive> {
    let tail = words.next() == "tail_call";
    let target = match words.peek() {
        "import" => {
            words.next();
            Target::Import(Func::from_u32(numbered(words.next(), "f")?))
        }
        "value" => {
            words.next();
            Target::Value(words.arg()?)
        }
        word if word.starts_with("table") => {
            let table = Table::from_u32(numbered(words.next(), "table")?);
            let ty = Type::from_u32(numbered(words.next(), "t")?);
            Target::Table { table, ty, index: words.arg()? }
        }
        _ => Target::Func(Func::from_u32(numbered(words.next(), "f")?)),
    };
    words.expect("at")?;
    let base = words.reg()?;
    words.expect("args")?;
    let args = words.number()?;
    words.expect("results")?;
    let frame = Frame { base, args, results: words.number()? };
    Ok(if tail { Directive::TailCall { target, frame } } else { Directive::Call { target, frame } })
}
