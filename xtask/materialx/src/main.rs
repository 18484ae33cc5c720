//! MaterialX renders a document as its source says: the GLSL that its generator writes is read by the front end, and the evaluator runs it and
//! the source on the same values of inputs and uniforms.
//!
//! Usage: `materialx-check DOCUMENTS SOURCES…`, with a folder of generated `x.frag.mtlx.glsl` and folders of programs `x.frag`. Exit 0: the values
//! are near; 1: some are not.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use planish::eval::{EvalValue, Evaluator, Limits};
use planish::ir::entity::{Type, Var};
use planish::ir::meaning::Shape as _;
use planish::ir::types::{AddressSpace, Scalar, TypeKind};
use planish::module::Module;
use planish::{Compiler, Options};

/// Runs of each shader.
const PLACES: u64 = 48;

/// Greatest difference relative to the greater value, or absolute below 1: `power` and `ln` are computed in other ways.
const TOLERANCE: f32 = 2e-3;

/// Fraction of the places where a comparison may go the other way for it.
const OUTLIERS: f64 = 0.05;

/// Documents that are compared at least.
const LEAST: usize = 65;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [documents, sources @ ..] = &arguments[..] else {
        eprintln!("usage: materialx-check DOCUMENTS SOURCES…");
        return ExitCode::from(2);
    };
    match check(Path::new(documents), sources) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn check(documents: &Path, sources: &[String]) -> Result<bool, Box<dyn Error>> {
    let (mut compared, mut skipped, mut wrong) = (0, 0, 0);
    let mut generated: Vec<_> = fs::read_dir(documents)?.flatten().map(|entry| entry.path()).collect();
    generated.retain(|path| path.extension().is_some_and(|end| end == "glsl"));
    generated.sort();
    for path in generated {
        let name = path.file_name().unwrap_or_default().to_string_lossy().replace(".mtlx.glsl", "");
        let source = sources.iter().map(|folder| Path::new(folder).join(&name)).find(|path| path.exists());
        let source = source.ok_or_else(|| format!("there is no {name}"))?;
        let (source, generated) = (fs::read_to_string(source)?, fs::read_to_string(&path)?);
        match compare(&name, &source, &generated) {
            Ok(Some(far)) if far <= OUTLIERS => compared += 1,
            Ok(Some(far)) => {
                println!("{name}: {:.0} % of the values are far from those of the source", far * 100.0);
                wrong += 1;
            }
            Ok(None) => skipped += 1,
            Err(why) => {
                println!("{name}: {why}");
                wrong += 1;
            }
        }
    }
    println!("{compared} documents have the values of their sources, {wrong} do not, {skipped} have textures");
    Ok(wrong == 0 && compared >= LEAST)
}

/// Fraction of the places where results differ; `None` if the shader reads textures.
fn compare(name: &str, source: &str, generated: &str) -> Result<Option<f64>, String> {
    if generated.contains("uniform sampler2D") {
        return Ok(None);
    }
    let (from, to) = (compiled(name, source)?, compiled("generated.frag", generated)?);
    let inputs = leaves(&from, &[AddressSpace::Input, AddressSpace::Uniform]);
    let mut far = 0;
    for place in 0..PLACES {
        let mut values: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for (i, leaf) in inputs.iter().enumerate() {
            let bits = (0..leaf.count).map(|k| value(&leaf.name, leaf.scalar, place, i as u64 * 16 + k as u64));
            values.insert(leaf.name.clone(), bits.collect());
        }
        let expected = run(&from, &values)?;
        let found = run(&to, &values)?;
        far += u64::from(!expected.iter().zip(&found).all(|(&x, &y)| is_near(x, y)));
    }
    Ok(Some(far as f64 / PLACES as f64))
}

fn compiled(name: &str, source: &str) -> Result<Module, String> {
    let mut compiler = Compiler { options: Options::default(), ..Compiler::default() };
    let compilation = compiler.compile(name, source);
    let messages: Vec<&str> = compilation.diagnostics.iter().filter(|d| d.is_error()).map(|d| &*d.message).collect();
    compilation.module.ok_or_else(|| format!("{name} cannot be read: {}", messages.join("; ")))
}

/// A number, vector or matrix of the interface.
struct Leaf {
    /// Its name as an identifier: `lights_2_colour`.
    name: String,
    var: Var,
    scalar: Scalar,
    /// Number of components, and the first of them in the variable.
    count: usize,
    first: usize,
}

