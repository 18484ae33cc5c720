//! Draws a graph: `cargo run --release -p graph-reader --example draw -- GRAPH.json OUT.png [WIDTHxHEIGHT] [NAME=NUMBER,…]…`.
//!
//! The picture is the output `color`, `gl_FragColor`, or the first with four components. `gl_FragCoord` is the middle
//! of the pixel, counted from below; an input of two components goes from 0 to 1 over the picture; uniforms named
//! `resolution` (or `u_resolution`, `iResolution`) are its size. Others are 0 unless an argument sets them. Every
//! texture is a board of eight by eight fields.

use std::fs::File;
use std::io::BufWriter;

use graph_reader::{Host, Machine, Named, Program, TextureCall};

type Failure = Box<dyn std::error::Error>;

/// Textures that are boards.
struct Boards;

impl Host for Boards {
    fn texture(&mut self, call: &TextureCall<'_>) -> Result<Vec<u32>, String> {
        let number = |words: &[u32], i: usize| words.get(i).map_or(0.0, |&w| f32::from_bits(w));
        let coordinate = call.operands.iter().find(|(role, _)| *role == "coordinate").map(|(_, words)| *words);
        let (Some(words), 1..=4) = (coordinate, call.ty.size()) else {
            return Err(format!("`{}` of a board", call.op));
        };
        let last = if call.projective { number(words, words.len() - 1) } else { 1.0 };
        let field = |i| (number(words, i) / last * 8.0).floor();
        let light = if (field(0) + field(1)) % 2.0 == 0.0 { 0.85 } else { 0.25 };
        let texel = [light, light * 0.9, 1.0 - light, 1.0f32];
        Ok(texel[..call.ty.size()].iter().map(|x| x.to_bits()).collect())
    }

    fn call(&mut self, function: &str, _: &[&[u32]]) -> Result<Vec<u32>, String> {
        Err(format!("there is no function `{function}` here"))
    }
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [graph, out, rest @ ..] = &args[..] else {
        return Err("give a graph and where to draw it: GRAPH.json OUT.png [WIDTHxHEIGHT] [NAME=NUMBER,…]…".into());
    };
    let program = Program::read(&std::fs::read_to_string(graph)?)?;
    let (mut width, mut height) = (256, 256);
    let mut given = vec![];
    for word in rest {
        match (word.split_once('='), word.split_once('x')) {
            (Some((name, numbers)), _) => {
                let numbers: Vec<f32> = numbers.split(',').map(str::parse).collect::<Result<_, _>>()?;
                given.push((name, numbers));
            }
            (None, Some((w, h))) => (width, height) = (w.parse()?, h.parse()?),
            _ => return Err(format!("`{word}` is neither a size nor a value").into()),
        }
    }
    let mut machine = Machine::new(&program);
    for (i, uniform) in program.uniforms.iter().enumerate() {
        let size = [width as f32, height as f32, 1.0];
        let value = match given.iter().find(|(name, _)| *name == uniform.name) {
            Some((_, numbers)) => &numbers[..],
            None if uniform.name.to_lowercase().ends_with("resolution") => &size[..],
            None => &[],
        };
        machine.set_uniform(i, &words(value));
    }
    machine.preshader(&mut Boards)?;
    let output = colour(&program)?;
    let mut pixels = Vec::with_capacity(4 * width * height);
    for y in (0..height).rev() {
        for x in 0..width {
            let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
            for (i, input) in program.inputs.iter().enumerate() {
                let value = if input.name == "gl_FragCoord" {
                    vec![x, y, 0.5, 1.0]
                } else if input.ty.size() == 2 {
                    vec![x / width as f32, y / height as f32]
                } else {
                    vec![]
                };
                machine.set_input(i, &words(&value));
            }
            let kept = machine.pixel(&mut Boards)?;
            let texel = machine.output(output);
            pixels.extend(
                texel.iter().map(|&w| if kept { (f32::from_bits(w).clamp(0.0, 1.0) * 255.0).round() as u8 } else { 0 }),
            );
        }
    }
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(out)?), width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}

fn words(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// The output that is drawn.
fn colour(program: &Program) -> Result<usize, Failure> {
    let is_colour = |o: &Named| o.ty.size() == 4;
    let named = |o: &Named| ["color", "gl_FragColor"].contains(&&*o.name);
    let outputs = || program.outputs.iter().enumerate().filter(|(_, o)| is_colour(o));
    let found = outputs().find(|(_, o)| named(o)).or_else(|| outputs().next());
    found.map(|(i, _)| i).ok_or_else(|| "no output has four components".into())
}
