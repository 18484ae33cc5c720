//! `planish run` of a compute shader: buffers in, work groups, buffers out.

use std::fmt::Write as _;
use std::path::Path;

use planish::eval::shade::{Compute, DrawOptions, block_len};
use planish::ir::entity::Var;
use planish::ir::types::AddressSpace;
use planish::lanes::dispatch_on;
use planish::module::{Module, Stage};
use serde_json::{Map, Value};

use crate::Stop;
use crate::args::Run;
use crate::draw::Shader;
use crate::engine;
use crate::gpu;
use crate::limits;
use crate::output;
use crate::values;

/// A storage block and what it is called: its own name, or its type's if it has none.
struct Buffer {
    name: String,
    var: Var,
}

/// Runs the shader and writes its buffers: as lines on standard output; to a JSON file all of them; to any other file the
/// bytes of the one that `--target` names, or of the only one.
pub(crate) fn run(args: &Run, shader: Shader<'_>, options: &DrawOptions<'_>) -> Result<(), Stop> {
    let Shader { module, map, .. } = shader;
    let groups = groups(&args.groups)?;
    let shade_error = |error| limits::stop_shader(args, &error, shader.reporter);
    let mut compute = Compute::new(module, options).map_err(shade_error)?;
    let buffers = buffers(module);
    let all = Setup { module, buffers: &buffers, invocations: invocations(module, groups) };
    all.set(&mut compute, &args.buffers)?;
    let before: Vec<(Var, Vec<u64>)> =
        buffers.iter().map(|buffer| (buffer.var, compute.evaluator().get(buffer.var, 0))).collect();
    let after = match gpu::open(args)? {
        Some(device) => {
            let mut words = before;
            gpu::dispatch(&device, (module, map, shader.reporter), options, &mut words, groups)?;
            Some(words)
        }
        None => engine::shade(
            args,
            (map, shader.reporter),
            |engine, lanes| {
                let mut words = before.clone();
                dispatch_on(engine, module, options, lanes, &mut words, groups)?;
                Ok(Some(words))
            },
            || compute.dispatch(groups).map(|()| None),
        )?,
    };
    for (var, words) in after.into_iter().flatten() {
        compute.evaluator().set_buffer(var, words);
    }
    let value = |compute: &mut Compute<'_>, buffer: &Buffer| {
        let words = compute.evaluator().get(buffer.var, 0);
        values::to_json(&module.types, module.vars[buffer.var].ty, &words)
    };
    match &args.output {
        None => {
            let mut text = String::new();
            for buffer in &buffers {
                lines(&mut text, &buffer.name, &value(&mut compute, buffer));
            }
            output::write_stdout(text.as_bytes(), false)
        }
        Some(file) if file.extension().is_some_and(|e| e == "json") => {
            let object: Map<String, Value> = buffers.iter().map(|b| (b.name.clone(), value(&mut compute, b))).collect();
            output::write(file, format!("{}\n", Value::Object(object)).as_bytes(), false)
        }
        Some(file) => {
            let buffer = all.find(args.target.as_deref())?;
            let components = compute.evaluator().get(buffer.var, 0).len();
            let bytes = block_len(module, buffer.var, components).and_then(|len| compute.buffer_bytes(buffer.var, len));
            let bytes = bytes.ok_or_else(|| Stop::usage(format!("`{}` holds more than numbers", buffer.name)))?;
            output::write(file, &bytes, true)
        }
    }
}

/// `4,2,1`; what is not there is 1.
fn groups(text: &str) -> Result<[u32; 3], Stop> {
    let bad = || Stop::usage(format!("`{text}` is no number of work groups; write X,Y,Z"));
    let parts = text.split(',').map(|p| p.trim().parse().ok()).collect::<Option<Vec<u32>>>().ok_or_else(bad)?;
    let count = parts.iter().try_fold(1u32, |all, n| all.checked_mul(*n)).ok_or_else(bad)?;
    match parts[..] {
        _ if count == 0 => Err(bad()),
        [x] => Ok([x, 1, 1]),
        [x, y] => Ok([x, y, 1]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(bad()),
    }
}

fn invocations(module: &Module, groups: [u32; 3]) -> usize {
    let entry = module.entry_point(Some(Stage::Compute));
    let local = entry.and_then(|e| e.properties.local_size).unwrap_or([1; 3]);
    groups.iter().chain(&local).fold(1usize, |all, n| all.saturating_mul(*n as usize))
}

fn buffers(module: &Module) -> Vec<Buffer> {
    let storage = module.vars.iter().filter(|(_, v)| v.space == AddressSpace::Storage);
    let name = |v: &planish::module::VarData| match module.types.as_struct(v.ty) {
        Some(block) if v.name.text.is_empty() => block.name.to_string(),
        _ => v.name.text.to_string(),
    };
    storage.map(|(var, data)| Buffer { name: name(data), var }).collect()
}

/// A line for each member.
fn lines(text: &mut String, name: &str, value: &Value) {
    match value {
        Value::Object(members) => members.iter().for_each(|(member, value)| {
            writeln!(text, "{name}.{member} = {value}").expect("a string takes all");
        }),
        _ => writeln!(text, "{name} = {value}").expect("a string takes all"),
    }
}

/// Inputs of the shader: work groups, uniforms, buffers.
struct Setup<'a> {
    module: &'a Module,
    buffers: &'a [Buffer],
    invocations: usize,
}

