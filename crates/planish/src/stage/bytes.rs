//! Programs as bytes.
//!
//! ```text
//! magic "\xb6planish", version of the format (u32), length of the rest (u32), its CRC-32 (u32)     little endian
//! the version of Planish that wrote it; the name of the function                                  texts: length, UTF-8
//! slices: their number; parameter, number, count, whether written
//! the files of places: their number; names
//! places: file + 1, line, column (0: none; 1 is "as before") of each function, each node and exit of its body, in order
//! the program in the text form of the IR
//! ```
//! Numbers without a width are LEB128. Everything else, such as the signature, follows from the program.

use std::collections::HashMap;
use std::sync::Arc;

use planish_front_stage::Errors;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Func;
use planish_ir::host::{HostNumber, SliceParam};
use planish_ir::module::Module;
use planish_ir::source::{SourceFile, SourceMap, Span};
use planish_ir::{text, verify, walk};

use super::program::errors;
use super::{Program, Signature};

const MAGIC: [u8; 8] = *b"\xb6planish";
/// The version of the format. Older versions can be read.
const FORMAT: u32 = 1;
/// Bytes of the magic, the version, the length and the checksum.
const HEADER: usize = 20;
/// Larger programs are refused.
const MAX_BYTES: usize = 64 << 20;

const NUMBERS: [HostNumber; 10] = [
    HostNumber::I8,
    HostNumber::U8,
    HostNumber::I16,
    HostNumber::U16,
    HostNumber::I32,
    HostNumber::U32,
    HostNumber::I64,
    HostNumber::U64,
    HostNumber::F32,
    HostNumber::F64,
];

/// A place: file, line and column.
type Place = Option<(u32, u32, u32)>;

impl Program {
    /// The program as bytes, which this version of Planish and later ones read.
    ///
    /// # Errors
    /// If it calls functions of its host, which exist here only ([`Code::E1422`]).
    pub fn to_bytes(&self) -> Result<Vec<u8>, Errors> {
        if !self.module.custom_ops.is_empty() {
            return Err(self.host_calls());
        }
        let mut out = Vec::new();
        write_text(&mut out, env!("CARGO_PKG_VERSION"));
        write_text(&mut out, &self.name);
        write_number(&mut out, self.slices.len() as u32);
        for slice in &self.slices {
            let number = NUMBERS.iter().position(|&number| number == slice.number).expect("all are there");
            [slice.param as u32, number as u32, slice.count, slice.is_written.into()]
                .into_iter()
                .for_each(|number| write_number(&mut out, number));
        }
        self.write_places(&mut out);
        out.extend_from_slice(text::print(&self.module).as_bytes());
        if out.len() > MAX_BYTES {
            return Err(errors(Code::E1422, "the program is larger than 64 MiB", ""));
        }
        let header = [FORMAT, out.len() as u32, checksum(&out)];
        let header = header.into_iter().flat_map(u32::to_le_bytes);
        Ok(MAGIC.into_iter().chain(header).chain(out).collect())
    }

    /// Errors for the calls of the host.
    fn host_calls(&self) -> Errors {
        let mut diagnostics = Vec::new();
        for body in self.module.funcs.values().filter_map(|function| function.body.as_ref()) {
            for node in walk::blocks(body).flat_map(|block| &body.blocks[block].nodes) {
                let data = body.node(*node);
                if let Some(row) = self.module.custom_of(data.op, data.imm) {
                    let message =
                        format!("the program calls `{}` of its host, so it cannot be written as bytes", row.name);
                    let help = "write the function in staged Rust, or pass what it computes as an argument";
                    diagnostics.push(Diagnostic::error(Code::E1422, data.span, message).help(help));
                }
            }
        }
        if diagnostics.is_empty() {
            let names: Vec<&str> = self.module.custom_ops.values().map(|row| &*row.name).collect();
            return errors(Code::E1422, format!("the program has ops of its host: {}", names.join(", ")), "");
        }
        Errors { diagnostics, map: self.map.clone() }
    }

