//! Textures and functions that the reader gets from its host. The format has all that the host needs: given the same
//! texels and the same function, the reader gives the bits that the evaluator gives.

use std::sync::Arc;

use graph_reader::{Error, Host, Machine, NoHost, Program, Scalar, TextureCall, Type};
use planish::eval::texture::{Filter, SamplerState, TextureData, Wrap};
use planish::eval::{EvalValue, Evaluator, Limits};
use planish::flatten::{Leaf, Options, STAGES};
use planish::{Compiler, EmitOptions, Target, emit};
use planish_generate::Choices;

use crate::common;

const SIZE: [u32; 2] = [8, 4];

/// Texel of one of the textures.
fn texel(texture: u32, x: u32, y: u32) -> [f32; 4] {
    [x as f32 + 0.25, y as f32 * 3.0, (texture * 10 + x * y) as f32, 1.0]
}

/// Textures without levels, the nearest texel, the edge outside.
struct Nearest<'p> {
    program: &'p Program,
    calls: Vec<String>,
}

impl Host for Nearest<'_> {
    fn texture(&mut self, call: &TextureCall<'_>) -> Result<Vec<u32>, String> {
        self.calls.push(call.op.into());
        let operand = |role: &str| call.operands.iter().find(|(r, _)| *r == role).map(|(_, words)| *words);
        // `first`, `more[0]`, `more[1]`: by name, as a host binds them.
        let name = &self.program.resources[call.resource].name;
        let texture = name
            .strip_prefix("more[")
            .and_then(|n| n.strip_suffix(']'))
            .map_or(0, |n| n.parse::<u32>().expect("a number") + 1);
        let place = |axis: usize| -> i32 {
            let words = operand("coordinate").expect("there is one");
            let number = |i: usize| f32::from_bits(words[i]);
            let size = SIZE[axis] as f32;
            if call.op == "texture_fetch" {
                return words[axis] as i32;
            }
            let scale = if call.projective { number(words.len() - 1) } else { 1.0 };
            (number(axis) / scale * size).floor() as i32
        };
        let offset = |axis: usize| operand("offset").map_or(0, |words| words[axis] as i32);
        let at = |axis: usize| (place(axis) + offset(axis)).clamp(0, SIZE[axis] as i32 - 1) as u32;
        match call.op {
            "texture_size" => Ok(SIZE.to_vec()),
            "texture_sample" | "texture_sample_lod" | "texture_fetch" => {
                assert!(call.op == "texture_sample" || operand("lod").is_some(), "{call:?}");
                Ok(texel(texture, at(0), at(1)).map(f32::to_bits).to_vec())
            }
            other => Err(format!("there is no `{other}` here")),
        }
    }

    fn call(&mut self, function: &str, arguments: &[&[u32]]) -> Result<Vec<u32>, String> {
        assert_eq!(function, "noise");
        self.calls.push(function.into());
        Ok(vec![noise(f32::from_bits(arguments[0][0]), f32::from_bits(arguments[0][1])).to_bits()])
    }
}

fn noise(x: f32, y: f32) -> f32 {
    (x * 12.5 - y).fract() + 2.0
}

const SHADER: &str = "#version 310 es
precision highp float;
uniform sampler2D first;
uniform sampler2D more[2];
in vec2 uv;
in vec3 st;
out vec4 color;
void main() {
    vec4 c = texture(first, uv) + textureLod(more[1], uv.yx, 0.0) * 0.5;
    if (c.x > 4.0) c = c.yxzw + textureProj(more[0], st);
    c += texelFetch(first, ivec2(uv.x > 0.5 ? 3 : 1, 2), 0) + textureOffset(more[0], uv, ivec2(1, -2));
    color = c / vec4(textureSize(first, 0), 1, 2);
}
";

