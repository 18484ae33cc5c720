//! Statements on the invocations of a subgroup; and the directive that enables them, which naga does not know.

use std::borrow::Cow;

use naga::{CollectiveOperation, Direction, Expression, GatherMode, Handle, SubgroupOperation};
use planish_ir::builder::Request;
use planish_ir::entity::{Const, Type};
use planish_ir::ops::{GroupOperation, Op};

use crate::function::Scope;
use crate::module::Lower;

impl Scope<'_, '_> {
    pub(crate) fn ballot(&mut self, predicate: Option<Handle<Expression>>, result: Handle<Expression>) -> Lower<()> {
        let predicate = match predicate {
            Some(predicate) => self.value(predicate)?,
            None => Const::TRUE.into(),
        };
        let value = self.b.op(Op::SubgroupBallot, &[predicate]);
        self.define(result, value);
        Ok(())
    }

    pub(crate) fn gather(
        &mut self,
        mode: GatherMode,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Lower<()> {
        let (op, index) = match mode {
            GatherMode::BroadcastFirst => (Op::SubgroupBroadcastFirst, None),
            GatherMode::Broadcast(index) => (Op::SubgroupBroadcast, Some(index)),
            GatherMode::Shuffle(index) => (Op::SubgroupShuffle, Some(index)),
            GatherMode::ShuffleDown(index) => (Op::SubgroupShuffleDown, Some(index)),
            GatherMode::ShuffleUp(index) => (Op::SubgroupShuffleUp, Some(index)),
            GatherMode::ShuffleXor(index) => (Op::SubgroupShuffleXor, Some(index)),
            GatherMode::QuadBroadcast(index) => (Op::QuadBroadcast, Some(index)),
            GatherMode::QuadSwap(Direction::X) => (Op::QuadSwapHorizontal, None),
            GatherMode::QuadSwap(Direction::Y) => (Op::QuadSwapVertical, None),
            GatherMode::QuadSwap(Direction::Diagonal) => (Op::QuadSwapDiagonal, None),
        };
        let mut args = vec![self.value(argument)?];
        if let Some(index) = index {
            let index = self.value(index)?;
            args.push(self.b.convert(index, Type::U32));
        }
        let value = self.b.op(op, &args);
        self.define(result, value);
        Ok(())
    }

    pub(crate) fn collective(
        &mut self,
        op: SubgroupOperation,
        part: CollectiveOperation,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Lower<()> {
        let op = match op {
            SubgroupOperation::All => Op::SubgroupAll,
            SubgroupOperation::Any => Op::SubgroupAny,
            SubgroupOperation::Add => Op::SubgroupAdd,
            SubgroupOperation::Mul => Op::SubgroupMultiply,
            SubgroupOperation::Min => Op::SubgroupMin,
            SubgroupOperation::Max => Op::SubgroupMax,
            SubgroupOperation::And => Op::SubgroupAnd,
            SubgroupOperation::Or => Op::SubgroupOr,
            SubgroupOperation::Xor => Op::SubgroupXor,
        };
        let group = match part {
            CollectiveOperation::Reduce => GroupOperation::Reduce,
            CollectiveOperation::InclusiveScan => GroupOperation::InclusiveScan,
            CollectiveOperation::ExclusiveScan => GroupOperation::ExclusiveScan,
        };
        let argument = self.value(argument)?;
        // (Votes have no group operation.)
        let value = self.b.make(Request::new(op, &[argument]).imm(group));
        self.define(result, value);
        Ok(())
    }
}

/// A program without the name `subgroups` in its `enable` directives; all else keeps its place. naga has the functions without it.
pub(crate) fn without_directive(text: &str) -> Cow<'_, str> {
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(end) = next_directive(text, &mut at) {
        let (start, list) = (at, &text[at..end]);
        at = end + 1;
        let Some(names) = list.strip_prefix("enable").filter(|rest| !rest.starts_with(is_word)) else { continue };
        let kept: Vec<&str> = names.split(',').map(str::trim).filter(|&n| !n.is_empty() && n != "subgroups").collect();
        if kept.len() == names.split(',').filter(|n| !n.trim().is_empty()).count() {
            continue;
        }
        let mut line = if kept.is_empty() { String::new() } else { format!("enable {};", kept.join(", ")) };
        // Every line ends where it did.
        let old = &text[start..=end];
        if line.len() > old.len() || old.contains('\n') && !kept.is_empty() {
            continue;
        }
        if kept.is_empty() {
            line = old.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        }
        let bytes = out.get_or_insert_with(|| text.as_bytes().to_vec());
        bytes[start..=end].fill(b' ');
        bytes[start..start + line.len()].copy_from_slice(line.as_bytes());
    }
    match out.map(String::from_utf8) {
        Some(Ok(changed)) => Cow::Owned(changed),
        _ => Cow::Borrowed(text),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Skips blanks and comments from `at` on; the place of the semicolon if a directive without comments begins there.
fn next_directive(text: &str, at: &mut usize) -> Option<usize> {
    loop {
        let rest = &text[*at..];
        let trimmed = rest.trim_start();
        *at += rest.len() - trimmed.len();
        let skipped = if trimmed.starts_with("//") {
            trimmed.find('\n').map_or(trimmed.len(), |end| end + 1)
        } else if trimmed.starts_with("/*") {
            comment_len(trimmed)?
        } else {
            break;
        };
        *at += skipped;
    }
    let rest = &text[*at..];
    let is_directive = ["enable", "requires", "diagnostic"].iter().any(|word| rest.starts_with(word));
    let end = rest.find(';').filter(|_| is_directive)?;
    let is_plain = rest[..end].bytes().all(|c| c.is_ascii() && !matches!(c, b'/' | b'{' | b'}'));
    is_plain.then_some(*at + end)
}

/// Length of the comment, which may have others inside, that a text begins with.
fn comment_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut i) = (0, 0);
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                i += 1;
                continue;
            }
        }
        i += 2;
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::without_directive;

    #[test]
    fn all_else_keeps_its_place() {
        let cases = [
            ("enable subgroups;\nfn f() {}", "                 \nfn f() {}"),
            (
                "// enable x;\n/* a /* b */ */enable f16, subgroups;fn",
                "// enable x;\n/* a /* b */ */enable f16;           fn",
            ),
            ("enable subgroups, f16;\nenable\n subgroups\n;x", "enable f16;           \n      \n          \n x"),
            (
                "enable f16;\ndiagnostic(off, x);\nenable subgroups;",
                "enable f16;\ndiagnostic(off, x);\n                 ",
            ),
            ("fn f() { } enable subgroups;", "fn f() { } enable subgroups;"),
            ("enable subgroups", "enable subgroups"),
            ("enablesubgroups;", "enablesubgroups;"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_directive(text), expected);
            assert_eq!(text.len(), expected.len());
        }
    }
}
