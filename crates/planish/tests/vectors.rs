//! Loops that run several iterations at once leave the same bits as one after the other.

use planish::Optimizer;
use planish::ir::builder::{Builder, Policy, Request};
use planish::ir::decoration::{Name, Precision};
use planish::ir::entity::{Memory, Type, Value};
use planish::ir::facts::Facts;
use planish::ir::function::{Args, Exit, Param, ResultType, TrapKind};
use planish::ir::module::{EntryPoint, Language, MemoryData, Module, StageProperties};
use planish::ir::ops::{Class, Imm, Meaning, MemArg, Op, Width, infer};
use planish::ir::source::Span;
use planish::ir::text::print;
use planish::ir::types::Scalar;
use planish::ir::verify::verify;
use planish::vm::{Config, Engine, Linker, Store, Strategy, Val};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_testkit::seeds;
use planish_testkit::straight_line::{Random, special};

/// Bytes of a memory.
const PAGE: usize = 1 << 16;
/// The third parameter: inner loops that ask for it end after this number.
const LAST: i32 = 1;
/// The most iterations.
const MOST: u32 = 100;

/// Writes a kernel: a loop over memories.
struct Kernel<'c, 'b> {
    choices: &'c mut Choices<'b>,
    values: Vec<(Scalar, Value)>,
    /// Ops, with the scalars of their operands and of their result.
    ops: &'c [(Op, Vec<Scalar>, Scalar)],
}

/// The scalars of lanes: the machine has no floats of 16 bits.
const SCALARS: [Scalar; 7] =
    [Scalar::Bool, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::F32, Scalar::F64];

/// Every op of scalars that lanes may have, and that computes something.
fn ops() -> Vec<(Op, Vec<Scalar>, Scalar)> {
    let mut types = Module::new(Language::Ir).types;
    let mut found = Vec::new();
    let is_arithmetic = |op: &Op| {
        matches!(op.info().class, Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn)
            && op.is_pure()
            && *op != Op::NonUniform
            && !matches!(op.info().meaning, Meaning::Algebra | Meaning::Pack)
    };
    for op in Op::all().filter(is_arithmetic) {
        for scalar in SCALARS {
            let mut add = |args: Vec<Scalar>| {
                let operands: Vec<Type> = args.iter().map(|&scalar| types.scalar(scalar)).collect();
                let Ok(results) = infer(&mut types, op, Imm::NONE, &operands, None) else { return };
                if let [result] = results[..]
                    && let Some(result) = types.scalar_of(result)
                {
                    found.push((op, args, result));
                }
            };
            (1..=3).for_each(|count| add(vec![scalar; count]));
            add(vec![Scalar::Bool, scalar, scalar]);
        }
    }
    found
}

impl Kernel<'_, '_> {
    /// A value of a scalar type.
    fn value(&mut self, b: &mut Builder<'_, '_>, scalar: Scalar) -> Value {
        let known: Vec<Value> = self.values.iter().filter(|(s, _)| *s == scalar).map(|(_, value)| *value).collect();
        if !known.is_empty() && !self.choices.chance(15) {
            return self.choices.pick(&known);
        }
        let ty = b.module.types.scalar(scalar);
        let bits = special(&mut Random::new(self.choices.word()), scalar);
        b.module.consts.bits(ty, bits).into()
    }

    fn node(&mut self, b: &mut Builder<'_, '_>) {
        if self.choices.chance(15) {
            // A conversion.
            let from = self.choices.pick(&SCALARS);
            let to = self.choices.pick(&SCALARS);
            let value = self.value(b, from);
            let ty = b.module.types.scalar(to);
            if from != to {
                let value = b.convert(value, ty);
                self.values.push((to, value));
            }
            return;
        }
        let cheap = self.choices.chance(80);
        let ops: Vec<usize> = (0..self.ops.len()).filter(|&i| !cheap || !self.ops[i].0.is_transcendental()).collect();
        let (op, args, result) = self.ops[self.choices.pick(&ops)].clone();
        let args: Vec<Value> = args.into_iter().map(|scalar| self.value(b, scalar)).collect();
        let value = b.make(Request::new(op, &args));
        self.values.push((result, value));
    }

