//! A user of the published crates, which `cargo xtask package` builds outside of the workspace: a shader, the page of an error, a
//! program in VL and a staged function.

use planish::stage::{Rep, function};
use planish::vm::{Engine, Linker, Module, Store, Val};
use planish::{Compiler, Optimizer, Settings, Target, explain};

const SHADER: &str = "#version 300 es
precision mediump float;
in vec2 uv;
out vec4 color;
void main() { color = vec4(uv, 0.5, 1.0); }
";

const VL: &str = "(define (square x) (* x x))\n(+ (square 3) (square 4))\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wgsl = String::from_utf8(planish::compile("uv.frag", SHADER, Target::Wgsl, &Settings::default())?.bytes)?;
    assert!(wgsl.contains("@fragment"), "{wgsl}");

    let page = explain("E0301").ok_or("there is no page")?;
    assert!(page.starts_with("# E0301: unknown name\n") && page.contains("```glsl\n"), "{page}");

    let mut sum = Compiler::default().compile("sum.vl", VL).module.ok_or("the program has errors")?;
    Optimizer::level("2").ok_or("there is no such level")?.run(&mut sum, &mut |_, _| {});
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let instance = Linker::new().instantiate(&mut store, &Module::new(&engine, sum)?)?;
    let mut results = [Val::I32(0)];
    instance.get_func(&store, "main").ok_or("there is no `main`")?.call(&mut store, &[], &mut results)?;
    assert_eq!(results[0].f64(), Some(25.0));

    let factors = [1.0, 0.0, -0.5, 2.0];
    let horner = function("horner", |x: Rep<f64>| factors.iter().rev().fold(Rep::new(0.0), |sum, &c| sum * x + c))?;
    assert_eq!(horner.compile()?.call(2.0)?, 15.0);

    println!("{wgsl}\n{page}");
    Ok(())
}
