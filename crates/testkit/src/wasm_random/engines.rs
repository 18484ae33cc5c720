//! Observations of a module by each engine.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use planish_eval::{Limits, Stop};
use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::entity::{self, Func, Node, Type};
use planish_ir::function::Body;
use planish_ir::module::{MemoryData, Module as IrModule};
use planish_ir::ops::{Imm, ImmKind, Op};
use planish_ir::source::SourceMap;
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::restage::{Stage, copy_node, restage};
use planish_vm::{Config, Strategy};

/// Observed values, by the name of what was observed.
pub type Seen = BTreeMap<String, Result<Vec<Value>, &'static str>>;

/// A value as all engines can tell it: references are only null or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Bits and how many.
    Bits(u128, u32),
    /// Whether it is null.
    Null(bool),
    /// Pages or bytes, and a sum over them.
    Memory(usize, u64),
}

/// Runs a module on an engine of ours.
type See = fn(&[u8]) -> Result<Seen, String>;

/// Our engines.
pub const OURS: [(&str, See); 9] = [
    ("VM -O0", |wasm| machine(read(wasm, "0")?, Config::default().strategy(Strategy::Vm))),
    ("VM -O2", |wasm| machine(read(wasm, "2")?, Config::default().strategy(Strategy::Vm))),
    ("native -O0", |wasm| machine(read(wasm, "0")?, Config::default().strategy(Strategy::Native))),
    ("native -O2", |wasm| machine(read(wasm, "2")?, Config::default().strategy(Strategy::Native))),
    ("tiers -O0", |wasm| machine(read(wasm, "0")?, tiers(&mut Config::default()))),
    ("tiers -O2", |wasm| machine(read(wasm, "2")?, tiers(&mut Config::default()))),
    ("evaluator -O0", |wasm| evaluator(&read(wasm, "0")?)),
    ("evaluator -O2", |wasm| evaluator(&read(wasm, "2")?)),
    ("evaluator -O2 with checked marks", |wasm| evaluator(&with_checked_marks(read(wasm, "2")?))),
];

/// Functions and loops go on as machine code after a few calls and iterations.
fn tiers(config: &mut Config) -> &mut Config {
    config.strategy(Strategy::Tiered).tier_threshold(2).tiers_in_background(false)
}

/// The reference, which is slow.
pub const REFERENCE: (&str, See) = ("reference", |wasm| reference(&read(wasm, "0")?));

pub const CANNOT_START: &str = "cannot be instantiated";

fn read(wasm: &[u8], level: &str) -> Result<IrModule, String> {
    let file = match std::str::from_utf8(wasm) {
        Ok(text) if !text.starts_with('\0') => SourceMap::new().add("random.wat", text),
        _ => SourceMap::new().add_binary("random.wasm", wasm.len()),
    };
    let file = file.map_err(|_| "too large")?;
    let options = planish_front_wasm::Options { threads: 1, ..Default::default() };
    let (mut module, _) = planish_front_wasm::translate(&file, wasm, &options).map_err(|e| format!("{e:#?}"))?;
    let passes = planish_opt::pipeline(level).ok_or("no such level")?;
    let mut context = planish_opt::Context::new(planish_opt::Options::default());
    planish_opt::run_passes(&mut module, &passes, &mut context, &mut |_, _| {});
    match planish_ir::verify::verify(&module) {
        errors if errors.is_empty() => Ok(module),
        errors => Err(format!("not valid: {errors:#?}")),
    }
}

/// With a division before each access that is marked `in_bounds`: by zero, if the mark is wrong.
fn with_checked_marks(mut module: IrModule) -> IrModule {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    funcs.into_iter().for_each(|func| restage(&mut module, func, Policy::PLAIN, &mut CheckMarks));
    module
}

struct CheckMarks;