    /// A scalar type in memory, with a width and whether it is extended by its sign.
    fn element(&mut self) -> (Scalar, Width, bool) {
        let scalar = self.choices.pick(&SCALARS[1..]);
        match scalar {
            Scalar::I32 | Scalar::U32 => {
                let width = self.choices.pick(&[Width::B8, Width::B16, Width::B32, Width::B32]);
                (scalar, width, width != Width::B32 && scalar == Scalar::I32)
            }
            _ if scalar.bits() == 64 => (scalar, Width::B64, false),
            _ => (scalar, Width::B32, false),
        }
    }

    /// The address of an element.
    fn address(&mut self, b: &mut Builder<'_, '_>, index: Value, width: Width) -> Value {
        let bytes = b.u32(width.bytes());
        let offset = b.op(Op::Multiply, &[index, bytes]);
        b.op_typed(Op::Bitcast, &[offset], Type::I32)
    }

    fn load(&mut self, b: &mut Builder<'_, '_>, memory: u32, index: Value) {
        let (scalar, width, signed) = self.element();
        let address = self.address(b, index, width);
        let offset = 8 * self.choices.below(40) as u32 + width.bytes() * self.choices.below(3) as u32;
        let arg = MemArg { memory: Memory::from_u32(memory), offset, width, signed, in_bounds: true };
        let ty = b.module.types.scalar(scalar);
        let value = b.make(Request::new(Op::MemoryLoad, &[address]).imm(arg).ty(ty));
        self.values.push((scalar, value));
    }

    /// An element by an index that is computed; half of the time, the program stops if that is beyond an end.
    fn gather(&mut self, b: &mut Builder<'_, '_>) {
        let (index, most) = (self.value(b, Scalar::U32), b.u32(0x7ff));
        let index = b.op(Op::BitwiseAnd, &[index, most]);
        if self.choices.chance(50) {
            let end = b.u32(self.choices.pick(&[0x7fe, 0x7ff, 0x800]));
            let inside = b.op(Op::LessThan, &[index, end]);
            self.stop_unless(b, inside);
        }
        let memory = self.choices.below(2) as u32;
        self.load(b, memory, index);
    }

    fn stop_unless(&mut self, b: &mut Builder<'_, '_>, condition: Value) {
        let turned = self.choices.chance(50);
        let condition = if turned { b.op(Op::LogicalNot, &[condition]) } else { condition };
        let blocks = b.if_(condition);
        let (stops, goes) = if turned { (blocks.then, blocks.otherwise) } else { (blocks.otherwise, blocks.then) };
        b.switch_to(stops);
        b.exit(Exit::Trap(TrapKind::OutOfBoundsMemory));
        b.switch_to(goes);
        b.merge(&[]);
        b.switch_to(blocks.merge);
    }

    fn statement(&mut self, b: &mut Builder<'_, '_>, index: Value, depth: u32) {
        match self.choices.below(if depth == 0 { 8 } else { 10 }) {
            1 if depth == 2 => self.gather(b),
            2 if self.choices.chance(15) => {
                let end = b.u32(self.choices.pick(&[5, 13, 90]));
                let inside = b.op(Op::LessThan, &[index, end]);
                self.stop_unless(b, inside);
            }
            0 => {
                let memory = self.choices.below(2) as u32;
                self.load(b, memory, index);
            }
            8 => {
                // One of two computations.
                let condition = self.value(b, Scalar::Bool);
                let scalar = self.choices.pick(&SCALARS);
                let blocks = b.if_(condition);
                let known = self.values.len();
                for arm in [blocks.then, blocks.otherwise] {
                    b.switch_to(arm);
                    (0..self.choices.below(4)).for_each(|_| self.statement_without_access(b, index, depth - 1));
                    let value = self.value(b, scalar);
                    b.merge(&[value]);
                    self.values.truncate(known);
                }
                b.switch_to(blocks.merge);
                let ty = b.module.types.scalar(scalar);
                let merged = b.add_input(blocks.merge, ty, Precision::None);
                self.values.push((scalar, merged));
            }
            9 => {
                // The same loop in all iterations.
                let scalar = self.choices.pick(&SCALARS[1..]);
                let (first, zero, ty) = (self.value(b, scalar), b.u32(0), b.module.types.scalar(scalar));
                let blocks = b.loop_(&[zero, first], false);
                let k = b.add_input(blocks.condition, Type::U32, Precision::None);
                let carried = b.add_input(blocks.condition, ty, Precision::None);
                b.switch_to(blocks.condition);
                // It is used after the loop, too, which may be left before its end.
                let distance = b.u32(self.choices.below(9) as u32);
                let further = b.op(Op::Add, &[index, distance]);
                let most = b.u32(self.choices.below(4) as u32);
                let goes = b.op(Op::LessThan, &[k, most]);
                b.loop_if(goes);
                b.switch_to(blocks.body);
                let known = self.values.len();
                self.values.extend([(Scalar::U32, k), (scalar, carried)]);
                let shifted = b.op(Op::Add, &[index, k]);
                let at = if self.choices.chance(50) { shifted } else { k };
                self.load(b, 0, at);
                (0..self.choices.below(4)).for_each(|_| self.node(b));
                if self.choices.chance(50) {
                    let last = b.param(2);
                    let last = b.op_typed(Op::Bitcast, &[last], Type::U32);
                    let ends = b.op(Op::LessThan, &[last, k]);
                    let arms = b.if_(ends);
                    b.switch_to(arms.then);
                    b.break_(blocks.owner, &[]);
                    b.switch_to(arms.otherwise);
                    b.merge(&[]);
                    b.switch_to(arms.merge);
                }
                let (next, one) = (self.value(b, scalar), b.u32(1));
                let more = b.op(Op::Add, &[k, one]);
                b.continue_(blocks.owner, &[more, next]);
                self.values.truncate(known);
                b.switch_to(blocks.merge);
                self.values.extend([(scalar, carried), (Scalar::U32, further)]);
                if self.choices.chance(50) {
                    self.load(b, 1, further);
                }
            }
            _ => self.node(b),
        }
    }