    fn write_places(&self, out: &mut Vec<u8>) {
        let (mut files, mut places): (Vec<Arc<str>>, Vec<Place>) = (Vec::new(), Vec::new());
        let mut numbers = HashMap::new();
        each_span(&self.module, |span| {
            let file = self.map.file_at(span.start).filter(|_| !span.is_none());
            places.push(file.zip(self.map.line_column(span.start)).map(|(file, at)| {
                let number = *numbers.entry(file.start).or_insert_with(|| {
                    files.push(file.name.clone());
                    files.len() as u32 - 1
                });
                (number, at.line, at.column)
            }));
        });
        write_number(out, files.len() as u32);
        files.iter().for_each(|name| write_text(out, name));
        write_number(out, places.len() as u32);
        let mut before = None;
        for place in places {
            match place {
                None => write_number(out, 0),
                _ if place == before => write_number(out, 1),
                Some((file, line, column)) => {
                    [file + 2, line, column].into_iter().for_each(|number| write_number(out, number))
                }
            }
            before = place;
        }
    }

    /// Reads a program. Bytes from anywhere will do: they are checked.
    ///
    /// # Errors
    /// Bytes that are no program ([`Code::E1423`]), or one of a newer version of Planish ([`Code::E1424`]), or damaged
    /// ([`Code::E1425`]).
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, Errors> {
        if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) {
            return Err(errors(Code::E1423, "these bytes are no program of Planish", ""));
        }
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let format = word(8).ok_or_else(|| damaged("it ends early"))?;
        if format != FORMAT {
            let message =
                format!("the program is of version {format} of the format, and this Planish reads up to {FORMAT}");
            return Err(match format {
                0 => damaged("there is no version 0"),
                _ => errors(Code::E1424, message, "use a Planish that is as new as the one that wrote it"),
            });
        }
        let (Some(len), Some(sum)) = (word(12), word(16)) else { return Err(damaged("it ends early")) };
        let rest = &bytes[HEADER..];
        if rest.len() > MAX_BYTES || rest.len() != len as usize {
            return Err(damaged(&format!("it has {} bytes, and should have {len}", rest.len())));
        }
        if checksum(rest) != sum {
            return Err(damaged("its checksum is another"));
        }
        read(rest).map_err(|why| damaged(&why))
    }

    /// Reads a program that is to have a signature.
    ///
    /// # Errors
    /// As [`Program::from_bytes`], and a program of another signature ([`Code::E1426`]).
    pub fn from_bytes_as(bytes: &[u8], signature: &Signature) -> Result<Program, Errors> {
        let program = Self::from_bytes(bytes)?;
        let found = program.signature();
        if found == *signature {
            return Ok(program);
        }
        let message = format!("the program `{}` is {found}, and should be {signature}", program.name);
        Err(errors(Code::E1426, message, "write the program again, with the types that its reader asks for"))
    }
}

fn damaged(why: &str) -> Errors {
    errors(Code::E1425, format!("the program is damaged: {why}"), "fetch or write it again")
}

/// The program after the header.
fn read(bytes: &[u8]) -> Result<Program, String> {
    let mut reader = Reader(bytes);
    let _written_by = reader.text()?;
    let name = reader.text()?.to_owned();
    let mut slices = Vec::new();
    for index in 0..reader.count()? {
        let (param, number, count, is_written) =
            (reader.number()?, reader.number()?, reader.number()?, reader.number()?);
        let number = *NUMBERS.get(number as usize).ok_or("there is no such number")?;
        if count.checked_mul(number.width().bytes()).is_none_or(|stride| stride > 1 << 20) {
            return Err("an element is too large".into());
        }
        let memory = planish_ir::entity::Memory::from_u32(index as u32);
        slices.push(SliceParam {
            func: Func::from_u32(0),
            param: param as usize,
            memory,
            number,
            count,
            is_written: is_written != 0,
        });
    }
    let mut map = SourceMap::new();
    let mut files = Vec::new();
    for _ in 0..reader.count()? {
        files.push(map.add_lines(reader.text()?).ok());
    }
    let places = reader.places(&files)?;
    let text = std::str::from_utf8(reader.0).map_err(|_| "the IR is no text")?;
    let mut module = text::parse_str(text).map_err(|errors| errors[0].message.clone())?;
    if let Some(error) = verify::verify(&module).first() {
        return Err(error.to_string());
    }
    if !module.custom_ops.is_empty() {
        return Err("it has ops of a host".into());
    }
    let is_floating = |body: &planish_ir::function::Body| body.form == planish_ir::function::Form::Floating;
    if module.funcs.values().filter_map(|function| function.body.as_ref()).any(is_floating) {
        return Err("its nodes are not placed".into());
    }
    let mut left = places.into_iter();
    let mut is_short = false;
    each_span_mut(&mut module, |span| match left.next() {
        Some(place) => *span = place,
        None => is_short = true,
    });
    if is_short || left.next().is_some() {
        return Err("its places are not those of its operations".into());
    }
    let func = module.entry_points.first().map(|entry| entry.func);
    let slices = slices.into_iter().map(|slice| SliceParam { func: func.unwrap_or(slice.func), ..slice }).collect();
    let program = Program { module, map, name, hosts: Vec::new(), slices };
    program.check()?;
    Ok(program)
}

