//! Random functions full of what instructions are made of by the encoder: trees of operations over a few locals, loads that are
//! masked, shifts that meet, steps with their tests, blocks and loops that are left with a value, in loops of a few rounds.
//! `wasm-smith` makes such shapes rarely.
//!
//! Every function ends, and no bit of a NaN is seen: floats become integers only if they are equal to themselves.

use std::fmt::Write;

use planish_generate::Choices;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    I32,
    I64,
    F32,
    F64,
}
use Type::{F32, F64, I32, I64};

const TYPES: [Type; 4] = [I32, I64, F32, F64];

impl Type {
    fn name(self) -> &'static str {
        ["i32", "i64", "f32", "f64"][self as usize]
    }
}

/// Locals of each type; the first of each are parameters. Counters of loops come behind them.
const LOCALS: usize = 4;
const COUNTERS: [&str; 2] = ["$n0", "$n1"];

const ARITHMETIC: &[&str] =
    &["add", "sub", "mul", "and", "or", "xor", "shl", "shr_s", "shr_u", "rotl", "rotr", "add", "sub"];
const COMPARISONS: &[&str] = &["eq", "ne", "lt_s", "lt_u", "le_s", "le_u", "gt_s", "gt_u", "ge_s", "ge_u"];
const FLOAT_ARITHMETIC: &[&str] = &["add", "sub", "mul", "div", "min", "max", "add", "mul", "sub"];
const FLOAT_COMPARISONS: &[&str] = &["eq", "ne", "lt", "le", "gt", "ge"];

struct Trees {
    random: Choices<'static>,
    /// Fuel left for this function: 1 for each expression, 3 for each statement.
    fuel: u32,
    /// Loops around.
    loops: usize,
}

/// A module of two functions.
pub(crate) fn module(seed: u64) -> String {
    let mut trees = Trees { random: Choices::from_seed(seed), fuel: 0, loops: 0 };
    let mut text = String::from("(module (memory (export \"memory\") 1)\n");
    for number in 0..2 {
        trees.fuel = 60 + trees.random.below(200) as u32;
        trees.function(number, &mut text);
    }
    text + ")\n"
}

impl Trees {
    fn function(&mut self, number: u32, text: &mut String) {
        let _ = write!(text, "(func (export \"f{number}\")");
        for kind in ["param", "local"] {
            for ty in TYPES {
                let range = if kind == "param" { 0..2 } else { 2..LOCALS };
                range.for_each(|i| *text += &format!(" ({kind} ${}{i} {})", ty.name(), ty.name()));
            }
            text.push_str(if kind == "param" { " (result i64)" } else { "" });
        }
        COUNTERS.iter().for_each(|counter| *text += &format!(" (local {counter} i32)"));
        text.push('\n');
        while self.fuel > 0 {
            let statement = self.statement();
            let _ = writeln!(text, "  {statement}");
        }
        let mut sum = String::from("(i64.const 1)");
        for ty in TYPES {
            for i in 0..LOCALS {
                let bits = self.seen(ty, format!("(local.get ${}{i})", ty.name()));
                sum = format!("(i64.add (i64.mul {sum} (i64.const 1000003)) {bits})");
            }
        }
        let _ = writeln!(text, "  {sum})");
    }

    /// The bits of a local as an `i64`, of a NaN nothing.
    fn seen(&self, ty: Type, get: String) -> String {
        match ty {
            I32 => format!("(i64.extend_i32_u {get})"),
            I64 => get,
            F32 => {
                format!("(select (i64.extend_i32_u (i32.reinterpret_f32 {get})) (i64.const 77) (f32.eq {get} {get}))")
            }
            F64 => format!("(select (i64.reinterpret_f64 {get}) (i64.const 78) (f64.eq {get} {get}))"),
        }
    }

    fn local(&mut self, ty: Type) -> String {
        format!("${}{}", ty.name(), self.random.below(LOCALS))
    }

    fn ty(&mut self) -> Type {
        [I32, I32, I32, I64, I64, F32, F64, F64][self.random.below(8)]
    }

    fn statements(&mut self, most: usize) -> String {
        let count = 1 + self.random.below(most);
        (0..count).map(|_| self.statement()).collect::<Vec<_>>().join(" ")
    }