impl Stage for CheckMarks {
    fn node(&mut self, source: &Body, node: Node, args: &[entity::Value], b: &mut Builder<'_, '_>) -> Results {
        let data = source.node(node);
        if data.op.info().imm == ImmKind::MemArg && data.imm.as_mem_arg().in_bounds {
            let arg = data.imm.as_mem_arg();
            let i64 = b.module.types.scalar(Scalar::I64);
            let bytes_of = |b: &mut Builder<'_, '_>, word, factor| {
                let word = b.op_typed(Op::Bitcast, &[word], Type::U32);
                let word = b.op_typed(Op::ConstructScalarFromScalar, &[word], i64);
                let factor = b.module.consts.bits(i64, factor).into();
                b.op(Op::Multiply, &[word, factor])
            };
            let pages = b.op_imm(Op::MemorySize, Imm::pair(arg.memory.as_u32(), 0), &[]);
            let size = bytes_of(b, pages, MemoryData::PAGE as u64);
            let address = bytes_of(b, args[0], 1);
            let end = b.module.consts.bits(i64, arg.end()).into();
            let end = b.op(Op::Add, &[address, end]);
            let is_right = b.op(Op::LessThanEqual, &[end, size]);
            let (one, zero) = (b.i32(1), b.i32(0));
            let divisor = b.op(Op::Select, &[is_right, one, zero]);
            b.op(Op::DivideTrapping, &[one, divisor]);
        }
        copy_node(source, node, args, b)
    }
}

/// Whether a module computes with bits that WebAssembly leaves open: the generator canonicalizes the NaNs of all ops but
/// `f64x2.promote_low_f32x4` and `f32x4.demote_f64x2_zero`.
pub fn leaves_bits_open(wasm: &[u8]) -> bool {
    // (Of constants they are folded when the module is read, so its bytes are looked at.)
    use wasmparser::Operator::{F32x4DemoteF64x2Zero, F64x2PromoteLowF32x4};
    let bodies = wasmparser::Parser::new(0).parse_all(wasm).filter_map(|payload| match payload {
        Ok(wasmparser::Payload::CodeSectionEntry(body)) => body.get_operators_reader().ok(),
        _ => None,
    });
    bodies.flatten().any(|op| matches!(op, Ok(F32x4DemoteF64x2Zero | F64x2PromoteLowF32x4)))
}

/// Words for the arguments of the calls of a function: small, large, and odd bits.
pub fn argument(round: u64, index: usize) -> u128 {
    match round {
        0 => index as u128,
        1 => u128::MAX - index as u128,
        _ => 0x4029_0000_c1a0_0000_3ff0_0000_4049_0fdb_u128.rotate_left(index as u32 * 32),
    }
}

pub fn sum(bytes: &[u8]) -> Value {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Value::Memory(bytes.len(), hasher.finish())
}

pub fn wasmi(wasm: &[u8]) -> Result<Seen, String> {
    use wasmi::{Engine, Extern, Linker, Module, Store, TrapCode, Val, ValType};
    let value = |val: &Val| match val {
        Val::I32(x) => Value::Bits(*x as u32 as u128, 32),
        Val::I64(x) => Value::Bits(*x as u64 as u128, 64),
        Val::F32(x) => Value::Bits(x.to_bits().into(), 32),
        Val::F64(x) => Value::Bits(x.to_bits().into(), 64),
        Val::V128(x) => Value::Bits(x.as_u128(), 128),
        Val::FuncRef(x) => Value::Null(x.is_null()),
        Val::ExternRef(x) => Value::Null(x.is_null()),
    };
    let trap = |code: Option<TrapCode>| match code {
        Some(TrapCode::UnreachableCodeReached) => "unreachable",
        Some(TrapCode::MemoryOutOfBounds) => "out of bounds memory access",
        Some(TrapCode::TableOutOfBounds) => "out of bounds table access",
        Some(TrapCode::IndirectCallToNull) => "uninitialized element",
        Some(TrapCode::IntegerDivisionByZero) => "integer divide by zero",
        Some(TrapCode::IntegerOverflow) => "integer overflow",
        Some(TrapCode::BadConversionToInteger) => "invalid conversion to integer",
        Some(TrapCode::BadSignature) => "indirect call type mismatch",
        Some(TrapCode::StackOverflow) => "call stack exhausted",
        _ => "something else",
    };
    let engine = Engine::default();
    let module = Module::new(&engine, wasm).map_err(|e| e.to_string())?;
    let mut seen = Seen::new();
    for export in module.exports() {
        let Some(ty) = export.ty().func() else { continue };
        let mut store = Store::new(&engine, ());
        let Ok(instance) = Linker::new(&engine).instantiate_and_start(&mut store, &module) else {
            seen.insert(export.name().into(), Err(CANNOT_START));
            continue;
        };
        let func = instance.get_func(&store, export.name()).ok_or("no function")?;
        for round in 0..3 {
            let argument = |(index, ty): (usize, &ValType)| {
                let word = argument(round, index);
                match ty {
                    ValType::I32 => Val::I32(word as i32),
                    ValType::I64 => Val::I64(word as i64),
                    ValType::F32 => Val::F32(wasmi::F32::from_bits(word as u32)),
                    ValType::F64 => Val::F64(wasmi::F64::from_bits(word as u64)),
                    ValType::V128 => Val::V128(word.into()),
                    other => Val::default_for_ty(*other),
                }
            };
            let args: Vec<Val> = ty.params().iter().enumerate().map(argument).collect();
            let mut results: Vec<Val> = ty.results().iter().map(|&ty| Val::default_for_ty(ty)).collect();
            let result = match func.call(&mut store, &args, &mut results) {
                Ok(()) => Ok(results.iter().map(value).collect()),
                Err(error) => Err(trap(error.as_trap_code())),
            };
            seen.insert(format!("{}, call {round}", export.name()), result);
        }
        for other in instance.exports(&store) {
            let what = match other.clone().into_extern() {
                Extern::Global(global) => value(&global.get(&store)),
                Extern::Memory(memory) => sum(memory.data(&store)),
                _ => continue,
            };
            seen.insert(format!("{}, then {}", export.name(), other.name()), Ok(vec![what]));
        }
    }
    Ok(seen)
}