#[test]
fn textures_are_what_the_host_says() {
    let module = Compiler::default().compile("a.frag", SHADER).module.expect("it is valid");
    let (mut flat, func) = (module.clone(), module.entry_points[0].func);
    for stage in STAGES {
        (stage.run)(&mut flat, func, &Options::default()).unwrap_or_else(|e| panic!("{}: {e:#?}", stage.name));
    }
    let program = common::read(&flat, func).expect("it is a graph");
    let mut evaluator = Evaluator::new(&module, Limits::default()).expect("it can be run");
    let sampler = SamplerState {
        magnify: Filter::Nearest,
        minify: Filter::Nearest,
        mipmap: None,
        wrap: [Wrap::Clamp; 3],
        ..SamplerState::default()
    };
    let var = |name: &str| common::locate(&module, name).expect("is declared").0;
    for (name, index, number) in [("first", 0, 0), ("more", 0, 1), ("more", 1, 2)] {
        let data = TextureData::from_fn([SIZE[0], SIZE[1], 1], |x, y, _| texel(number, x, y));
        evaluator.bind_texture(var(name), index, Arc::new(data), sampler);
    }
    let mut host = Nearest { program: &program, calls: vec![] };
    let mut machine = Machine::new(&program);
    let mut random = Choices::from_seed(5);
    for _ in 0..200 {
        for (i, input) in program.inputs.iter().enumerate() {
            let mut words = common::value(&mut random, &input.ty, true);
            // Most of it inside.
            words.iter_mut().for_each(|w| *w = (f32::from_bits(*w) * 0.2 + 0.51).to_bits());
            machine.set_input(i, &words);
            let bits = words.iter().map(|&w| w.into()).collect();
            evaluator.set(var(&input.name), &EvalValue { ty: module.vars[var(&input.name)].ty, bits });
        }
        evaluator.call(func, &[]).expect("it runs");
        machine.preshader(&mut host).expect("it runs");
        assert!(machine.pixel(&mut host).expect("it runs"));
        let expected: Vec<f32> = evaluator.get(var("color"), 0).iter().map(|&w| f32::from_bits(w as u32)).collect();
        let found: Vec<f32> = machine.output(0).iter().map(|&w| f32::from_bits(w)).collect();
        assert_eq!(found, expected);
    }
    for op in ["texture_sample", "texture_sample_lod", "texture_fetch", "texture_size"] {
        assert!(host.calls.iter().any(|c| c == op), "{op} was never called");
    }
    let without = Machine::new(&program).pixel(&mut NoHost).expect_err("it needs textures");
    assert!(matches!(without, Error::Host(_)), "{without}");
}

const LEAF: &str = "module ir
fn @noise(%0 p: vec2) -> (f32)

fn @f(%0 p: vec2, %1 k: f32) -> (f32) {
b0:
  %2 = greater_than %1, 0.0
  if %2 {
  then b1:
    %3 = call @noise, %0
    merge %3
  else b2:
    merge %1
  }
b3(%4: f32):
  return %4
}
import @noise \"host\" \"noise\"
";

#[test]
fn functions_of_the_target_stay_calls() {
    let module = planish::ir::text::parse_str(LEAF).expect("it is valid");
    let (mut flat, func) = (module.clone(), module.funcs.keys().last().expect("a function"));
    let leaves = vec!["noise".to_string()];
    for stage in STAGES {
        let leaf = Leaf { name: "noise".into(), is_barrier: false };
        let options = Options { leaves: vec![leaf], ..Options::default() };
        (stage.run)(&mut flat, func, &options).unwrap_or_else(|e| panic!("{}: {e:#?}", stage.name));
    }
    let options = EmitOptions { function: Some("f".into()), leaves, ..EmitOptions::default() };
    let json = emit(&flat, Target::Graph, &options).unwrap_or_else(|e| panic!("{e:#?}"));
    let program = Program::read(&String::from_utf8_lossy(&json.bytes)).expect("it is a graph");
    assert_eq!(program.inputs[0].ty, Type::Vector(Scalar::F32, 2));
    let mut evaluator = Evaluator::new(&module, Limits::default()).expect("it can be run");
    let provided = evaluator.provide("host", "noise", |call| {
        let (x, y) = (call.args[0].as_f32(0).expect("a float"), call.args[0].as_f32(1).expect("a float"));
        Ok(vec![EvalValue::f32(noise(x, y))])
    });
    assert!(provided);
    let mut host = Nearest { program: &program, calls: vec![] };
    let mut machine = Machine::new(&program);
    for k in [-1.0, 0.0, 2.0f32] {
        machine.set_input(0, &[0.25f32.to_bits(), 7.5f32.to_bits()]);
        machine.set_input(1, &[k.to_bits()]);
        machine.pixel(&mut host).expect("it runs");
        let expected = evaluator.call(func, &[EvalValue::floats(&[0.25, 7.5]), EvalValue::f32(k)]).expect("it runs");
        assert_eq!(machine.output(0)[0], expected[0].bits[0] as u32);
    }
    assert_eq!(host.calls, ["noise"; 3]);
}