    fn statement_without_access(&mut self, b: &mut Builder<'_, '_>, index: Value, depth: u32) {
        if depth > 0 && self.choices.chance(20) { self.statement(b, index, depth) } else { self.node(b) }
    }
}

/// A kernel with an index of this type: parameters are the number of iterations and two scalars, results those of reductions. Also, of
/// each result, whether its bits depend on the order.
fn kernel(choices: &mut Choices<'_>, ops: &[(Op, Vec<Scalar>, Scalar)]) -> (Module, Vec<bool>) {
    let mut module = Module::new(Language::Ir);
    module.facts = Facts { precisions: false, processor: true, nan_bits: true, ..Language::Ir.facts() };
    for number in 0..4 {
        let exports = vec![format!("m{number}").into()];
        module.memories.push(MemoryData { min_pages: 1, max_pages: Some(1), import: None, exports });
    }
    let reductions: Vec<(Scalar, Op)> = (0..choices.below(3)).map(|_| reduction(choices)).collect();
    let scalars = [Scalar::U32, Scalar::F64, Scalar::I32];
    let params = scalars.map(|scalar| Param::new(Name::temporary("x"), module.types.scalar(scalar))).to_vec();
    let results = reductions.iter().map(|&(scalar, _)| ResultType::new(module.types.scalar(scalar))).collect();
    let func = module.add_func(Name::temporary("kernel"), params, results, Span::NONE);
    module.entry_points.push(EntryPoint {
        names: vec!["kernel".into()],
        func,
        stage: None,
        properties: StageProperties::default(),
    });
    let mut b = Builder::new(&mut module, func, Policy::PLAIN);
    let values = vec![(Scalar::F64, b.param(1)), (Scalar::I32, b.param(2))];
    let mut kernel = Kernel { choices, values, ops };
    for _ in 0..kernel.choices.below(3) {
        kernel.node(&mut b);
    }
    let mut start: Vec<Value> = vec![b.u32(0)];
    for &(scalar, _) in &reductions {
        start.push(kernel.value(&mut b, scalar));
    }
    let blocks = b.loop_(&start, false);
    let index = b.add_input(blocks.condition, Type::U32, Precision::None);
    let mut carried = Vec::new();
    for &(scalar, _) in &reductions {
        let ty = b.module.types.scalar(scalar);
        carried.push(b.add_input(blocks.condition, ty, Precision::None));
    }
    b.switch_to(blocks.condition);
    let count = b.param(0);
    let goes = b.op(Op::LessThan, &[index, count]);
    b.loop_if(goes);
    b.switch_to(blocks.body);
    kernel.values.push((Scalar::U32, index));
    for _ in 0..1 + kernel.choices.below(12) {
        kernel.statement(&mut b, index, 2);
    }
    for place in 0..1 + kernel.choices.below(2) as u32 {
        let (scalar, width, _) = kernel.element();
        let memory = Memory::from_u32(2 + place);
        let arg = MemArg { memory, offset: 8 * kernel.choices.below(9) as u32, width, signed: false, in_bounds: true };
        let address = kernel.address(&mut b, index, width);
        let ty = b.module.types.scalar(scalar);
        if kernel.choices.chance(30) {
            // In place.
            let old = b.make(Request::new(Op::MemoryLoad, &[address]).imm(arg).ty(ty));
            kernel.values.push((scalar, old));
            kernel.node(&mut b);
        }
        let value = kernel.value(&mut b, scalar);
        b.make_all(Request::new(Op::MemoryStore, &[address, value]).imm(arg));
    }
    let one = b.u32(1);
    let mut next: Args = [b.op(Op::Add, &[index, one])].into_iter().collect();
    for (&(scalar, op), &old) in reductions.iter().zip(&carried) {
        let value = kernel.value(&mut b, scalar);
        let op = if op == Op::Add && kernel.choices.chance(30) { Op::Subtract } else { op };
        let mut new = b.make(Request::new(op, &[old, value]).imm(order_of(scalar, op)));
        if kernel.choices.chance(50) {
            let condition = kernel.value(&mut b, Scalar::Bool);
            new = b.op(Op::Select, &[condition, new, old]);
        }
        next.push(new);
    }
    b.exit(Exit::Continue(blocks.owner, next));
    b.switch_to(blocks.merge);
    b.ret(&carried);
    b.finish();
    let depends = reductions.iter().map(|&(scalar, op)| order_of(scalar, op) != Imm::NONE).collect();
    (module, depends)
}