    fn statement(&mut self) -> String {
        self.fuel = self.fuel.saturating_sub(3);
        match self.random.below(15) {
            0 | 1 => self.store(),
            2 => {
                let (condition, then, other) = (self.condition(), self.statements(2), self.statements(2));
                format!("(if {condition} (then {then}) (else {other}))")
            }
            3 => {
                let (before, condition, after) = (self.statements(2), self.condition(), self.statements(2));
                format!("(block {before} (br_if 0 {condition}) {after})")
            }
            4 => self.switch(),
            5 | 6 if self.loops < COUNTERS.len() && self.fuel > 0 => self.repeat(),
            7 => self.step(),
            8 => (0..2 + self.random.below(2)).map(|_| self.step()).collect::<Vec<_>>().join(" "),
            9 => self.change(),
            10 if self.loops < COUNTERS.len() => self.search(),
            _ => {
                let ty = self.ty();
                let (local, value) = (self.local(ty), self.value(ty, 4));
                format!("(local.set {local} {value})")
            }
        }
    }

    /// A statement that counts a local up or down.
    fn step(&mut self) -> String {
        let ty = [I32, I32, I64][self.random.below(3)];
        let (local, name) = (self.local(ty), ty.name());
        let step = self.random.pick(&["1", "-1", "4", "1000", "-32768", "32767"]);
        let op = self.random.pick(&["add", "add", "sub"]);
        format!("(local.set {local} ({name}.{op} (local.get {local}) ({name}.const {step})))")
    }

    /// A sum of two locals as the address of a load and of stores.
    fn change(&mut self) -> String {
        let ([a, b, sum], offset) = ([0; 3].map(|_| self.local(I32)), self.random.pick(&["0", "8", "4096"]));
        let load = self.random.pick(&["load", "load8_u", "load16_s"]);
        let store = self.random.pick(&["store", "store8", "store16"]);
        let (value, last) = (self.value(I32, 1), self.value(I32, 0));
        format!(
            "(local.set {a} (i32.and (local.get {a}) (i32.const 4095))) \
             (local.set {b} (i32.and (local.get {b}) (i32.const 1023))) \
             (local.set {sum} (i32.add (local.get {a}) (local.get {b}))) \
             (if (i32.lt_u (local.get {sum}) (i32.const 8192)) (then \
             (i32.{store} (local.get {sum}) (i32.xor {value} (i32.{load} (local.get {sum})))) \
             (i32.{store} offset={offset} (local.get {sum}) {last})))"
        )
    }

    /// A loop that goes on as long as what it finds in memory asks for it, a few rounds at most.
    fn search(&mut self) -> String {
        let (counter, place) = (COUNTERS[self.loops], self.local(I32));
        let rounds = 1 + self.random.below(8);
        let test = self.test(&format!("(local.get {place})"));
        format!(
            "(local.set {counter} (i32.const 0)) (block (loop \
             (br_if 1 (i32.eq (local.tee {counter} (i32.add (local.get {counter}) (i32.const 1))) (i32.const {rounds}))) \
             (local.set {place} (i32.and (i32.add (local.get {place}) (i32.const 5)) (i32.const 8191))) \
             (br_if 0 {test})))"
        )
    }

    /// A comparison of what is loaded from an address.
    fn test(&mut self, address: &str) -> String {
        let load = self.random.pick(&["load", "load8_u", "load8_s", "load16_u", "load16_s"]);
        let (op, bound) = (self.random.pick(COMPARISONS), self.value(I32, 0));
        let found = format!("(i32.{load} offset={} {address})", [0, 0, 40, 4000][self.random.below(4)]);
        match self.random.below(4) {
            0 => found,
            1 => format!("(i32.{op} {bound} {found})"),
            _ => format!("(i32.{op} {found} {bound})"),
        }
    }

    fn switch(&mut self) -> String {
        let (index, first, second) = (self.value(I32, 2), self.statements(1), self.statements(1));
        format!(
            "(block (block (block (br_table 0 1 2 (i32.and {index} (i32.const 3)))) {first} (br 1)) {second} (br 0))"
        )
    }

