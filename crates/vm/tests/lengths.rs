//! Lengths of slices: machine code that has compared an index with one does not check the access again, and ends where the virtual machine ends.

use std::fmt::Write;

use planish_generate::Choices;
use planish_ir::decoration::{Decoration, SliceLength};
use planish_ir::source::SourceMap;
use planish_testkit::seeds;
use planish_vm::{Config, Engine, Error, Lent, Linker, Memory, Module, Store, Strategy};

/// Bytes of an element of the first and of the second memory.
const STRIDES: [u32; 2] = [8, 4];

/// The parameters: both lengths, and two numbers that may be indices.
const NUMBERS: [&str; 4] = ["$n", "$m", "$i", "$j"];

/// Writes random functions that compare numbers, and read memory at some.
struct Writer<'c> {
    choices: Choices<'c>,
    out: String,
    /// Labels that can be left.
    labels: Vec<String>,
    count: usize,
}

impl Writer<'_> {
    fn number(&mut self) -> String {
        let name = self.choices.pick(&NUMBERS);
        match self.choices.below(12) {
            0 => format!("(i32.const {})", self.choices.below(9)),
            1 => format!("(i32.add (local.get {name}) (i32.const 1))"),
            2 | 3 => {
                // The lesser one of two, or the greater one.
                let [x, y] = [0, 1].map(|_| self.choices.pick(&NUMBERS));
                let test = self.choices.pick(&["lt_u", "gt_u", "le_u", "ge_u"]);
                format!("(select (local.get {x}) (local.get {y}) (i32.{test} (local.get {x}) (local.get {y})))")
            }
            _ => format!("(local.get {name})"),
        }
    }

    /// Recursion: ends with probability 1/2 at each level, and after four.
    fn condition(&mut self, depth: u32) -> String {
        if depth < 4 && self.choices.chance(30) {
            let [x, y] = [0, 1].map(|_| self.condition(depth + 1));
            return match self.choices.below(3) {
                0 => format!("(i32.eqz {x})"),
                1 => format!("(i32.and {x} {y})"),
                _ => format!("(i32.or {x} {y})"),
            };
        }
        let test = self.choices.pick(&["lt_u", "lt_u", "lt_u", "gt_u", "le_u", "ge_u", "lt_s"]);
        let [x, y] = [0, 1].map(|_| self.number());
        format!("(i32.{test} {x} {y})")
    }

    /// Recursion: as deep as what is nested, five levels at most.
    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.choices.below(4) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let nested = depth < 5;
        match self.choices.below(10) {
            0 | 1 if nested => {
                let condition = self.condition(0);
                let _ = write!(self.out, "(if {condition} (then ");
                self.statements(depth + 1);
                self.out.push_str(") (else ");
                if self.choices.chance(50) {
                    self.statements(depth + 1);
                }
                self.out.push_str("))\n");
            }
            2 if nested => {
                let label = self.label();
                let _ = write!(self.out, "(block {label} ");
                self.statements(depth + 1);
                self.labels.pop();
                self.out.push_str(")\n");
            }
            3 if nested => {
                let label = self.label();
                let counter = self.choices.pick(&["$i", "$j"]);
                let _ = writeln!(self.out, "(loop {label}");
                self.labels.pop();
                self.out
                    .push_str("(br_if $out (i32.eqz (local.tee $fuel (i32.sub (local.get $fuel) (i32.const 1)))))\n");
                self.statements(depth + 1);
                let _ = writeln!(self.out, "(local.set {counter} (i32.add (local.get {counter}) (i32.const 1)))");
                let condition = self.condition(0);
                let _ = writeln!(self.out, "(br_if {label} {condition}))");
            }
            4 | 5 if !self.labels.is_empty() => {
                let at = self.choices.below(self.labels.len());
                let (label, condition) = (self.labels[at].clone(), self.condition(0));
                let _ = writeln!(self.out, "(br_if {label} {condition})");
            }
            6 => {
                let (name, value) = (self.choices.pick(&["$i", "$j"]), self.number());
                let _ = writeln!(self.out, "(local.set {name} {value})");
            }
            _ => {
                let memory = self.choices.below(2);
                let (index, factor) = (self.number(), STRIDES[memory] * if self.choices.chance(8) { 2 } else { 1 });
                let load = if memory == 0 { "i64.load 0" } else { "i64.load32_u 1" };
                let offset = if self.choices.chance(8) { " offset=4" } else { "" };
                let scaled = format!("(i32.mul {index} (i32.const {factor}))");
                let _ = writeln!(self.out, "(local.set $sum (i64.add (local.get $sum) ({load}{offset} {scaled})))");
            }
        }
    }

    fn label(&mut self) -> String {
        self.count += 1;
        self.labels.push(format!("$l{}", self.count));
        self.labels[self.labels.len() - 1].clone()
    }
}