/// The parts of the variables in some address spaces.
fn leaves(module: &Module, spaces: &[AddressSpace]) -> Vec<Leaf> {
    let mut found = Vec::new();
    for &var in &module.globals {
        let data = &module.vars[var];
        if spaces.contains(&data.space) {
            part(module, (var, &mut 0), data.ty, &data.name.text, &mut found);
        }
    }
    found
}

/// Recursion: over the type.
fn part(module: &Module, (var, first): (Var, &mut usize), ty: Type, name: &str, found: &mut Vec<Leaf>) {
    let mut leaf = |scalar: Scalar, count: usize, first: &mut usize| {
        found.push(Leaf { name: identifier(name), var, scalar, count, first: *first });
        *first += count;
    };
    match &module.types[ty] {
        TypeKind::Scalar(scalar) => leaf(*scalar, 1, first),
        TypeKind::Vector(scalar, n) => leaf(*scalar, usize::from(*n), first),
        TypeKind::Array { element, len } => {
            (0..*len).for_each(|i| part(module, (var, first), *element, &format!("{name}_{i}"), found));
        }
        TypeKind::Struct(s) => {
            for member in &s.members {
                let name = if name.is_empty() { member.name.to_string() } else { format!("{name}_{}", member.name) };
                part(module, (var, first), member.ty, &name, found);
            }
        }
        _ => *first += module.types.components(ty).unwrap_or(0),
    }
}

/// The name in lower case, without the underscores that MaterialX may not have. Its generator doubles the letter of reserved names: `gllFragCoord`.
fn identifier(name: &str) -> String {
    let name = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    if name.starts_with("gll") { name.replacen("gll", "gl", 1) } else { name }
}

/// The outputs of a shader for these values of its inputs and uniforms; what has none is as it is declared.
fn run(module: &Module, values: &BTreeMap<String, Vec<u64>>) -> Result<Vec<f32>, String> {
    let mut evaluator = Evaluator::new(module, Limits::default()).map_err(|stop| format!("{stop:?}"))?;
    let mut whole: BTreeMap<Var, Vec<u64>> = BTreeMap::new();
    for leaf in leaves(module, &[AddressSpace::Input, AddressSpace::Uniform]) {
        let data = &module.vars[leaf.var];
        let words = whole.entry(leaf.var).or_insert_with(|| {
            let declared = data.initializer.map(|c| EvalValue::constant(module, c));
            declared.or_else(|| EvalValue::zero(&module.types, data.ty)).map_or(vec![], |value| value.bits)
        });
        let given = values.get(&leaf.name).map(|bits| &bits[..leaf.count.min(bits.len())]);
        for (word, &bits) in words[leaf.first..].iter_mut().zip(given.unwrap_or_default()) {
            *word = bits;
        }
    }
    for (var, bits) in whole {
        evaluator.set(var, &EvalValue { ty: module.vars[var].ty, bits });
    }
    let entry = module.entry_points.first().ok_or("there is no entry point")?;
    evaluator.call(entry.func, &[]).map_err(|stop| format!("{stop:?}"))?;
    let first = leaves(module, &[AddressSpace::Output]).into_iter().next().ok_or("there is no output")?;
    let words = evaluator.get(first.var, 0);
    let words = &words[first.first..first.first + first.count];
    Ok(words.iter().map(|&word| f32::from_bits(word as u32)).collect())
}

/// A component of an input: places on the screen for coordinates of fragments, ordinary numbers for others.
fn value(name: &str, scalar: Scalar, place: u64, number: u64) -> u64 {
    let mut bits = (place * 0x9e37_79b9 + number * 0x85eb_ca6b + 1).wrapping_mul(0x2545_f491_4f6c_dd1d);
    bits ^= bits >> 29;
    let fraction = (bits >> 11 & 0xff_ffff) as f32 / 16_777_216.0;
    let size = if name.contains("fragcoord") { 256.0 } else { 2.0 };
    match scalar {
        _ if name.contains("resolution") => 256f32.to_bits().into(),
        Scalar::F32 => (fraction * size).to_bits().into(),
        Scalar::Bool => bits >> 20 & 1,
        _ => bits >> 20 & 3,
    }
}

fn is_near(x: f32, y: f32) -> bool {
    x.is_nan() || x == y || (x - y).abs() <= TOLERANCE * x.abs().max(y.abs()).max(1.0)
}