    /// A loop of a few rounds, tested at its end or in its middle.
    fn repeat(&mut self) -> String {
        let counter = COUNTERS[self.loops];
        self.loops += 1;
        let rounds = 1 + self.random.below(6);
        let (body, rest) = (self.statements(3), self.statements(1));
        let way = self.random.below(4);
        self.loops -= 1;
        let up = format!("(i32.add (local.get {counter}) (i32.const 1))");
        let down = format!("(i32.sub (local.get {counter}) (i32.const 1))");
        match way {
            0 => format!(
                "(local.set {counter} (i32.const {rounds})) (loop {body} (br_if 0 (local.tee {counter} {down})))"
            ),
            1 => format!(
                "(local.set {counter} (i32.const 0)) (loop {body} (local.set {counter} {up}) {rest} \
                 (br_if 0 (i32.lt_u (local.get {counter}) (i32.const {rounds}))))"
            ),
            2 => format!(
                "(local.set {counter} (i32.const 0)) (block (loop {body} (br_if 1 (i32.eq (local.tee {counter} {up}) \
                 (i32.const {rounds}))) {rest} (br 0)))"
            ),
            _ => {
                let (ty, early) = (self.ty(), self.condition());
                let (result, local) = (self.value(ty, 2), self.local(ty));
                let last = self.value(ty, 2);
                format!(
                    "(local.set {counter} (i32.const 0)) (local.set {local} (block (result {name}) (loop {body} \
                     (drop (br_if 1 {result} {early})) (br_if 0 (i32.ne (local.tee {counter} {up}) \
                     (i32.const {rounds})))) {last}))",
                    name = ty.name()
                )
            }
        }
    }

    /// An address in the first page, and an offset.
    fn address(&mut self, depth: u32) -> (String, u64) {
        let offset = [0, 0, 4, 1000, 40_000][self.random.below(5)];
        let index = self.value(I32, depth);
        let masked = format!("(i32.and {index} (i32.const 4095))");
        let base = [0, 16, 1024, -8][self.random.below(4)];
        let address = match self.random.below(5) {
            0 => format!("(i32.add {masked} (i32.const {}))", base.max(0)),
            1 => {
                let local = self.local(I32);
                format!("(i32.add (i32.shl {masked} (i32.const 2)) (i32.and (local.get {local}) (i32.const 255)))")
            }
            2 => format!("(i32.add (i32.shl {masked} (i32.const 3)) (i32.const {}))", base.max(0)),
            // May trap.
            3 if self.random.below(8) == 0 => {
                let local = self.local(I32);
                format!("(i32.add (local.get {local}) (i32.const {base}))")
            }
            _ => masked,
        };
        (address, offset)
    }

    fn store(&mut self) -> String {
        let (address, offset) = self.address(2);
        let (op, ty) =
            [("i32.store", I32), ("i32.store8", I32), ("i32.store16", I32), ("i64.store", I64)][self.random.below(4)];
        let value = self.value(ty, 3);
        format!("({op} offset={offset} {address} {value})")
    }