fn program(seed: u64) -> String {
    let mut writer =
        Writer { choices: Choices::from_seed(seed), out: String::new(), labels: vec!["$out".into()], count: 0 };
    writer.statements(0);
    format!(
        "(module (memory (export \"xs\") 0 0) (memory (export \"ys\") 0 0)\n(func (export \"f\") (param $n i32) (param $m i32) \
         (param $i i32) (param $j i32) (result i64)\n(local $sum i64) (local $fuel i32) (local.set $fuel (i32.const 40))\n\
         (block $out\n{})\n(local.get $sum)))",
        writer.out
    )
}

fn module(engine: &Engine, wat: &str) -> Module {
    let file = SourceMap::new().add("test.wat", wat).expect("small");
    let read = planish_front_wasm::translate(&file, wat.as_bytes(), &planish_front_wasm::Options::default());
    let (mut module, _) = read.unwrap_or_else(|errors| panic!("{wat}\n{errors:#?}"));
    let func = module.funcs.keys().next().expect("there is one");
    for (i, stride) in STRIDES.into_iter().enumerate() {
        let length = SliceLength { param: i as u32, memory: i as u32, stride };
        module.funcs[func].decorations.add(Decoration::Length(length));
    }
    module.facts.scheduled = true;
    Module::new(engine, module).expect("the machine has what WebAssembly has")
}

/// The sum, or the text of the trap.
fn call(engine: &Engine, wat: &str, args: (i32, i32, i32, i32), bytes: [&[u8]; 2]) -> Result<i64, String> {
    let mut store = Store::new(engine, ());
    let instance = Linker::new().instantiate(&mut store, &module(engine, wat)).expect("imports nothing");
    let memories = ["xs", "ys"].map(|name| instance.get_memory(&store, name).expect("exported"));
    let f = instance.get_typed_func::<(i32, i32, i32, i32), i64>(&store, "f").expect("exported");
    let lent = memories.into_iter().zip(bytes).map(|(memory, bytes)| (memory, Lent::ToRead(bytes)));
    let result = Memory::lend(lent, &mut store, |store| f.call(store, args)).expect("lent");
    result.map_err(|error: Error| error.to_string())
}

fn engines() -> [Engine; 2] {
    [Strategy::Vm, Strategy::Native].map(|strategy| Engine::new(&Config::default().strategy(strategy).clone()))
}

#[test]
fn comparisons_with_lengths_take_the_place_of_checks_only_where_they_hold() {
    let [vm, native] = engines();
    let (mut stopped, mut ended) = (0, 0);
    for seed in seeds(0..300) {
        let wat = program(seed);
        let mut choices = Choices::from_seed(!seed);
        for _ in 0..3 {
            let [n, m, i, j] = [0; 4].map(|_: i32| choices.below(9) as i32);
            let bytes = STRIDES.map(|stride| choices.bytes(stride as usize * if stride == 8 { n } else { m } as usize));
            let bytes = [&bytes[0][..], &bytes[1][..]];
            let args = (n, m, i, j);
            let expected = call(&vm, &wat, args, bytes);
            *if expected.is_ok() { &mut ended } else { &mut stopped } += 1;
            assert_eq!(call(&native, &wat, args, bytes), expected, "seed {seed}, {args:?}\n{wat}");
        }
    }
    assert!(stopped > ended / 20 && ended > stopped / 20, "{stopped} {ended}");
}

#[test]
fn a_length_that_is_too_great_ends_the_call() {
    let wat = "(module (memory (export \"xs\") 0 0) (memory (export \"ys\") 0 0)
        (func (export \"f\") (param $n i32) (param $m i32) (param $i i32) (param $j i32) (result i64)
          (if (result i64) (i32.lt_u (local.get $i) (local.get $n))
            (then (i64.load 0 (i32.mul (local.get $i) (i32.const 8)))) (else (i64.const -1)))))";
    let (bytes, [_, native]) = ([7; 24], engines());
    let f = |n, i| call(&native, wat, (n, 0, i, 0), [&bytes, &[]]);
    assert_eq!(f(3, 2), Ok(0x0707_0707_0707_0707));
    assert_eq!(f(3, 3), Ok(-1));
    for n in [4, i32::MAX, -1, 0x2000_0000] {
        assert!(f(n, 3).is_err_and(|text| text.contains("out of bounds")), "{n}");
    }
}
