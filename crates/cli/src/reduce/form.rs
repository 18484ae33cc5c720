//! Programs as texts of which parts can be removed: texts as they are, WebAssembly as its text, SPIR-V as lines of numbers.
//!
//! A binary is well formed whatever is removed of its text: lengths and indices are written anew. Whether it is still valid, the command
//! judges.

use std::ops::Range;
use std::path::Path;

use crate::Stop;

/// The number of SPIR-V in words as the machine that wrote them has them.
const MAGIC: u32 = 0x0723_0203;

/// Words before the first instruction.
const HEADER: usize = 5;

/// Instructions that begin and end a function.
const FUNCTION: [u32; 2] = [54, 56];

/// The text of a program: its kind, and the rest of the program.
pub(super) enum Form {
    /// As it is.
    Text,
    /// By wasmprinter, with a name for everything: what is removed changes no index of another.
    Wasm {
        /// Whether the module has names itself; else those are left out again.
        has_names: bool,
    },
    /// A line of numbers for each instruction: its opcode, and its operands in words. Functions are in braces.
    Spirv {
        /// The words before the first instruction.
        header: [u32; HEADER],
        is_big_endian: bool,
    },
}

impl Form {
    /// The form of a program, and its text.
    pub(super) fn of(file: &Path, bytes: &[u8]) -> Result<(Form, Vec<u8>), Stop> {
        let refused = |why: String| Err(Stop::usage(format!("{} {why}", file.display())));
        match bytes {
            [0, b'a', b's', b'm', ..] => match wat(bytes) {
                Ok(text) => Ok((Form::Wasm { has_names: names(bytes).is_some() }, text.into_bytes())),
                Err(error) => refused(format!("is a binary of WebAssembly that cannot be taken apart: {error}")),
            },
            [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..] => match spirv(bytes) {
                Some(taken) => Ok(taken),
                None => refused("is a binary of SPIR-V that cannot be taken apart: an instruction is cut off".into()),
            },
            _ if bytes.contains(&0) => refused("is binary; reduce takes texts, WebAssembly and SPIR-V".into()),
            _ => Ok((Form::Text, bytes.to_vec())),
        }
    }

    /// The program of a text; `None` if it is none.
    pub(super) fn program(&self, text: &[u8]) -> Option<Vec<u8>> {
        match self {
            Form::Text => Some(text.to_vec()),
            Form::Wasm { has_names } => {
                let buffer = wast::parser::ParseBuffer::new(std::str::from_utf8(text).ok()?).ok()?;
                let mut binary = wast::parser::parse::<wast::Wat<'_>>(&buffer).ok()?.encode().ok()?;
                if let Some(names) = names(&binary).filter(|_| !has_names) {
                    binary.drain(names);
                }
                Some(binary)
            }
            Form::Spirv { header, is_big_endian } => {
                let mut words = header.to_vec();
                for line in lines(text)?.into_iter().filter(|line| !line.is_empty()) {
                    // The length is in the upper half of the first word.
                    let length = u32::try_from(line.len()).ok().filter(|&length| length < 1 << 16)?;
                    let op = line.first().copied().filter(|&op| op < 1 << 16)?;
                    words.push(length << 16 | op);
                    words.extend(&line[1..]);
                }
                let bytes = |word: u32| if *is_big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
                Some(words.into_iter().flat_map(bytes).collect())
            }
        }
    }

    /// Number of bytes of a program in which nothing is.
    pub(super) fn least(&self) -> usize {
        match self {
            Form::Text => 0,
            Form::Wasm { .. } => 8,
            Form::Spirv { header, .. } => size_of_val(header),
        }
    }

    pub(super) fn is_binary(&self) -> bool {
        !matches!(self, Form::Text)
    }
}

fn wat(bytes: &[u8]) -> Result<String, String> {
    let mut config = wasmprinter::Config::new();
    config.name_unnamed(true);
    let mut text = String::new();
    let mut printer = wasmprinter::PrintFmtWrite(&mut text);
    config.print(bytes, &mut printer).map_err(|error| error.to_string())?;
    Ok(text)
}