    fn load(&mut self, ty: Type, depth: u32) -> String {
        let (address, offset) = self.address(depth);
        let op = match ty {
            I32 => self.random.pick(&["load", "load8_u", "load8_s", "load16_u", "load16_s", "load8_u"]),
            I64 => self.random.pick(&["load", "load8_u", "load16_s", "load32_u", "load32_s"]),
            F32 | F64 => "load",
        };
        format!("({}.{op} offset={offset} {address})", ty.name())
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => self.value(I32, 2),
            2 => {
                let (address, _) = self.address(1);
                self.test(&address)
            }
            1 => {
                let (a, b) = (self.value(I32, 1), self.value(I32, 1));
                format!("(i32.and {a} {b})")
            }
            _ => self.comparison(2),
        }
    }

    fn comparison(&mut self, depth: u32) -> String {
        let ty = self.ty();
        let list = if matches!(ty, I32 | I64) { COMPARISONS } else { FLOAT_COMPARISONS };
        let op = self.random.pick(list);
        let (a, b) = (self.value(ty, depth), self.value(ty, depth.saturating_sub(1)));
        format!("({}.{op} {a} {b})", ty.name())
    }

    fn constant(&mut self, ty: Type) -> String {
        let integers = ["0", "1", "-1", "2", "7", "31", "255", "65535", "-2147483648", "2147483647", "-100", "1000"];
        let floats = ["0", "-0", "1", "-1.5", "0.1", "1e30", "-inf", "3", "1e-40"];
        let value = self.random.pick(if matches!(ty, I32 | I64) { &integers } else { &floats });
        format!("({}.const {value})", ty.name())
    }

    fn value(&mut self, ty: Type, depth: u32) -> String {
        self.fuel = self.fuel.saturating_sub(1);
        if depth == 0 || self.fuel == 0 || self.random.below(6) == 0 {
            return match self.random.below(3) {
                0 => self.constant(ty),
                _ => format!("(local.get {})", self.local(ty)),
            };
        }
        let (depth, name) = (depth - 1, ty.name());
        match self.random.below(10) {
            0 => {
                let (x, y, c) = (self.value(ty, depth), self.value(ty, depth), self.condition());
                format!("(select {x} {y} {c})")
            }
            1 => {
                let (x, y, c) = (self.value(ty, depth), self.value(ty, depth), self.condition());
                format!("(block (result {name}) (drop (br_if 0 {x} {c})) {y})")
            }
            2 => {
                let (x, y, c) = (self.value(ty, depth), self.value(ty, depth), self.condition());
                format!("(if (result {name}) {c} (then {x}) (else {y}))")
            }
            3 => {
                let (local, x) = (self.local(ty), self.value(ty, depth));
                format!("(local.tee {local} {x})")
            }
            4 => self.load(ty, depth),
            _ if matches!(ty, I32 | I64) => self.integer(ty, depth),
            _ => self.float(ty, depth),
        }
    }

    fn integer(&mut self, ty: Type, depth: u32) -> String {
        let name = ty.name();
        let bits = if ty == I32 { 32 } else { 64 };
        match self.random.below(9) {
            0 => {
                // A rotation, or nearly.
                let (local, by) = (self.local(ty), 1 + self.random.below(bits - 1));
                let back = if self.random.below(4) == 0 { by } else { bits - by };
                let op = self.random.pick(&["or", "xor", "add"]);
                format!(
                    "({name}.{op} ({name}.shl (local.get {local}) ({name}.const {by})) \
                     ({name}.shr_u (local.get {local}) ({name}.const {back})))"
                )
            }
            1 => {
                let (x, mask) = (self.load(ty, depth), self.random.pick(&["255", "65535", "15", "-256"]));
                format!("({name}.and {x} ({name}.const {mask}))")
            }
            2 => {
                let (x, y, by) = (self.value(ty, depth), self.value(ty, depth), self.random.below(bits));
                let shift = self.random.pick(&["shl", "shr_u", "rotl"]);
                let op = self.random.pick(&["add", "or", "xor"]);
                format!("({name}.{op} ({name}.{shift} {x} ({name}.const {by})) {y})")
            }
            3 => {
                let (a, b, c) = (self.value(ty, depth), self.value(ty, depth), self.value(ty, depth));
                let op = self.random.pick(&["add", "sub"]);
                format!("({name}.{op} {c} ({name}.mul {a} {b}))")
            }
            4 => {
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                let op = self.random.pick(&["div_u", "rem_u", "rem_s", "div_s"]);
                let divisor = if self.random.below(16) == 0 { b } else { format!("({name}.or {b} ({name}.const 3))") };
                format!("({name}.{op} {a} {divisor})")
            }
            5 if ty == I32 => match self.random.below(3) {
                0 => format!("(i32.wrap_i64 {})", self.value(I64, depth)),
                1 => format!("(i32.eqz {})", self.value(I32, depth)),
                _ => self.comparison(depth),
            },
            5 => {
                let op = self.random.pick(&["extend_i32_s", "extend_i32_u"]);
                format!("(i64.{op} {})", self.value(I32, depth))
            }
            6 => {
                let op = self.random.pick(&["clz", "ctz", "popcnt", "extend8_s", "extend16_s"]);
                format!("({name}.{op} {})", self.value(ty, depth))
            }
            7 => format!("({name}.trunc_sat_f64_s {})", self.value(F64, depth)),
            _ => {
                let op = self.random.pick(ARITHMETIC);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                format!("({name}.{op} {a} {b})")
            }
        }
    }

    fn float(&mut self, ty: Type, depth: u32) -> String {
        let name = ty.name();
        match self.random.below(8) {
            0 => {
                let op = self.random.pick(&["neg", "abs", "sqrt", "floor", "nearest"]);
                format!("({name}.{op} {})", self.value(ty, depth))
            }
            1 => {
                let (from, op) = if self.random.below(2) == 0 { (I32, "i32_s") } else { (I64, "i64_u") };
                format!("({name}.convert_{op} {})", self.value(from, depth))
            }
            2 if ty == F32 => format!("(f32.demote_f64 {})", self.value(F64, depth)),
            2 => format!("(f64.promote_f32 {})", self.value(F32, depth)),
            3 => {
                let (a, b, c) = (self.value(ty, depth), self.value(ty, depth), self.value(ty, depth));
                let op = self.random.pick(&["add", "sub"]);
                format!("({name}.{op} ({name}.mul {a} {b}) {c})")
            }
            4 => {
                let (local, x, op) = (self.local(ty), self.value(ty, depth), self.random.pick(&["mul", "add"]));
                format!("({name}.{op} (local.tee {local} {x}) (local.get {local}))")
            }
            _ => {
                let op = self.random.pick(FLOAT_ARITHMETIC);
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                format!("({name}.{op} {a} {b})")
            }
        }
    }
}