fn reduction(choices: &mut Choices<'_>) -> (Scalar, Op) {
    let scalar = choices.pick(&SCALARS[1..]);
    use Op::{Add, BitwiseAnd, BitwiseOr, BitwiseXor, Max, Maximum, Min, Minimum, Multiply};
    let of_floats = [Add, Multiply, Min, Max, Minimum, Maximum];
    let of_integers = [Add, Multiply, BitwiseAnd, BitwiseOr, BitwiseXor, Min, Max];
    (scalar, if scalar.is_float() { choices.pick(&of_floats) } else { choices.pick(&of_integers) })
}

/// The immediate of a reduction: of floats, that it may be computed in another order, unless that is the same.
fn order_of(scalar: Scalar, op: Op) -> Imm {
    let is_same = !scalar.is_float() || matches!(op, Op::Minimum | Op::Maximum);
    if is_same { Imm::NONE } else { Imm::REASSOCIABLE }
}

/// The bytes of memories and the results after a call, or nothing if it trapped.
type Outcome = (Vec<Vec<u8>>, Option<Vec<u64>>);

fn first(random: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(random);
    let memory = |_| {
        let mut bytes = Vec::with_capacity(PAGE);
        while bytes.len() < PAGE {
            bytes.extend(special(&mut random, Scalar::F64).to_le_bytes());
            let singles = [0, 1].map(|_| special(&mut random, Scalar::F32) as u32);
            singles.iter().for_each(|bits| bytes.extend(bits.to_le_bytes()));
            bytes.extend((random.below(1 << 40) as u64).to_le_bytes());
        }
        bytes.truncate(PAGE);
        bytes
    };
    (0..4).map(memory).collect()
}

fn evaluated(module: &Module, memories: &[Vec<u8>], count: u32) -> Outcome {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("it starts");
    for (number, bytes) in memories.iter().enumerate() {
        evaluator.memory_mut(Memory::from_u32(number as u32)).expect("it is there").copy_from_slice(bytes);
    }
    let func = module.entry_points[0].func;
    let double = module.funcs[func].params[1].ty;
    let args = [EvalValue::u32(count), EvalValue { ty: double, bits: vec![0.75f64.to_bits()] }, EvalValue::i32(LAST)];
    let results = evaluator.call(func, &args);
    let memories = (0..4).map(|number| evaluator.memory(Memory::from_u32(number)).expect("it is there").to_vec());
    (memories.collect(), results.ok().map(|results| results.iter().map(|value| value.bits[0]).collect()))
}

