//! Compares the elementary functions of lanes with the exact ones, on every `f32`. They run as machine code, as `planish run` has them.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Func, Type, Value};
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::meaning::{Kernel, kernel};
use planish_ir::module::{EntryPoint, Language, MemoryData, Module, StageProperties};
use planish_ir::ops::{MemArg, Op, Width};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::approximate_functions::{self, MOST_ERRORS, error};
use planish_opt::{Context, lower_to_scalars};
use planish_target::legal::TargetInfo;
use planish_vm::{Config, Engine, Instance, Linker, Store, Strategy, Val};

const LANES: u8 = 8;
/// Numbers of one call of machine code.
const CHUNK: u32 = 1 << 16;
const PAGE: u32 = MemoryData::PAGE as u32;

const USAGE: &str = "usage: elementary-check [--only NAME]… [--every N] [--jobs N]";

struct Options {
    only: Vec<String>,
    /// One chunk of 65,536 numbers in so many is compared.
    every: u32,
    jobs: usize,
}

fn main() -> ExitCode {
    let Some(options) = parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut all_hold = true;
    println!("| function | compared | error | at | seconds |\n| --- | ---: | ---: | --- | ---: |");
    for &(op, most) in MOST_ERRORS {
        let Some(Kernel::Unary(exact)) = kernel(op, Scalar::F64) else { continue };
        if !options.only.is_empty() && !options.only.iter().any(|name| name == op.text()) {
            continue;
        }
        let start = Instant::now();
        let (compared, greatest) = sweep(op, exact.one, &options);
        let (error, at) = greatest;
        let seconds = start.elapsed().as_secs();
        println!("| `{}` | {compared} | {error:.3} | {:?} | {seconds} |", op.text(), f32::from_bits(at));
        if error > most {
            all_hold = false;
            println!("`{}` is wrong by {error} units, which is more than {most}", op.text());
        }
    }
    if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parse(mut args: impl Iterator<Item = String>) -> Option<Options> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut options = Options { only: vec![], every: 1, jobs: threads };
    while let Some(arg) = args.next() {
        match &*arg {
            "--only" => options.only.push(args.next()?),
            "--every" => options.every = args.next()?.parse().ok().filter(|&n| n > 0)?,
            "--jobs" => options.jobs = args.next()?.parse().ok().filter(|&n| n > 0)?,
            _ => return None,
        }
    }
    Some(options)
}

/// Compares all numbers, on threads; how many, and the greatest error with its argument.
fn sweep(op: Op, exact: fn(u64) -> u64, options: &Options) -> (u64, (f64, u32)) {
    let next = AtomicU32::new(0);
    let work = || {
        let mut machine = Machine::new(op);
        let (mut compared, mut greatest) = (0, (0.0, 0));
        loop {
            let chunk = next.fetch_add(options.every, Ordering::Relaxed);
            if chunk > u32::MAX / CHUNK {
                return (compared, greatest);
            }
            let first = chunk * CHUNK;
            for (bits, found) in (first..=first + (CHUNK - 1)).zip(machine.results(first)) {
                let wanted = f64::from_bits(exact(f64::from(f32::from_bits(bits)).to_bits()));
                let error = error(found, wanted);
                if error > greatest.0 {
                    greatest = (error, bits);
                }
                compared += 1;
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        let mut all = (0, (0.0, 0));
        for (compared, greatest) in threads.into_iter().map(|thread| thread.join().expect("no panic")) {
            all.0 += compared;
            if greatest.0 > all.1.0 {
                all.1 = greatest;
            }
        }
        all
    })
}

/// Machine code of a function on a chunk of numbers in memory.
struct Machine {
    store: Store<()>,
    instance: Instance,
}

impl Machine {
    fn new(op: Op) -> Self {
        let engine = Engine::new(&Config::default().strategy(Strategy::Native).clone());
        let code = planish_vm::Module::new(&engine, program(op)).expect("it can be compiled");
        let mut store = Store::new(&engine, ());
        let instance = Linker::new().instantiate(&mut store, &code).expect("it imports nothing");
        Machine { store, instance }
    }

    /// The results for `CHUNK` numbers with these bits and those after.
    fn results(&mut self, first: u32) -> impl Iterator<Item = f32> + '_ {
        let memory = self.instance.get_memory(&self.store, lower_to_scalars::MEMORY).expect("it has a memory");
        let bytes = memory.data_mut(&mut self.store);
        for (word, bits) in bytes[PAGE as usize..].chunks_exact_mut(4).zip(first..=first + (CHUNK - 1)) {
            word.copy_from_slice(&bits.to_le_bytes());
        }
        let run = self.instance.get_func(&self.store, "run").expect("it is exported");
        run.call(&mut self.store, &[Val::I32(PAGE as i32)], &mut []).expect("it ends");
        let words = memory.data(&self.store)[PAGE as usize..].chunks_exact(4).take(CHUNK as usize);
        words.map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    }
}

