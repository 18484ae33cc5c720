//! A fragment shader in the reference, in the evaluator, and in the evaluator after the optimizer.
use std::rc::Rc;

use planish::Optimizer;
use planish::eval::{self, EvalValue, Evaluator};
use planish::ir::entity::{Func, Type, Var};
use planish::ir::meaning::float_bits;
use planish::ir::types::{AddressSpace, Scalar};
use planish::module::{Module, Stage};
use planish_reference::{Limits, Reference, Stop, Value};

/// The bits of all scalars of a value.
pub fn words(value: &Value) -> Vec<u64> {
    let mut words = Vec::new();
    value.words(&mut words);
    words
}

/// A value of a type, of small numbers that depend on a seed.
fn small(module: &Module, ty: Type, seed: u64) -> Value {
    let zero = Value::zero(&module.types, ty).expect("a uniform or an input");
    let scalar = |scalar: Scalar, i: usize| {
        let x = (seed.wrapping_mul(7) + 3 * i as u64) % 11;
        match scalar {
            scalar if scalar.is_float() => float_bits(scalar, (x as f64 - 5.0) / 4.0),
            Scalar::Bool => x & 1,
            _ => x,
        }
    };
    let count = words(&zero).len();
    let filled: Vec<u64> = match module.types.scalar_of(ty) {
        Some(s) => (0..count).map(|i| scalar(s, i)).collect(),
        None => vec![0; count],
    };
    Value::from_words(&module.types, ty, &mut filled.iter()).expect("as many words")
}

/// The value with every NaN the same: without `--fast-math` the optimizer may give any.
fn any_nan(value: &Value) -> Value {
    match value {
        Value::F16(x) if x & 0x7fff > 0x7c00 => Value::F16(0x7e00),
        Value::F32(x) if x.is_nan() => Value::F32(f32::from_bits(0x7fc0_0000)),
        Value::F64(x) if x.is_nan() => Value::F64(f64::from_bits(0x7ff8_0000_0000_0000)),
        Value::Composite(parts) => Value::Composite(Rc::new(parts.iter().map(any_nan).collect())),
        other => other.clone(),
    }
}

fn fragment(module: &Module) -> Func {
    module.entry_point(Some(Stage::Fragment)).expect("it is a fragment shader").func
}

fn is_given(module: &Module, var: Var) -> bool {
    matches!(module.vars[var].space, AddressSpace::Uniform | AddressSpace::Input)
}

/// The variables of the module after the evaluator has run its fragment shader.
fn evaluated(module: &Module, seed: u64) -> Vec<(Var, Value)> {
    let mut evaluator = Evaluator::new(module, eval::Limits::default()).expect("needs no memory");
    for &var in module.globals.iter().filter(|&&var| is_given(module, var)) {
        let ty = module.vars[var].ty;
        evaluator.set(var, &EvalValue { ty, bits: words(&small(module, ty, seed)) });
    }
    evaluator.call(fragment(module), &[]).unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
    let value = |&var: &Var| {
        let words = evaluator.get(var, 0);
        (var, Value::from_words(&module.types, module.vars[var].ty, &mut words.iter()).expect("as many words"))
    };
    module.globals.iter().map(value).collect()
}

/// As [`evaluated`], of the reference.
fn meant(module: &Module, seed: u64) -> Result<Vec<(Var, Value)>, Stop> {
    let mut reference = Reference::new(module, Limits::default())?;
    for &var in module.globals.iter().filter(|&&var| is_given(module, var)) {
        reference.set(var, small(module, module.vars[var].ty, seed));
    }
    reference.call(fragment(module), &[])?;
    Ok(module.globals.iter().map(|&var| (var, reference.get(var).clone())).collect())
}

/// The outputs, by name, with any NaN.
fn outputs(module: &Module, values: &[(Var, Value)]) -> Vec<(String, Vec<u64>)> {
    let output = |(var, _): &&(Var, Value)| module.vars[*var].space == AddressSpace::Output;
    let mut outputs: Vec<(String, Vec<u64>)> = values
        .iter()
        .filter(output)
        .map(|(var, value)| (module.vars[*var].name.text.to_string(), words(&any_nan(value))))
        .collect();
    outputs.sort();
    outputs
}

/// The bits of all variables, for comparisons: a NaN equals itself.
fn bits(values: &[(Var, Value)]) -> Vec<(Var, Vec<u64>)> {
    values.iter().map(|(var, value)| (*var, words(value))).collect()
}

/// Compares all variables after a run, and the outputs after a run at the level; uniforms and inputs depend on the seed.
///
/// # Errors
/// If the reference has no results to compare with.
pub fn compare(module: &Module, seed: u64, level: Option<&str>) -> Result<(), Stop> {
    let meant = meant(module, seed)?;
    assert_eq!(bits(&evaluated(module, seed)), bits(&meant), "the evaluator, and the reference");
    if let Some(level) = level {
        let mut optimized = module.clone();
        Optimizer::level(level).expect("a level").run(&mut optimized, &mut |_, _| {});
        let found = outputs(&optimized, &evaluated(&optimized, seed));
        assert_eq!(found, outputs(module, &meant), "the evaluator at -O{level}, and the reference");
    }
    Ok(())
}