/// The section with the names of a module, which is whole.
fn names(module: &[u8]) -> Option<Range<usize>> {
    let payloads = wasmparser::Parser::new(0).parse_all(module).map_while(Result::ok);
    let mut start = 0;
    for payload in payloads {
        let contents = payload.as_section().map(|(_, contents)| contents);
        match payload {
            wasmparser::Payload::CustomSection(section) if section.name() == "name" => {
                let end = section.range().end;
                return Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?);
            }
            wasmparser::Payload::Version { range, .. } => start = range.end,
            _ => start = contents.map_or(start, |contents| contents.end),
        }
    }
    None
}

fn spirv(bytes: &[u8]) -> Option<(Form, Vec<u8>)> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    let is_big_endian = u32::from_be_bytes(*words.first()?) == MAGIC;
    let word = |bytes: &[u8; 4]| if is_big_endian { u32::from_be_bytes(*bytes) } else { u32::from_le_bytes(*bytes) };
    let words: Vec<u32> = words.iter().map(word).collect();
    let (header, mut rest) = words.split_first_chunk::<HEADER>()?;
    let mut all = vec![];
    while let Some(&first) = rest.first() {
        let (length, op) = ((first >> 16) as usize, first & 0xffff);
        let (instruction, others) = rest.split_at_checked(length).filter(|_| length > 0)?;
        all.push([&[op], &instruction[1..]].concat());
        rest = others;
    }
    Some((Form::Spirv { header: *header, is_big_endian }, written(&all)))
}

/// The text of instructions.
fn written(instructions: &[Vec<u32>]) -> Vec<u8> {
    let mut text = String::new();
    for instruction in instructions {
        let line = instruction.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        text += match instruction.first() {
            Some(op) if *op == FUNCTION[0] => "{\n",
            _ => "",
        };
        text += &line;
        text += match instruction.first() {
            Some(op) if *op == FUNCTION[1] => "\n}\n",
            _ => "\n",
        };
    }
    text.into_bytes()
}

/// The numbers of the lines; none of one with a brace.
fn lines(text: &[u8]) -> Option<Vec<Vec<u32>>> {
    let number = |word: &str| word.parse::<u32>().ok();
    let line = |line: &str| line.split_whitespace().filter(|word| !matches!(*word, "{" | "}")).map(number).collect();
    std::str::from_utf8(text).ok()?.lines().map(line).collect()
}

/// Opcodes of SPIR-V with which control goes on elsewhere.
mod op {
    pub(super) const LOOP_MERGE: u32 = 246;
    pub(super) const SELECTION_MERGE: u32 = 247;
    pub(super) const BRANCH: u32 = 249;
    pub(super) const BRANCH_CONDITIONAL: u32 = 250;
    pub(super) const SWITCH: u32 = 251;
}

/// Operands of an instruction that are tried in the place of its result.
const MAX_OPERANDS: usize = 8;

/// A text of SPIR-V in which instructions are replaced by something smaller, from the last to the first: a branch with a condition by one
/// without, a result by one of the operands. `succeeds` judges.
pub(super) fn with_less(text: &[u8], mut succeeds: impl FnMut(&[u8]) -> Result<bool, Stop>) -> Result<Vec<u8>, Stop> {
    let Some(mut all) = lines(text) else { return Ok(text.to_vec()) };
    all.retain(|line| !line.is_empty());
    for at in (0..all.len()).rev() {
        for candidate in smaller(&all, at) {
            if succeeds(&written(&candidate))? {
                all = candidate;
                break;
            }
        }
    }
    Ok(written(&all))
}