fn run(engine: &Engine, module: &Module, memories: &[Vec<u8>], count: u32) -> Outcome {
    let module = planish::vm::Module::new(engine, module.clone()).expect("it can be run");
    let mut store = Store::new(engine, ());
    let instance = Linker::new().instantiate(&mut store, &module).expect("it imports nothing");
    let found: Vec<_> =
        (0..4).map(|number| instance.get_memory(&store, &format!("m{number}")).expect("it is exported")).collect();
    for (memory, bytes) in found.iter().zip(memories) {
        memory.data_mut(&mut store).copy_from_slice(bytes);
    }
    let func = instance.get_func(&store, "kernel").expect("it is exported");
    let mut results = vec![Val::I32(0); func.ty(&store).results().len()];
    let args = [Val::I32(count as i32), Val::F64(0.75f64.to_bits()), Val::I32(LAST)];
    let called = func.call(&mut store, &args, &mut results);
    let bits = results.iter().map(|result| match *result {
        Val::I32(x) => u64::from(x as u32),
        Val::I64(x) => x as u64,
        Val::F32(bits) => bits.into(),
        Val::F64(bits) => bits,
        _ => panic!("reductions are of numbers"),
    });
    (found.iter().map(|memory| memory.data(&store).to_vec()).collect(), called.ok().map(|()| bits.collect()))
}

#[test]
fn random_loops_leave_the_same_bits() {
    let ops = ops();
    let (mut vectorized, mut trapped, mut all) = (0, 0, 0);
    let native = Engine::new(Config::default().strategy(Strategy::Native));
    let vm = Engine::new(Config::default().strategy(Strategy::Vm));
    for seed in seeds(0..200) {
        let mut choices = Choices::from_seed(seed);
        let (module, depends) = kernel(&mut choices, &ops);
        assert_eq!(verify(&module), [], "seed {seed}: {}", print(&module));
        let mut wide = module.clone();
        let mut optimizer = Optimizer::level(if seed % 4 == 0 { "0" } else { "2" }).expect("a level");
        optimizer.options.vectorize = true;
        let context = optimizer.run(&mut wide, &mut |_, _| {});
        assert_eq!(verify(&wide), [], "seed {seed}: {}\n{}", print(&module), print(&wide));
        all += 1;
        let count = context.stats.iter().filter(|(_, name, _)| *name == "LoopsVectorized").count();
        vectorized += count.min(1);
        let counts: &[u32] = if count > 0 { &[0, 1, 7, 8, 9, 16, MOST] } else { &[3] };
        for &count in counts {
            let memories = first(seed);
            let mut expected = evaluated(&module, &memories, count);
            trapped += usize::from(count == MOST && expected.1.is_none());
            let wide_results = evaluated(&wide, &memories, count).1;
            // Of a free order, the engines agree on that of the lanes.
            for (i, _) in depends.iter().enumerate().filter(|(_, depends)| **depends && count > 1) {
                if let (Some(expected), Some(wide)) = (&mut expected.1, &wide_results) {
                    expected[i] = wide[i];
                }
            }
            let what = || format!("seed {seed}, {count} iterations: {}\n{}", print(&module), print(&wide));
            let difference = |found: &Outcome| -> Option<String> {
                if found.1 != expected.1 {
                    return Some(format!("{:x?} {:x?}", found.1, expected.1));
                }
                (0..4).find_map(|m| {
                    let at = (0..PAGE).find(|&at| found.0[m][at] != expected.0[m][at])?;
                    Some(format!(
                        "memory {m} at {at}: {:x?} {:x?}",
                        &found.0[m][at & !7..][..8],
                        &expected.0[m][at & !7..][..8]
                    ))
                })
            };
            assert_eq!(difference(&evaluated(&wide, &memories, count)), None, "evaluator, {}", what());
            assert_eq!(difference(&run(&vm, &wide, &memories, count)), None, "virtual machine, {}", what());
            assert_eq!(difference(&run(&native, &wide, &memories, count)), None, "machine code, {}", what());
        }
    }
    assert!(vectorized * 3 > all && trapped * 20 > all, "{vectorized} of {all}, {trapped} trapped");
}

/// The names and messages of the remarks on loops, and the vectorized module.
fn vectorized(text: &str) -> (Module, Vec<String>) {
    let mut module = planish::Compiler::default().compile("loop.ir", text).module.expect("it is valid");
    let mut optimizer = Optimizer::level("0").expect("a level");
    optimizer.options.vectorize = true;
    let context = optimizer.run(&mut module, &mut |_, _| {});
    assert_eq!(verify(&module), [], "{}", print(&module));
    (module, context.remarks.iter().map(|remark| remark.message.clone()).collect())
}