/// The bytes that are not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8, String> {
        let (&first, rest) = self.0.split_first().ok_or("it ends early")?;
        self.0 = rest;
        Ok(first)
    }

    fn number(&mut self) -> Result<u32, String> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).map_err(|_| "a number is too large".into());
            }
        }
        Err("a number is too long".into())
    }

    /// The number of things that follow, each of which has at least one byte.
    fn count(&mut self) -> Result<usize, String> {
        let count = self.number()? as usize;
        if count <= self.0.len() { Ok(count) } else { Err("it ends early".into()) }
    }

    fn text(&mut self) -> Result<&'a str, String> {
        let len = self.count()?;
        let (text, rest) = self.0.split_at(len);
        self.0 = rest;
        std::str::from_utf8(text).map_err(|_| "a name is no text".into())
    }

    fn places(&mut self, files: &[Option<SourceFile>]) -> Result<Vec<Span>, String> {
        let count = self.count()?;
        let mut places = Vec::with_capacity(count);
        let mut before = Span::NONE;
        for _ in 0..count {
            before = match self.number()? {
                0 => Span::NONE,
                1 => before,
                file => {
                    let file = files.get(file as usize - 2).ok_or("a place is in no file")?;
                    let (line, column) = (self.number()?, self.number()?);
                    file.as_ref().map_or(Span::NONE, |file| file.at_line(line, column))
                }
            };
            places.push(before);
        }
        Ok(places)
    }
}

fn write_number(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    write_number(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

/// The places of a module, in an order that the text form keeps.
fn each_span(module: &Module, mut f: impl FnMut(Span)) {
    for function in module.funcs.values() {
        f(function.span);
        let Some(body) = &function.body else { continue };
        for block in walk::blocks(body) {
            let data = &body.blocks[block];
            data.nodes.iter().for_each(|&node| f(body.node(node).span));
            f(data.exit_span);
        }
    }
}

fn each_span_mut(module: &mut Module, mut f: impl FnMut(&mut Span)) {
    for function in module.funcs.values_mut() {
        f(&mut function.span);
        let Some(body) = &mut function.body else { continue };
        for block in walk::blocks(body).collect::<Vec<_>>() {
            for node in body.blocks[block].nodes.clone() {
                let mut span = body.node(node).span;
                f(&mut span);
                body.set_span(node, span);
            }
            f(&mut body.blocks[block].exit_span);
        }
    }
}

/// The CRC-32 of bytes, as in zip files.
fn checksum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let (mut table, mut index) = ([0; 256], 0);
        while index < 256 {
            let (mut word, mut bit) = (index as u32, 0);
            while bit < 8 {
                word = if word & 1 == 1 { word >> 1 ^ 0xedb8_8320 } else { word >> 1 };
                bit += 1;
            }
            table[index] = word;
            index += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |sum: u32, &byte| sum >> 8 ^ TABLE[((sum ^ u32::from(byte)) & 0xff) as usize])
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(super::checksum(b"123456789"), 0xcbf4_3926);
    }
}