/// `run(address)` replaces the numbers there by their results.
fn program(op: Op) -> Module {
    let mut module = Module::new(Language::Ir);
    let ty = module.types.vector(Scalar::F32, LANES);
    let result = ResultType { ty, precision: Precision::None };
    let function = module.add_func(Name::temporary("f"), vec![param("x", ty)], vec![result], Span::NONE);
    let mut b = Builder::new(&mut module, function, Policy::PLAIN);
    let x = b.param(0);
    let value = b.op(op, &[x]);
    b.ret(&[value]);
    b.finish();
    approximate_functions::run(&mut module, LANES);
    module.facts.on_lanes = true;
    let mut context = Context::default();
    lower_to_scalars::run_on_lanes(&mut module, &TargetInfo::EVERYTHING, &mut context, LANES)
        .expect("it can be lowered");
    let pages = 1 + 4 * CHUNK / PAGE;
    match module.memories.keys().next() {
        // (Addresses below `PAGE` are those of constants.)
        Some(memory) => module.memories[memory].min_pages = pages,
        None => {
            let exports = vec![lower_to_scalars::MEMORY.into()];
            module.memories.push(MemoryData { min_pages: pages, max_pages: None, import: None, exports });
        }
    }
    let run = module.add_func(Name::temporary("run"), vec![param("address", Type::I32)], vec![], Span::NONE);
    write_loop(&mut module, run, function);
    let names = vec!["run".into()];
    module.entry_points = vec![EntryPoint { names, func: run, stage: None, properties: StageProperties::default() }];
    module
}

fn param(name: &'static str, ty: Type) -> Param {
    Param { name: Name::temporary(name), ty, precision: Precision::None, direction: Direction::In, span: Span::NONE }
}

fn write_loop(module: &mut Module, run: Func, function: Func) {
    let memory = module.memories.keys().next().expect("it was added");
    let wide = module.types.intern(TypeKind::V128);
    let mut b = Builder::new(module, run, Policy::PLAIN);
    let first = b.param(0);
    let length = b.i32(4 * CHUNK as i32);
    let end = b.op(Op::Add, &[first, length]);
    let blocks = b.loop_(&[first], false);
    let at = b.add_input(blocks.condition, Type::I32, Precision::None);
    b.switch_to(blocks.condition);
    let more = b.op(Op::LessThan, &[at, end]);
    b.loop_if(more);
    b.switch_to(blocks.body);
    let access = |offset: u32| MemArg { memory, offset, width: Width::B128, signed: false, in_bounds: false };
    let parts = [0, 16].map(|offset| b.make(Request::new(Op::MemoryLoad, &[at]).imm(access(offset)).ty(wide)));
    let results: Vec<Value> = b.call(function.into(), &parts).into_iter().collect();
    for (result, offset) in results.into_iter().zip([0, 16]) {
        b.make_all(Request::new(Op::MemoryStore, &[at, result]).imm(access(offset)));
    }
    let step = b.i32(4 * i32::from(LANES));
    let next = b.op(Op::Add, &[at, step]);
    b.continue_(blocks.owner, &[next]);
    b.switch_to(blocks.merge);
    b.ret(&[]);
    b.finish();
}
