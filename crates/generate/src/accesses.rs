//! Random WebAssembly modules, as text, whose functions access byte memories at few places again and again: accesses of all
//! widths that overlap, from bases that are equal, apart by a constant, or may be either; sums that wrap; accesses at the end of the memory;
//! between them calls, growth, fills and copies, traps, branches and loops.
//!
//! Each module exports its memories, a global, and functions of the same six parameters. All calls end; many trap.

use std::fmt::Write;

use crate::Choices;

/// Names of loads or stores, and the bytes of each.
type Accesses = &'static [(&'static str, u32)];

/// Types of locals, with the instructions that load and store them and the bytes they access.
const TYPES: [(&str, Accesses, Accesses); 5] = [
    (
        "i32",
        &[("load", 4), ("load", 4), ("load8_u", 1), ("load8_s", 1), ("load16_u", 2), ("load16_s", 2)],
        &[("store", 4), ("store", 4), ("store8", 1), ("store16", 2)],
    ),
    (
        "i64",
        &[
            ("load", 8),
            ("load8_u", 1),
            ("load8_s", 1),
            ("load16_u", 2),
            ("load16_s", 2),
            ("load32_u", 4),
            ("load32_s", 4),
        ],
        &[("store", 8), ("store8", 1), ("store16", 2), ("store32", 4)],
    ),
    ("f32", &[("load", 4)], &[("store", 4)]),
    ("f64", &[("load", 8)], &[("store", 8)]),
    ("v128", &[("load", 16)], &[("store", 16)]),
];

/// Locals of each type.
const LOCALS: usize = 3;

/// Types whose first local is a parameter: all but the last.
const PARAMS: usize = TYPES.len() - 1;

/// Bases of addresses.
const BASES: [&str; 5] = ["$a", "$b", "$c", "$d", "$e"];

const OFFSETS: [u32; 12] = [0, 0, 0, 1, 2, 4, 4, 6, 8, 12, 16, 65_528];
const STEPS: [i64; 11] = [4, -4, 8, -8, 16, -16, 1, -1, 65_536, -65_536, 0x7fff_fffc];

/// Nested loops at most.
const MOST_LOOPS: usize = 2;

struct Generator<'c, 'b> {
    choices: &'c mut Choices<'b>,
    /// Number of memories.
    memories: usize,
    /// Loops around.
    loops: usize,
    /// Statements that may still be made.
    fuel: usize,
}

/// A module.
pub fn accesses(choices: &mut Choices<'_>) -> String {
    let memories = 1 + usize::from(choices.chance(30));
    let mut generator = Generator { choices, memories, loops: 0, fuel: 0 };
    let mut text = String::from("(module\n");
    for memory in 0..memories {
        let _ = writeln!(text, "(memory $m{memory} (export \"m{memory}\") 1 3)");
    }
    text += "(data (i32.const 0) \"0123456789abcdefghijklmnopqrstuvwxyz\\80\\ff\\00\\7f\")\n";
    text += "(global $g (export \"g\") (mut i32) (i32.const 0))\n";
    text += "(func $write (param i32 i32) (i32.store8 offset=2 (local.get 0) (local.get 1)))\n";
    text += "(func $read (param i32) (result i32) (i32.load16_u (local.get 0)))\n";
    text += "(func $count (param i32) (result i32) (i32.popcnt (i32.mul (local.get 0) (i32.const 77))))\n";
    for number in 0..2 {
        generator.function(number, &mut text);
    }
    text + ")\n"
}

impl Generator<'_, '_> {
    fn function(&mut self, number: usize, text: &mut String) {
        let _ = write!(text, "(func (export \"f{number}\") (param $p i32) (param $q i32)");
        let params = &TYPES[..PARAMS];
        params.iter().for_each(|(ty, ..)| *text += &format!(" (param ${ty}0 {ty})"));
        text.push_str(" (result i64) (local $v1280 v128)");
        for (ty, ..) in TYPES {
            (1..LOCALS).for_each(|i| *text += &format!(" (local ${ty}{i} {ty})"));
        }
        BASES.iter().for_each(|base| *text += &format!(" (local {base} i32)"));
        (0..MOST_LOOPS).for_each(|i| *text += &format!(" (local $n{i} i32)"));
        text.push_str(" (local $s i64)\n");
        self.bases(text);
        self.fuel = 10 + self.choices.below(50);
        while self.fuel > 0 {
            let statement = self.statement();
            let _ = writeln!(text, "  {statement}");
        }
        for (ty, ..) in TYPES {
            (0..LOCALS).for_each(|i| *text += &format!("  {}\n", Self::seen(ty, &format!("${ty}{i}"))));
        }
        text.push_str("  (local.get $s))\n");
    }

