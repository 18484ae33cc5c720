//! Blocks of memory, and what invocations may do with them.

use super::statements::zero_of;
use super::tree::{Stmt, line, stmt};
use super::types::Number::*;
use super::types::{Ty, random};
use super::{Counter, Generator, Phase, Root};

impl Generator<'_, '_> {
    /// Declares blocks; at least one is written to.
    pub(super) fn blocks(&mut self, lines: &mut Vec<Stmt>) {
        let mut kinds = vec!["buffer"];
        for _ in 0..1 + self.choices.below(3) {
            kinds.push(self.choices.pick(&["buffer", "readonly buffer", "uniform", "uniform", "push"]));
        }
        let mut has_push = false;
        for (binding, kind) in kinds.into_iter().enumerate() {
            if kind == "push" && std::mem::replace(&mut has_push, true) {
                continue;
            }
            let block = self.memory_block(binding, kind);
            lines.push(block);
        }
        if self.choices.chance(40) {
            let binding = 8;
            let op = self.choices.pick(&["Add", "Xor", "Or", "Max"]);
            lines.push(line(format!(
                "layout(std430, binding = {binding}) buffer Counters {{ uint n0; int n1; uint n2[3]; }} counters;"
            )));
            for (place, number, op, len) in
                [("n0", U32, "Add", None), ("n1", I32, "Min", None), ("n2", U32, op, Some(3))]
            {
                self.atomics.push(Counter { place: format!("counters.{place}"), number, op, len, phase: None });
            }
        }
    }

    fn memory_block(&mut self, binding: usize, kind: &str) -> Stmt {
        let is_written = kind == "buffer";
        let layout = match kind {
            "uniform" => self.choices.pick(&["std140", "std140", "std430", "scalar"]),
            _ => self.choices.pick(&["std430", "std430", "std140", "scalar"]),
        };
        let places = if kind == "push" { "push_constant".into() } else { format!("binding = {binding}") };
        let order = self.choices.pick(&["", "", ", row_major", ", column_major"]);
        let name = format!("b{binding}");
        let (mut at, has_offsets) = (0, self.choices.chance(20));
        let mut members = vec![];
        for m in 0..1 + self.choices.below(4) {
            let ty = self.of_host();
            let mut qualifiers = vec![];
            if has_offsets {
                at += 32 * self.choices.below(2);
                qualifiers.push(format!("offset = {at}"));
                at += ty.most_bytes(&self.structs);
            } else if self.choices.chance(10) {
                qualifiers.push(format!("align = {}", 16 << self.choices.below(3)));
            }
            if self.choices.chance(20) {
                qualifiers.push(self.choices.pick(&["row_major", "column_major"]).into());
            }
            members.push(member(&qualifiers, &ty, &format!("m{m}"), ""));
            self.roots.push(Root {
                writable: is_written && self.is_alone,
                is_uniform: !is_written,
                ..Root::own(format!("{name}.m{m}"), ty)
            });
        }
        if is_written {
            let ty = self.of_host();
            let is_open = self.choices.chance(50);
            let count = if self.is_alone { 1 + self.choices.below(5) as u32 } else { self.all };
            let length = if is_open { "[]".into() } else { format!("[{count}]") };
            let offset: Vec<String> = has_offsets.then(|| format!("offset = {at}")).into_iter().collect();
            // An array of arrays: the first length is the outermost.
            members.push(member(&offset, &ty, "slots", &length));
            let root = match self.is_alone {
                true => Root {
                    length: is_open.then(|| format!("{name}.slots.length()")),
                    ..Root::own(format!("{name}.slots"), Ty::Array(Box::new(ty), count as u8))
                },
                false => Root::own(format!("{name}.slots[g]"), ty),
            };
            self.roots.push(root);
        }
        let kind = if kind == "push" { "uniform" } else { kind };
        let head = format!("layout({layout}, {places}{order}) {kind} B{binding} {{\n$}} {name};");
        stmt(&head, vec![members.into()])
    }

    /// A type of memory that the host has.
    fn of_host(&mut self) -> Ty {
        random(self.choices, &self.host_numbers, &self.structs, 3)
    }

    /// Declares memory for phases: a slot for each invocation of a work group, in shared memory and in a block, and counters.
    pub(super) fn memory_of_groups(&mut self, groups: u32, lines: &mut Vec<Stmt>, first: &mut Vec<Stmt>) {
        let slots = format!("[{}]", self.count);
        for s in 0..1 + self.choices.below(2) {
            let ty = random(self.choices, &self.numbers, &self.structs, 1);
            lines.push(line(format!("shared {};", declared(&ty, &format!("s{s}"), &slots))));
            first.push(line(format!("s{s}[i] = {};", zero_of(&ty, &self.structs))));
            self.slots(&format!("s{s}"), ty);
        }
        if self.choices.chance(40) {
            let ty = self.of_host();
            let member = member(&[], &ty, "slots", &format!("[{groups}]{slots}"));
            let head = "layout(std430, binding = 9) coherent buffer Exchange {\n$} exchange;";
            lines.push(stmt(head, vec![vec![member].into()]));
            self.slots("exchange.slots[gl_WorkGroupID.x]", ty);
        }
        if self.choices.chance(60) {
            lines.push(line("shared uint c0; shared int c1[2];"));
            first.push(line("if (i == 0u) { c0 = 0u; c1[0] = 0; c1[1] = 0; }"));
            let (add, max, one) = (("c0", U32, "Add"), ("c1", I32, "Max"), Ty::Value(I32, 1));
            for ((place, number, op), len) in [(add, None), (max, Some(2))] {
                self.atomics.push(Counter { place: place.into(), number, op, len, phase: Some(Phase::Write) });
            }
            for (name, ty) in [("c0", Ty::Value(U32, 1)), ("c1", Ty::Array(Box::new(one), 2))] {
                let read = Root { phase: Some(Phase::Read), writable: false, ..Root::own(name.into(), ty) };
                self.roots.push(read);
            }
        }
    }

    /// An array in which each invocation writes its element, and all read all.
    fn slots(&mut self, name: &str, ty: Ty) {
        let all = Ty::Array(Box::new(ty.clone()), self.count as u8);
        self.roots.push(Root { phase: Some(Phase::Write), ..Root::own(format!("{name}[i]"), ty) });
        self.roots.push(Root { phase: Some(Phase::Read), writable: false, ..Root::own(name.into(), all) });
    }
}

/// A declaration of an array of a type: its length is the outermost.
fn declared(ty: &Ty, name: &str, length: &str) -> String {
    let text = ty.name();
    match text.split_once('[') {
        Some((base, inner)) => format!("{base} {name}{length}[{inner}"),
        None => format!("{text} {name}{length}"),
    }
}

fn member(qualifiers: &[String], ty: &Ty, name: &str, length: &str) -> Stmt {
    let layout = if qualifiers.is_empty() { String::new() } else { format!("layout({}) ", qualifiers.join(", ")) };
    line(format!("{layout}{};", declared(ty, name, length)))
}