fn machine(module: IrModule, config: &Config) -> Result<Seen, String> {
    use planish_vm::{Engine, Error, Extern, Linker, Module, Store, Val, ValType, trap_text};
    let value = |val: &Val| match val {
        Val::I32(x) => Value::Bits(*x as u32 as u128, 32),
        Val::I64(x) => Value::Bits(*x as u64 as u128, 64),
        Val::F32(x) => Value::Bits((*x).into(), 32),
        Val::F64(x) => Value::Bits((*x).into(), 64),
        Val::V128(x) => Value::Bits(*x, 128),
        Val::FuncRef(x) => Value::Null(x.is_none()),
        Val::ExternRef(x) => Value::Null(x.is_none()),
    };
    let engine = Engine::new(config);
    let module = Module::new(&engine, module).map_err(|e| e.to_string())?;
    module.check().map_err(|problems| format!("the code is wrong: {problems}"))?;
    let mut seen = Seen::new();
    for (name, ty) in module.exported_funcs() {
        let mut store = Store::new(&engine, ());
        let instance = match Linker::new().instantiate(&mut store, &module) {
            Ok(instance) => instance,
            Err(Error::Trap(_)) => {
                seen.insert(name.into(), Err(CANNOT_START));
                continue;
            }
            Err(error) => return Err(error.to_string()),
        };
        let func = instance.get_func(&store, name).ok_or("no function")?;
        for round in 0..3 {
            let argument = |(index, ty): (usize, &ValType)| {
                let word = argument(round, index);
                match ty {
                    ValType::I32 => Val::I32(word as i32),
                    ValType::I64 => Val::I64(word as i64),
                    ValType::F32 => Val::F32(word as u32),
                    ValType::F64 => Val::F64(word as u64),
                    ValType::V128 => Val::V128(word),
                    other => Val::default_of(*other),
                }
            };
            let args: Vec<Val> = ty.params().iter().enumerate().map(argument).collect();
            let mut results: Vec<Val> = ty.results().iter().map(|&ty| Val::default_of(ty)).collect();
            let result = match func.call(&mut store, &args, &mut results) {
                Ok(()) => Ok(results.iter().map(value).collect()),
                Err(Error::Trap(trap)) => Err(trap_text(trap.kind)),
                Err(error) => return Err(error.to_string()),
            };
            seen.insert(format!("{name}, call {round}"), result);
        }
        for (other, what) in instance.exports(&store) {
            let what = match what {
                Extern::Global(global) => value(&global.get(&store)),
                Extern::Memory(memory) => sum(memory.data(&store)),
                _ => continue,
            };
            seen.insert(format!("{name}, then {other}"), Ok(vec![what]));
        }
    }
    Ok(seen)
}