impl Setup<'_> {
    /// Sets the given buffers. An array without a size in any other has an element for each invocation.
    fn set(&self, compute: &mut Compute<'_>, given: &[String]) -> Result<(), Stop> {
        for buffer in self.buffers {
            let words = values::zeros(&self.module.types, self.module.vars[buffer.var].ty, self.invocations);
            compute.evaluator().set_buffer(buffer.var, words);
        }
        for text in given {
            match (text.strip_prefix('@'), text.split_once('=')) {
                (Some(file), _) => self.set_all(compute, Path::new(file))?,
                (None, Some((name, value))) => self.set_one(compute, self.find(Some(name))?, value)?,
                (None, None) => {
                    return Err(Stop::usage(format!("`{text}` is neither NAME=NUMBERS, NAME=@FILE nor @FILE.json")));
                }
            }
        }
        Ok(())
    }

    fn find(&self, name: Option<&str>) -> Result<&Buffer, Stop> {
        let known = || self.buffers.iter().map(|b| format!("`{}`", b.name)).collect::<Vec<_>>().join(", ");
        match (name, self.buffers) {
            (None, [one]) => Ok(one),
            (None, _) => Err(Stop::usage(format!("which buffer? Give --target; there are: {}", known()))),
            (Some(name), all) => {
                let found = all.iter().find(|b| b.name == name);
                found.ok_or_else(|| Stop::usage(format!("there is no buffer `{name}`; there are: {}", known())))
            }
        }
    }

    /// An object of all buffers, as `-o FILE.json` writes it.
    fn set_all(&self, compute: &mut Compute<'_>, file: &Path) -> Result<(), Stop> {
        let Value::Object(all) = json(file)? else {
            return Err(Stop::usage(format!("{} is no object of buffers", file.display())));
        };
        all.iter().try_for_each(|(name, value)| self.set_json(compute, self.find(Some(name))?, value))
    }

    /// Numbers separated by commas, or a file: JSON, or the bytes of the memory layout.
    fn set_one(&self, compute: &mut Compute<'_>, buffer: &Buffer, value: &str) -> Result<(), Stop> {
        let ty = self.module.vars[buffer.var].ty;
        let Some(file) = value.strip_prefix('@') else {
            let numbers: Vec<&str> = value.split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
            let words = values::from_numbers(&self.module.types, ty, &numbers);
            let words = words.map_err(|why| Stop::usage(format!("`{}`: {why}", buffer.name)))?;
            compute.evaluator().set_buffer(buffer.var, words);
            return Ok(());
        };
        let file = Path::new(file);
        if file.extension().is_some_and(|e| e == "json") {
            return self.set_json(compute, buffer, &json(file)?);
        }
        let bytes = std::fs::read(file).map_err(|e| Stop::usage(format!("cannot read {}: {e}", file.display())))?;
        match compute.set_buffer(buffer.var, &bytes) {
            true => Ok(()),
            false => Err(Stop::usage(format!("the bytes of {} do not fit `{}`", file.display(), buffer.name))),
        }
    }

    fn set_json(&self, compute: &mut Compute<'_>, buffer: &Buffer, value: &Value) -> Result<(), Stop> {
        let words = values::from_json(&self.module.types, self.module.vars[buffer.var].ty, value);
        let words = words.map_err(|why| Stop::usage(format!("`{}`: {why}", buffer.name)))?;
        compute.evaluator().set_buffer(buffer.var, words);
        Ok(())
    }
}

fn json(file: &Path) -> Result<Value, Stop> {
    let text =
        std::fs::read_to_string(file).map_err(|e| Stop::usage(format!("cannot read {}: {e}", file.display())))?;
    serde_json::from_str(&text).map_err(|e| Stop::usage(format!("{}: {e}", file.display())))
}