    /// The bases: near the begin of the memory, near its end, or anywhere; some a constant apart, some perhaps equal.
    fn bases(&mut self, text: &mut String) {
        for (i, base) in BASES.into_iter().enumerate() {
            let other = BASES[self.choices.below(i.max(1))];
            let parameter = self.choices.pick(&["$p", "$q"]);
            let value = match self.choices.below(if i == 0 { 4 } else { 8 }) {
                0 | 1 => format!("(i32.and (local.get {parameter}) (i32.const 28))"),
                2 => format!("(i32.add (i32.and (local.get {parameter}) (i32.const 31)) (i32.const 65500))"),
                3 => format!("(local.get {parameter})"),
                4 => format!("(i32.and (local.get {other}) (i32.const 0xfffc))"),
                5 => format!("(i32.const {})", [0, 8, 65_528, 65_536, -8][self.choices.below(5)]),
                _ => format!("(i32.add (local.get {other}) (i32.const {}))", self.choices.pick(&STEPS)),
            };
            let _ = writeln!(text, "  (local.set {base} {value})");
        }
    }

    /// Adds the bits of a local to the sum, of a NaN nothing.
    fn seen(ty: &str, local: &str) -> String {
        let get = format!("(local.get {local})");
        let bits = match ty {
            "i32" => format!("(i64.extend_i32_u {get})"),
            "i64" => get,
            "f32" => {
                format!("(select (i64.extend_i32_u (i32.reinterpret_f32 {get})) (i64.const 77) (f32.eq {get} {get}))")
            }
            "f64" => format!("(select (i64.reinterpret_f64 {get}) (i64.const 78) (f64.eq {get} {get}))"),
            _ => format!("(i64.xor (i64x2.extract_lane 0 {get}) (i64x2.extract_lane 1 {get}))"),
        };
        format!("(local.set $s (i64.add (i64.mul (local.get $s) (i64.const 1000003)) {bits}))")
    }

    fn local(&mut self, ty: &str) -> String {
        format!("${ty}{}", self.choices.below(LOCALS))
    }

    fn statements(&mut self, most: usize) -> String {
        let count = 1 + self.choices.below(most);
        (0..count).map(|_| self.statement()).collect::<Vec<_>>().join(" ")
    }

