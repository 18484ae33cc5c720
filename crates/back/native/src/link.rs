//! The functions of a unit, one after the other, with the distances between them.

use cranelift_codegen::CompiledCode;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{ExternalName, Function};
use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::Func;
use planish_ir::source::Span;
use rustc_hash::FxHashMap;

use crate::compile::{Stops, Vectors};
use crate::faults;
use crate::host::Host;
use crate::{Operation, Stop};

/// The code of one function, and its stops.
pub(crate) struct Piece {
    pub(crate) func: Func,
    pub(crate) made: Made,
    pub(crate) stops: Stops,
}

/// Code by Cranelift.
pub(crate) struct Made {
    pub(crate) bytes: Vec<u8>,
    pub(crate) alignment: u32,
    pub(crate) frame: u32,
    /// The offset at which functions of the unit enter it.
    pub(crate) direct: u32,
    pub(crate) jumps: Vec<Jump>,
    /// Instructions that may fault, by their first byte, in order, each with the ordinal of its access.
    pub(crate) faults: Vec<(u32, u32)>,
}

/// A distance to another function that is not known yet.
pub(crate) struct Jump {
    pub(crate) at: u32,
    pub(crate) kind: Reloc,
    pub(crate) addend: i64,
    pub(crate) to: Func,
}

impl Made {
    /// The code of a function with a number of accesses.
    pub(crate) fn new(code: &CompiledCode, function: &Function, alignment: u32, accesses: usize) -> Self {
        let target = |name: &ExternalName| match *name {
            ExternalName::User(name) => Func::from_u32(function.params.user_named_funcs()[name].index),
            ref other => unreachable!("code names no function but those of its module, not {other:?}"),
        };
        let jumps = code.buffer.relocs().iter().map(|reloc| {
            use cranelift_codegen::FinalizedRelocTarget;
            let to = match &reloc.target {
                FinalizedRelocTarget::ExternalName(name) => target(name),
                FinalizedRelocTarget::Func(_) => unreachable!("code has no address of its own places"),
            };
            Jump { at: reloc.offset, kind: reloc.kind, addend: reloc.addend, to }
        });
        let jumps = jumps.collect();
        // With return address and frame pointer.
        let frame = code.buffer.frame_layout().map_or(0, |layout| layout.frame_to_fp_offset) + 16;
        let (bytes, alignment) = (code.code_buffer().to_vec(), code.buffer.alignment.max(alignment));
        let faults = faults::faults(code, accesses as u32);
        Made { bytes, alignment, frame, direct: 0, jumps, faults }
    }
}

/// A function of a unit.
#[derive(Clone, Debug)]
pub struct Position {
    /// The function.
    pub func: Func,
    /// Its first byte.
    pub start: u32,
    /// Its stops, by the number that it hands to the runtime.
    pub stops: Vec<Stop>,
}

/// An instruction that may fault: its access is not compared with the size of its memory.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its first byte.
    pub at: u32,
    /// The number of its stop,
    pub stop: u32,
    /// of this function.
    pub func: Func,
}

/// The code of a module's functions. It runs at any address.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// The code.
    pub bytes: Vec<u8>,
    /// Its functions, in order of their numbers.
    pub functions: Vec<Position>,
    /// The operations that it leaves to the runtime, by number.
    pub operations: Vec<Operation>,
    /// Bytes of the largest frame of a function.
    pub largest_frame: u32,
    /// The instructions that may fault, in order.
    pub faults: Vec<Fault>,
    /// The vectors of its code.
    pub vectors: Vectors,
}

impl Unit {
    /// Puts pieces together.
    ///
    /// # Errors
    /// If a call reaches further than its instruction can.
    pub(crate) fn link(host: &Host, pieces: Vec<Piece>, operations: Vec<Operation>) -> Result<Self, Box<Diagnostic>> {
        let mut unit = Unit { operations, ..Unit::default() };
        let mut jumps = Vec::new();
        let mut direct: FxHashMap<Func, u32> = FxHashMap::default();
        for Piece { func, made, stops } in pieces {
            let start = unit.bytes.len().next_multiple_of(made.alignment as usize);
            unit.bytes.resize(start, 0);
            unit.bytes.extend_from_slice(&made.bytes);
            let start = u32::try_from(start).map_err(|_| too_far())?;
            jumps.extend(made.jumps.into_iter().map(|jump| Jump { at: start + jump.at, ..jump }));
            unit.largest_frame = unit.largest_frame.max(made.frame);
            let stop = |access: u32| stops.of_accesses[access as usize];
            let faults = made.faults.iter();
            unit.faults.extend(faults.map(|&(at, access)| Fault { at: start + at, stop: stop(access), func }));
            if made.direct != 0 {
                direct.insert(func, made.direct);
            }
            unit.functions.push(Position { func, start, stops: stops.all });
        }
        for jump in jumps {
            let to = unit.start_of(jump.to).expect("all functions of a module are in its unit");
            let within = direct.get(&jump.to).copied().unwrap_or(0);
            unit.resolve(host, &jump, to + within)?;
        }
        Ok(unit)
    }

    /// The first byte of a function; `None` if it is not in the unit.
    pub fn start_of(&self, func: Func) -> Option<u32> {
        let at = self.functions.binary_search_by_key(&func, |position| position.func).ok()?;
        Some(self.functions[at].start)
    }

    /// The word that code would hand to the runtime at an instruction that faults, by its first byte; `None` if it is none of
    /// those that may. Safe to call in a signal handler.
    pub fn fault_at(&self, at: u32) -> Option<u64> {
        let found = self.faults.binary_search_by_key(&at, |fault| fault.at).ok()?;
        let Fault { stop, func, .. } = self.faults[found];
        Some(u64::from(func.as_u32()) << 32 | u64::from(stop))
    }

    /// A stop, by the word that code hands to the runtime.
    pub fn stop_at(&self, word: u64) -> Option<(Func, Stop)> {
        let func = Func::from_u32((word >> 32) as u32);
        let at = self.functions.binary_search_by_key(&func, |position| position.func).ok()?;
        Some((func, *self.functions[at].stops.get(word as u32 as usize)?))
    }

    fn resolve(&mut self, host: &Host, jump: &Jump, to: u32) -> Result<(), Box<Diagnostic>> {
        let distance = i64::from(to) - i64::from(jump.at) + jump.addend;
        let at = jump.at as usize;
        let field: &mut [u8; 4] = (&mut self.bytes[at..at + 4]).try_into().expect("four bytes");
        match jump.kind {
            Reloc::X86CallPCRel4 | Reloc::X86PCRel4 | Reloc::X86CallPLTRel4 => {
                *field = i32::try_from(distance).map_err(|_| too_far())?.to_le_bytes();
            }
            Reloc::Arm64Call => {
                if distance % 4 != 0 || !(-(1 << 27)..1 << 27).contains(&distance) {
                    return Err(too_far());
                }
                let word = u32::from_le_bytes(*field) & 0xfc00_0000;
                *field = (word | (distance >> 2) as u32 & 0x03ff_ffff).to_le_bytes();
            }
            other => {
                let message = format!("there is no way to link `{other:?}` for {}", host.triple());
                return Err(Box::new(Diagnostic::error(ErrorCode::E0604, Span::NONE, message)));
            }
        }
        Ok(())
    }
}

fn too_far() -> Box<Diagnostic> {
    let message = "the code of all functions is too large for calls between them: split the module, or run it on the virtual machine";
    Box::new(Diagnostic::error(ErrorCode::E0604, Span::NONE, message))
}
