//! Branches of SPIR-V that naga's reader misinterprets. They are refused:
//!
//! - a branch out of a loop from a switch inside it, which it reads as the end of the switch;
//! - a case that falls through into, or out of, a default case that is not the last: it reorders the default to the
//!   end.

use planish_ir::diagnostic::Diagnostic;
use rustc_hash::FxHashMap;

use crate::report::Source;

/// Opcodes of the SPIR-V specification, 3.52.
mod opcode {
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const LOOP_MERGE: u32 = 246;
    pub(super) const SELECTION_MERGE: u32 = 247;
    pub(super) const LABEL: u32 = 248;
    pub(super) const BRANCH: u32 = 249;
    pub(super) const BRANCH_CONDITIONAL: u32 = 250;
    pub(super) const SWITCH: u32 = 251;
}

/// A construct around a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Loop,
    Switch,
    /// A case of the switch around it, and its number in naga's order.
    Case(usize),
}

/// A construct, and the one around it.
type Frame = (Kind, Option<usize>);

/// The meaning of a branch to a label.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// Behind the loop or switch of this number.
    Exit(usize),
    /// Exit of a selection, or the next iteration of a loop.
    Unambiguous,
    /// A case of this switch, by its number in naga's order.
    Case(usize, usize),
}

#[derive(Default)]
struct Walk {
    frames: Vec<Frame>,
    /// The innermost construct around a block, by its label.
    around: FxHashMap<u32, Option<usize>>,
    targets: FxHashMap<u32, Target>,
    /// Around the current block.
    here: Option<usize>,
    /// The merge block of the selection that begins at the end of this block.
    selection: Option<u32>,
}

/// Refuses branches that would be misread. Malformed binaries are left to the reader.
pub(crate) fn check(words: &[u32], source: Source) -> Result<(), Box<Diagnostic>> {
    let mut walk = Walk::default();
    let mut rest = words.get(5..).unwrap_or(&[]);
    while let Some(&first) = rest.first() {
        let length = (first >> 16) as usize;
        let Some(instruction) = rest.get(..length).filter(|i| !i.is_empty()) else { return Ok(()) };
        rest = &rest[length..];
        if let Err(what) = walk.instruction(first & 0xffff, &instruction[1..]) {
            return Err(Box::new(source.unsupported(naga::Span::UNDEFINED, what)));
        }
    }
    Ok(())
}

impl Walk {
    fn instruction(&mut self, code: u32, operands: &[u32]) -> Result<(), &'static str> {
        match (code, operands) {
            (opcode::FUNCTION, _) => *self = Walk::default(),
            (opcode::LABEL, [label, ..]) => {
                self.here = self.around.get(label).copied().flatten();
                self.selection = None;
            }
            (opcode::LOOP_MERGE, [merge, next, ..]) => {
                self.around.insert(*merge, self.here);
                let number = self.open(Kind::Loop);
                self.targets.insert(*merge, Target::Exit(number));
                self.targets.insert(*next, Target::Unambiguous);
                self.around.insert(*next, self.here);
            }
            (opcode::SELECTION_MERGE, [merge, ..]) => {
                self.around.insert(*merge, self.here);
                self.targets.insert(*merge, Target::Unambiguous);
                self.selection = Some(*merge);
            }
            (opcode::BRANCH, [target, ..]) => self.branch(*target)?,
            (opcode::BRANCH_CONDITIONAL, [_, yes, no, ..]) => {
                self.branch(*yes)?;
                self.branch(*no)?;
            }
            (opcode::SWITCH, [_, default, pairs @ ..]) => self.switch(*default, pairs)?,
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, kind: Kind) -> usize {
        self.frames.push((kind, self.here));
        self.here = Some(self.frames.len() - 1);
        self.frames.len() - 1
    }

    fn switch(&mut self, default: u32, pairs: &[u32]) -> Result<(), &'static str> {
        let number = self.open(Kind::Switch);
        if let Some(merge) = self.selection {
            self.targets.insert(merge, Target::Exit(number));
        }
        let mut cases: Vec<u32> = vec![];
        for &target in pairs.iter().skip(1).step_by(2).chain([&default]) {
            if self.targets.contains_key(&target) {
                self.branch(target)?;
            } else if target != default && !cases.contains(&target) {
                cases.push(target);
            }
        }
        if !self.targets.contains_key(&default) {
            cases.push(default);
        }
        for (place, case) in cases.into_iter().enumerate() {
            self.targets.insert(case, Target::Case(number, place));
            self.frames.push((Kind::Case(place), Some(number)));
            self.around.insert(case, Some(self.frames.len() - 1));
        }
        Ok(())
    }

    fn branch(&mut self, target: u32) -> Result<(), &'static str> {
        match self.targets.get(&target) {
            Some(Target::Unambiguous) => Ok(()),
            Some(Target::Exit(number)) if self.innermost() == Some(*number) => Ok(()),
            Some(Target::Exit(_)) => Err("a branch out of a loop from within a switch in it"),
            Some(Target::Case(switch, place)) if self.case_of(*switch).is_some_and(|at| at + 1 == *place) => Ok(()),
            Some(Target::Case(..)) => Err("a case that falls into or out of a default case before other cases"),
            None => {
                self.around.entry(target).or_insert(self.here);
                Ok(())
            }
        }
    }

    /// The loop or switch that naga's `break` would leave here.
    fn innermost(&self) -> Option<usize> {
        let mut at = self.here;
        while let Some(number) = at {
            let (kind, around) = self.frames[number];
            if !matches!(kind, Kind::Case(_)) {
                return Some(number);
            }
            at = around;
        }
        None
    }

    /// The case of a switch that this is in.
    fn case_of(&self, switch: usize) -> Option<usize> {
        let mut at = self.here;
        while let Some(number) = at {
            let (kind, around) = self.frames[number];
            match kind {
                Kind::Case(place) if around == Some(switch) => return Some(place),
                _ => at = around,
            }
        }
        None
    }
}