    /// Recursion: each level has used fuel.
    fn statement(&mut self) -> String {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return self.load();
        }
        match self.choices.below(30) {
            0..=8 => self.store(),
            9..=15 => self.load(),
            16 => self.value(),
            17 => format!("(local.set {} {})", self.choices.pick(&BASES), self.sum()),
            18 | 19 => {
                let (condition, then, other) = (self.condition(), self.statements(3), self.statements(3));
                format!("(if {condition} (then {then}) (else {other}))")
            }
            20 => {
                let (before, condition, after) = (self.statements(2), self.condition(), self.statements(3));
                format!("(block {before} (br_if 0 {condition}) {after})")
            }
            21..=23 if self.loops < MOST_LOOPS => self.repeat(),
            24 => {
                let (address, value) = (self.address(), self.local("i32"));
                format!("(call $write {address} (local.get {value}))")
            }
            25 => {
                let (local, address) = (self.local("i32"), self.address());
                format!("(local.set {local} (call $read {address}))")
            }
            26 => {
                let (local, value) = (self.local("i32"), self.local("i32"));
                format!("(local.set {local} (call $count (local.get {value})))")
            }
            27 => self.bulk(),
            28 => {
                let value = self.local("i32");
                format!("(global.set $g (local.get {value}))")
            }
            _ => self.trap(),
        }
    }

    fn sum(&mut self) -> String {
        let (base, step) = (self.choices.pick(&BASES), self.choices.pick(&STEPS));
        format!("(i32.add (local.get {base}) (i32.const {step}))")
    }

    fn address(&mut self) -> String {
        match self.choices.below(5) {
            0 => self.sum(),
            _ => format!("(local.get {})", self.choices.pick(&BASES)),
        }
    }

    /// The name of an instruction, its memory, offset and address.
    fn access(&mut self, ty: &str, name: &str, bytes: u32) -> String {
        let memory = self.choices.below(self.memories);
        let offset = self.choices.pick(&OFFSETS);
        // Now and then the very end of the first page.
        let offset = if offset == 65_528 { 65_536 - bytes } else { offset };
        format!("{ty}.{name} $m{memory} offset={offset} {}", self.address())
    }

    fn load(&mut self) -> String {
        let (ty, loads, _) = self.choices.pick(&TYPES);
        let (name, bytes) = self.choices.pick(loads);
        let (local, access) = (self.local(ty), self.access(ty, name, bytes));
        if self.choices.chance(15) {
            // The result is dropped; the trap is not.
            return format!("(drop ({access}))");
        }
        format!("(local.set {local} ({access}))")
    }

    fn store(&mut self) -> String {
        let (ty, _, stores) = self.choices.pick(&TYPES);
        let (name, bytes) = self.choices.pick(stores);
        let (value, access) = (self.local(ty), self.access(ty, name, bytes));
        format!("({access} (local.get {value}))")
    }

    fn value(&mut self) -> String {
        let (x, y, z) = (self.local("i32"), self.local("i32"), self.local("i64"));
        match self.choices.below(5) {
            0 => format!("(local.set {x} (i32.add (local.get {x}) (local.get {y})))"),
            1 => format!("(local.set {x} (i32.xor (local.get {y}) (i32.const {})))", self.choices.bits() as i32),
            2 => format!("(local.set {z} (i64.extend_i32_s (local.get {y})))"),
            3 => format!("(local.set {x} (i32.wrap_i64 (local.get {z})))"),
            _ => format!("(local.set {x} (memory.size))"),
        }
    }

    fn condition(&mut self) -> String {
        let (x, y) = (self.local("i32"), self.choices.pick(&["$p", "$q", "$a", "$i320", "$i321"]));
        match self.choices.below(3) {
            0 => format!("(i32.and (local.get {x}) (i32.const 1))"),
            1 => format!("(i32.lt_u (local.get {x}) (local.get {y}))"),
            _ => format!("(i32.eq (local.get {x}) (local.get {y}))"),
        }
    }

    fn repeat(&mut self) -> String {
        let counter = format!("$n{}", self.loops);
        self.loops += 1;
        let body = self.statements(6);
        self.loops -= 1;
        let rounds = 1 + self.choices.below(3);
        let step = format!("(local.tee {counter} (i32.add (local.get {counter}) (i32.const 1)))");
        if self.choices.chance(50) {
            return format!(
                "(local.set {counter} (i32.const 0)) (loop {body} (br_if 0 (i32.lt_u {step} (i32.const {rounds}))))"
            );
        }
        format!(
            "(local.set {counter} (i32.const 0)) (block (loop (br_if 1 (i32.gt_u {step} (i32.const {rounds}))) {body} (br 0)))"
        )
    }

    fn bulk(&mut self) -> String {
        let (memory, other) = (self.choices.below(self.memories), self.choices.below(self.memories));
        let (to, from, value) = (self.address(), self.address(), self.local("i32"));
        let length = self.choices.below(12);
        match self.choices.below(3) {
            0 => format!("(memory.fill $m{memory} {to} (local.get {value}) (i32.const {length}))"),
            1 => format!("(memory.copy $m{memory} $m{other} {to} {from} (i32.const {length}))"),
            _ => format!("(local.set {value} (memory.grow $m{memory} (i32.const {})))", self.choices.below(2)),
        }
    }

    /// Something that traps now and then.
    fn trap(&mut self) -> String {
        let (x, y, z) = (self.local("i32"), self.local("i32"), self.local("i32"));
        if self.choices.chance(50) {
            return format!("(local.set {x} (i32.div_u (local.get {y}) (i32.and (local.get {z}) (i32.const 7))))");
        }
        format!("(if (i32.eq (local.get {x}) (i32.const {})) (then unreachable))", self.choices.below(4))
    }
}