fn evaluator(module: &IrModule) -> Result<Seen, String> {
    use planish_eval::world::{Extern, InstantiateError, Val, ValType, World};
    let value = |val: Val| match val {
        Val::I32(x) => Value::Bits(x as u32 as u128, 32),
        Val::I64(x) => Value::Bits(x as u64 as u128, 64),
        Val::F32(x) => Value::Bits(x.into(), 32),
        Val::F64(x) => Value::Bits(x.into(), 64),
        Val::V128(x) => Value::Bits(x, 128),
        Val::FuncRef(x) => Value::Null(x.is_none()),
        Val::ExternRef(x) => Value::Null(x.is_none()),
    };
    let mut seen = Seen::new();
    let names = module.entry_points.iter().flat_map(|entry| &entry.names);
    for name in names {
        let mut world = World::new(Limits::default());
        let instance = match world.instantiate(module, |_, _| None) {
            Ok(instance) => instance,
            Err(InstantiateError::Stop(Stop::Trap { .. })) => {
                seen.insert(name.to_string(), Err(CANNOT_START));
                continue;
            }
            Err(error) => return Err(error.to_string()),
        };
        let Some(Extern::Func(func)) = world.export(instance, name) else { return Err("no function".into()) };
        let ty = world.func_type(func).ok_or("no type")?;
        for round in 0..3 {
            let argument = |(index, ty): (usize, &ValType)| {
                let word = argument(round, index);
                match ty {
                    ValType::I32 => Val::I32(word as i32),
                    ValType::I64 => Val::I64(word as i64),
                    ValType::F32 => Val::F32(word as u32),
                    ValType::F64 => Val::F64(word as u64),
                    ValType::V128 => Val::V128(word),
                    other => Val::zero(*other),
                }
            };
            let args: Vec<Val> = ty.params().iter().enumerate().map(argument).collect();
            let result = match world.call(func, &args) {
                Ok(results) => Ok(results.into_iter().map(value).collect()),
                Err(Stop::Trap { kind, .. }) => Err(planish_vm::trap_text(kind)),
                Err(stop) => return Err(stop.to_string()),
            };
            seen.insert(format!("{name}, call {round}"), result);
        }
        for (other, what) in world.exports(instance) {
            let what = match what {
                Extern::Global(global) => value(world.get_global(global)),
                Extern::Memory(memory) => sum(world.memory(memory)),
                _ => continue,
            };
            seen.insert(format!("{name}, then {other}"), Ok(vec![what]));
        }
    }
    Ok(seen)
}

fn reference(module: &IrModule) -> Result<Seen, String> {
    use planish_reference as reference;
    let value = |value: &reference::Value| match value {
        reference::Value::V128(x) => Value::Bits(*x, 128),
        reference::Value::FuncRef(x) => Value::Null(x.is_none()),
        reference::Value::ExternRef(x) => Value::Null(x.is_none()),
        number => {
            let mut words = Vec::new();
            number.words(&mut words);
            let width = if matches!(number, reference::Value::I32(_) | reference::Value::F32(_)) { 32 } else { 64 };
            Value::Bits(words[0].into(), width)
        }
    };
    let mut seen = Seen::new();
    for (name, func) in module.entry_points.iter().flat_map(|e| e.names.iter().map(|name| (name, e.func))) {
        let instance = reference::Reference::new(module, reference::Limits::default());
        let mut instance = match instance.and_then(|mut instance| instance.start().map(|()| instance)) {
            Ok(instance) => instance,
            Err(reference::Stop::Trap(_)) => {
                seen.insert(name.to_string(), Err(CANNOT_START));
                continue;
            }
            Err(stop) => return Err(stop.to_string()),
        };
        for round in 0..3 {
            let argument = |(index, ty)| {
                let word = argument(round, index);
                let words = [word as u64, (word >> 64) as u64];
                match module.types[ty] {
                    TypeKind::FuncRef | TypeKind::ExternRef => reference::Value::zero(&module.types, ty),
                    _ => reference::Value::from_words(&module.types, ty, &mut words.iter()),
                }
            };
            let params = module.funcs[func].params.iter().map(|param| param.ty);
            let args: Vec<reference::Value> = params.enumerate().filter_map(argument).collect();
            let result = match instance.call(func, &args) {
                Ok(results) => Ok(results.iter().map(value).collect()),
                Err(reference::Stop::Trap(kind)) => Err(planish_vm::trap_text(kind)),
                Err(stop) => return Err(stop.to_string()),
            };
            seen.insert(format!("{name}, call {round}"), result);
        }
        for &var in &module.globals {
            let exports = module.vars[var].linkage.as_ref().map_or(&[][..], |linkage| &linkage.exports);
            for other in exports {
                seen.insert(format!("{name}, then {other}"), Ok(vec![value(instance.get(var))]));
            }
        }
        for (memory, data) in module.memories.iter() {
            for other in &data.exports {
                seen.insert(format!("{name}, then {other}"), Ok(vec![sum(instance.memory(memory))]));
            }
        }
    }
    Ok(seen)
}