/// Texts with something else in the place of an instruction.
fn smaller(all: &[Vec<u32>], at: usize) -> Vec<Vec<Vec<u32>>> {
    let Some(line) = all.get(at) else { return vec![] };
    let branches = |targets: &[u32]| {
        // The merge instruction before it goes, too.
        let merge = at.checked_sub(1).filter(|&merge| matches!(all[merge][0], op::LOOP_MERGE | op::SELECTION_MERGE));
        let start = merge.unwrap_or(at);
        let to = |&target: &u32| [&all[..start], &[vec![op::BRANCH, target]], &all[at + 1..]].concat();
        targets.iter().map(to).collect()
    };
    match line[..] {
        [op::BRANCH_CONDITIONAL, _, yes, no, ..] => branches(&[yes, no]),
        [op::SWITCH, _, default, ..] => branches(&[default]),
        [_, _, result, ref operands @ ..] => {
            let mut known: Vec<u32> = operands.iter().copied().filter(|&operand| operand != result).collect();
            known.sort_unstable();
            known.dedup();
            known.truncate(MAX_OPERANDS);
            let with = |operand: u32| {
                let others = all.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, line)| line.clone());
                let replaced = |mut line: Vec<u32>| {
                    line[1..].iter_mut().filter(|word| **word == result).for_each(|word| *word = operand);
                    line
                };
                others.map(replaced).collect()
            };
            known.into_iter().map(with).collect()
        }
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(order: fn(u32) -> [u8; 4]) -> Vec<u8> {
        let instructions = [&[0x0002_0011, 1][..], &[0x0005_0036, 2, 4, 0, 3], &[0x0001_0038]].concat();
        [&[MAGIC, 0x0001_0000, 0, 9, 0], &instructions[..]].concat().into_iter().flat_map(order).collect()
    }

    #[test]
    fn spirv_is_lines_of_numbers() {
        for order in [u32::to_le_bytes as fn(u32) -> [u8; 4], u32::to_be_bytes] {
            let binary = words(order);
            let (form, text) = Form::of(Path::new("a.spv"), &binary).expect("it is well formed");
            assert_eq!(String::from_utf8_lossy(&text), "17 1\n{\n54 2 4 0 3\n56\n}\n");
            assert_eq!(form.program(&text).as_ref(), Some(&binary));
            // Lengths follow from what is left.
            let shorter = form.program(b"54 2 4\n").expect("it is an instruction");
            assert_eq!(shorter[20..], [0x0003_0036, 2, 4].map(order).concat());
            assert_eq!(form.program(b"54 x\n"), None);
            assert_eq!(form.program(b"65536\n"), None);
            for cut in 4..binary.len() {
                assert!(Form::of(Path::new("a.spv"), &binary[..cut]).is_err() || [20, 28, 48].contains(&cut), "{cut}");
            }
        }
    }

    #[test]
    fn instructions_become_branches_and_operands() {
        let all = |text: &str, at: usize| {
            let lines = lines(text.as_bytes()).expect("these are numbers");
            let texts =
                smaller(&lines, at).into_iter().map(|lines| String::from_utf8_lossy(&written(&lines)).into_owned());
            texts.collect::<Vec<_>>()
        };
        let branch = "129 6 7 1 2\n247 9 0\n250 7 10 11\n";
        assert_eq!(all(branch, 2), ["129 6 7 1 2\n249 10\n", "129 6 7 1 2\n249 11\n"]);
        assert_eq!(all(branch, 0), ["247 9 0\n250 1 10 11\n", "247 9 0\n250 2 10 11\n"]);
        assert_eq!(all("248 5\n", 0), [""; 0]);
        assert_eq!(all("251 7 10 0 11\n", 0), ["249 10\n"]);
    }

    #[test]
    fn webassembly_is_its_text() {
        for (text, has_names) in
            [("(module (func) (func (call 0)))", false), ("(module (func $a) (func $b (call $a)))", true)]
        {
            let binary = Form::Wasm { has_names }.program(text.as_bytes()).expect("it is a module");
            assert_eq!(names(&binary).is_some(), has_names);
            let (form, text) = Form::of(Path::new("a.wasm"), &binary).expect("it is a module");
            let again = form.program(&text).expect("it is a module");
            assert!(again == binary || has_names && again.starts_with(&binary[..names(&binary).expect("names").start]));
            assert_eq!(form.program(b"(module)").map(|empty| empty.len()), Some(form.least()));
            assert_eq!(form.program(b"(module"), None);
            for cut in 1..binary.len() {
                let _ = Form::of(Path::new("a.wasm"), &binary[..cut]);
            }
        }
    }
}
