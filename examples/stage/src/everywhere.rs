//! One generic function on each machine: in plain Rust, as a loop on the lanes of the processor, in WebAssembly, as a compute shader, and as its own
//! derivative, for dual numbers are numbers, too.

use std::ops::{Add, Div, Mul};

use planish::stage::{In, Out, Rep, function};
use planish::vm::{Engine, Linker, Store, Val};
use planish::{Compiler, EmitOptions, Target};

use crate::{Error, Shown, shown};

trait Number: Copy + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self> {}
impl<T: Copy + Add<Output = T> + Mul<Output = T> + Div<Output = T>> Number for T {}

fn curve<T: Number>(x: T, one: T) -> T {
    x * x * x / (x * x + one) + x
}

/// A value and its derivative.
#[derive(Clone, Copy)]
struct Dual<T>(T, T);

impl<T: Number> Add for Dual<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual(self.0 + other.0, self.1 + other.1)
    }
}

impl<T: Number> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Dual(self.0 * other.0, self.1 * other.0 + self.0 * other.1)
    }
}

impl Div for Dual<Rep<f32>> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.0 / other.0;
        Dual(value, (self.1 - value * other.1) / other.0)
    }
}

/// The curve on all machines that there are.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let one = || Rep::new(1f32);
    let all = function("curves", |x: In<[f32]>, y: Out<[f32]>| x.iter().map(|x| curve(x, one())).write_to(y))?;
    let slope = function("slope", |x: Rep<f32>| curve(Dual(x, one()), Dual(one(), Rep::new(0f32))).1)?;
    let compiled = all.compile()?;
    let x: Vec<f32> = (0..10_000).map(|i| i as f32 / 1000.0 - 5.0).collect();
    let (mut expected, mut lanes) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let mut plain = || x.iter().zip(&mut expected).for_each(|(x, y)| *y = curve(*x, 1.0));
    let mut result = shown(&slope.optimized(), || compiled.call(&x, &mut lanes).ok(), &mut plain);
    result.code = format!("{}\n{}", planish::ir::text::print(&all.optimized()), result.code);
    let same = |machine: &str, found: &[f32], most: f32| {
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= most * b.abs();
        let agrees = found.len() == expected.len() && found.iter().zip(&expected).all(is_near);
        if agrees { Ok(()) } else { Err(format!("{machine}: another curve than plain Rust")) }
    };
    same("lanes", &lanes, 0.0)?;
    same("WebAssembly", &by_wasm(&all.emit(Target::Wasm, &EmitOptions::default())?.bytes, &x)?, 0.0)?;
    #[cfg(feature = "gpu")]
    if let Ok(gpu) = planish::gpu::Gpu::open(None) {
        let mut found = vec![0.0; x.len()];
        all.compile_on(&gpu)?.call(&x, &mut found)?;
        same(gpu.name(), &found, 1e-6)?;
    }
    let (slope, h) = (slope.compile()?, 1e-3f64);
    for &x in x.iter().step_by(100) {
        let by_steps = (curve(f64::from(x) + h, 1.0) - curve(f64::from(x) - h, 1.0)) / (2.0 * h);
        if (f64::from(slope.call(x)?) - by_steps).abs() > 1e-4 {
            return Err(format!("another slope at {x} than by small steps").into());
        }
    }
    Ok(result)
}

/// The results of a module on the virtual machine.
fn by_wasm(bytes: &[u8], x: &[f32]) -> Result<Vec<f32>, Error> {
    let engine = Engine::default();
    let (module, _) = Compiler::default().load(&engine, "curves.wasm", bytes, None).map_err(|_| "it is not valid")?;
    let mut store = Store::new(&engine, ());
    let instance = Linker::new().instantiate(&mut store, &module)?;
    let (func, memory) = (instance.get_func(&store, "curves"), instance.get_memory(&store, "memory"));
    let (func, memory) = (func.ok_or("no function")?, memory.ok_or("no memory")?);
    memory.grow(&mut store, 1)?;
    let input: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
    memory.data_mut(&mut store)[..input.len()].copy_from_slice(&input);
    let (len, size) = (x.len() as i32, input.len());
    func.call(&mut store, &[0, len, size as i32, len].map(Val::I32), &mut [Val::I32(0)])?;
    let output = memory.data(&store)[size..2 * size].chunks_exact(4);
    Ok(output.map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect())
}