/// A loop over `%i` below `%n`, with a body that ends with `continue b0, %next`.
fn looped(body: &str, carried: &str) -> String {
    format!(
        "module ir\nmemory memory0 min 1 max 1\nmemory memory1 min 1 max 1\nmemory memory2 min 1 export \"m\"\n\
         fn @f(%n: u32, %x: f32) {{\nb0:\n  loop 0u{} {{\n  cond b1(%i: u32{}):\n    %c = less_than %i, %n\n    loop_if %c\n  \
         body b2:\n    %b = shift_left %i, 2u\n    %a: i32 = bitcast %b\n    %next = add %i, 1u\n{body}\n  }}\nb9:\n  return\n}}\nexport @f \"f\"\n",
        if carried.is_empty() { "" } else { ", 0.0" },
        carried,
    )
}

#[test]
fn every_refusal_has_a_reason() {
    let load = "    %v: f32 = memory_load[memory0 u32 in_bounds] %a\n";
    let store = "    memory_store[memory1 u32 in_bounds] %a, %v\n";
    let end = "    continue b0, %next";
    let stop = "    %w = less_than %v, %x\n    if %w {\n    then b4:\n      trap out_of_bounds_memory\n    else b5:\n      merge\n    }\n  b6:\n";
    let loops: [(String, &str, &str); 10] = [
        (format!("{load}{stop}{store}{end}"), "", "8 iterations run at once"),
        (format!("{load}{store}{stop}{end}"), "", "an iteration may be the last one, after it has stored something"),
        (format!("{load}{store}{end}"), "", "8 iterations run at once"),
        (format!("{}{store}{end}", load.replace(" in_bounds", "")), "", "it may access memory out of bounds"),
        (format!("{load}{}{end}", store.replace("memory1", "memory2")), "", "addresses of the memory may wrap around"),
        (
            format!("    %d = shift_left %i, 3u\n    %e: i32 = bitcast %d\n{}{store}{end}", load.replace("%a", "%e")),
            "",
            "8 iterations run at once",
        ),
        (
            format!("{load}    memory_store[memory0 u32 offset 4 in_bounds] %a, %v\n{end}"),
            "",
            "an iteration may need what another one stores",
        ),
        (
            format!("{load}    %t = add %s, %v\n    continue b0, %next, %t"),
            ", %s: f32",
            "an iteration needs a result of the one before",
        ),
        (
            format!(
                "{load}    %w = less_than %v, %x\n    if %w {{\n    then b4:\n      break b0\n    else b5:\n      merge\n    }}\n  b6:\n{store}{end}"
            ),
            "",
            "an iteration may be the last one",
        ),
        (
            format!(
                "{load}    %w = less_than %v, %x\n    if %w {{\n    then b4:\n  {store}      merge\n    else b5:\n      merge\n    }}\n  b6:\n{end}"
            ),
            "",
            "an access to memory depends on a condition",
        ),
    ];
    for (body, carried, expected) in loops {
        let text = looped(&body, carried);
        let (module, remarks) = vectorized(&text);
        let [remark] = &remarks[..] else { panic!("{remarks:?}: {text}") };
        assert!(remark.ends_with(expected), "{remark}: {text}");
        assert_eq!(print(&module).contains(" vectorized"), expected.starts_with('8'), "{}", print(&module));
    }
}

/// Neighbouring elements of eight lanes are loaded and stored as 128 bits each.
#[test]
fn accesses_are_packed() {
    let widths = [("u8", 1, 1), ("u16", 1, 1), ("u32", 2, 2)];
    for (width, loads, stores) in widths {
        let shift = ["u8", "u16", "u32"].iter().position(|w| *w == width).expect("it is one");
        let body = format!(
            "    %d = shift_left %i, {shift}u\n    %e: i32 = bitcast %d\n    %v: u32 = memory_load[memory0 {width} in_bounds] %e\n    \
             %w = multiply %v, %v\n    memory_store[memory1 {width} in_bounds] %e, %w\n    continue b0, %next"
        );
        let (module, remarks) = vectorized(&looped(&body, ""));
        assert_eq!(remarks, ["8 iterations run at once"]);
        let text = print(&module);
        let lanes = &text[text.find("vectorized").expect("a function of lanes")..];
        assert_eq!(lanes.matches("memory_load").count(), loads, "{text}");
        assert_eq!(lanes.matches("memory_store").count(), stores, "{text}");
    }
}
