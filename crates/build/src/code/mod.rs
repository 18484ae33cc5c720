//! The module of Rust: one module for each program, with the outputs, the interface and its types.

mod resources;
mod types;
mod vertex;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use planish::Target;
use planish::module::Stage;
use planish::reflection::{Binding, BindingKind, Block, ConstantInfo, Reflection};

use crate::Build;
use crate::layout::{BlockTypes, Structs};
use crate::program::{Interface, OutputFile, Program, Unit};
use resources::constant;

/// Lints that users may have on, and that say nothing about their shaders.
const ALLOW: &str =
    "#[allow(dead_code, missing_docs, unreachable_pub, long_running_const_eval, clippy::all, clippy::pedantic)]";

/// Types that all programs share.
const HEAD: &str = "// Written by planish-build: changes are lost.

/// The place of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(dead_code, unreachable_pub)]
pub struct Binding {
    /// Group (descriptor set).
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
}

/// An attribute of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(dead_code, unreachable_pub)]
pub struct Attribute {
    /// The name of the input, with the index of an element or column.
    pub name: &'static str,
    /// Its location.
    pub location: u32,
    /// In bytes, from the beginning of a vertex.
    pub offset: u32,
    /// Its format as WebGPU names it: `float32x3`.
    pub format: &'static str,
}
";

/// The module of a build.
///
/// # Errors
/// Interfaces that Rust cannot hold, in words for the user.
pub(crate) fn write(build: &Build, programs: &[Program]) -> Result<String, Vec<String>> {
    let mut errors = vec![];
    let mut text = HEAD.to_owned();
    for program in programs {
        let files: Vec<String> = program.units.iter().map(|unit| unit.source.display().to_string()).collect();
        let _ = write!(text, "\n/// {}.\n{ALLOW}\npub mod {} {{\n", files.join(", "), program.name);
        match self::program(build, program) {
            Ok(module) => text += &indented(module.trim_end()),
            Err(what) => errors.push(format!("{}: {what}", files.join(", "))),
        }
        text += "}\n";
    }
    if errors.is_empty() { Ok(text) } else { Err(errors) }
}

fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    text.lines().map(line).collect()
}

fn program(build: &Build, program: &Program) -> Result<String, String> {
    let mut text = String::new();
    for unit in &program.units {
        let code = outputs(build, unit);
        match &unit.module {
            Some(name) => {
                let code = indented(code.trim_end());
                let _ = write!(text, "/// {}.\npub mod {name} {{\n{code}}}\n\n", unit.source.display());
            }
            None => text += &code,
        }
    }
    let interfaces: Vec<&Interface> = program.units.iter().filter_map(|unit| unit.interface.as_ref()).collect();
    let resources = resources::resources(&interfaces);
    text += &resources::bindings(&resources);
    if build.wgpu {
        text += &resources::layouts(&resources, &program.name).map_err(|what| format!("no layout for wgpu: {what}"))?;
    }
    text += &overrides(&interfaces);
    if build.types {
        let help = "change it in the shader, or leave out the types with `types(false)`";
        text += &types(build, &interfaces).map_err(|what| format!("no struct of Rust holds {what}; {help}"))?;
    }
    Ok(text)
}

/// The outputs of a file, and the names of its entry points.
fn outputs(build: &Build, unit: &Unit) -> String {
    let mut text = String::new();
    for file in &unit.files {
        text += &output(file);
    }
    let mut used = vec![];
    for entry in unit.interface.iter().flat_map(|interface| &interface.whole.entry_points) {
        let (name, mut upper) = (&entry.name, constant(&entry.name));
        let stage = entry.stage.unwrap_or("other");
        // SPIR-V may have one name in several stages.
        if used.contains(&upper) {
            upper = format!("{upper}_{}", constant(stage));
        }
        used.push(upper.clone());
        let _ = writeln!(
            text,
            "/// The name of the entry point of the {stage} stage.\npub const ENTRY_{upper}: &str = {name:?};\n"
        );
        if let Some([x, y, z]) = entry.local_size {
            let _ = writeln!(
                text,
                "/// The size of a work group of `{name}`.\npub const WORK_GROUP_SIZE_{upper}: [u32; 3] = [{x}, {y}, {z}];\n"
            );
        }
    }
    if build.wgpu && unit.files.iter().any(|file| file.target == Target::Wgsl) {
        let label = unit.source.display().to_string();
        let _ = writeln!(
            text,
            "/// The shader module of the WGSL.\n#[must_use]\npub fn create_shader_module(device: &::wgpu::Device) -> ::wgpu::ShaderModule {{\n    \
             let source = ::wgpu::ShaderSource::Wgsl(WGSL.into());\n    \
             device.create_shader_module(::wgpu::ShaderModuleDescriptor {{ label: Some({label:?}), source }})\n}}\n"
        );
    }
    text
}

/// An output as a constant, or a module if it is Rust. Paths are relative to the file of the module.
fn output(file: &OutputFile) -> String {
    let info = file.target.info();
    let about = info.name;
    let path = file.name.to_string_lossy().replace('\\', "/");
    let name = about.to_uppercase().replace('-', "_");
    match file.target {
        Target::Rust => {
            format!("/// The program as functions of Rust.\npub mod rust {{\n    include!({path:?});\n}}\n\n")
        }
        Target::Spirv | Target::SpirvNaga => format!(
            "/// The {about} output, words as the processor has them.\npub const {name}: &[u32] = &{{\n    const BYTES: &[u8] = include_bytes!({path:?});\n    \
             let (mut words, mut i) = ([0; BYTES.len() / 4], 0);\n    while i < words.len() {{\n        \
             words[i] = u32::from_le_bytes([BYTES[4 * i], BYTES[4 * i + 1], BYTES[4 * i + 2], BYTES[4 * i + 3]]);\n        i += 1;\n    }}\n    \
             words\n}};\n\n"
        ),
        _ if info.binary => {
            format!("/// The {about} output.\npub const {name}: &[u8] = include_bytes!({path:?});\n\n")
        }
        _ => format!("/// The {about} output.\npub const {name}: &str = include_str!({path:?});\n\n"),
    }
}

/// Numbers of specialization constants; the names of those that have none of their own.
fn overrides(interfaces: &[&Interface]) -> String {
    let constants = interfaces.iter().flat_map(|interface| &interface.whole.constants);
    let value = |c: &ConstantInfo| match c.unnumbered {
        true => format!("&str = {:?}", c.name),
        false => format!("u32 = {}", c.id),
    };
    let lines: BTreeSet<String> = constants
        .map(|c| format!("    /// `{}` `{}`.\n    pub const {}: {};\n", c.ty, c.name, constant(&c.name), value(c)))
        .collect();
    match lines.is_empty() {
        true => String::new(),
        false => format!(
            "/// Numbers of specialization constants; the names of those that have none of their own.\npub mod overrides {{\n{}}}\n\n",
            lines.into_iter().collect::<String>()
        ),
    }
}

/// The structs of blocks and vertices.
fn types(build: &Build, interfaces: &[&Interface]) -> Result<String, String> {
    let mut structs = Structs::default();
    let mut blocks: Vec<(String, BlockTypes)> = vec![];
    for reflection in interfaces.iter().map(|interface| &interface.whole) {
        for (name, block) in blocks_of(reflection) {
            // One that several stages have is one type.
            let known = structs.block(&name, &block)?;
            if !blocks.iter().any(|(other, b)| *other == name && is_same(b, &known)) {
                blocks.push((name, known));
            }
        }
    }
    let mut text = String::new();
    for (name, block) in &blocks {
        let Some(tail) = &block.tail else { continue };
        let (alias, member) = (&tail.alias, &tail.name);
        let path = if name == member { member.clone() } else { format!("{name}_{member}") };
        let (upper, ty) = (constant(&path), types::stored(&tail.shape, &structs));
        let place = if name == member { member.clone() } else { format!("{name}.{member}") };
        let _ = writeln!(
            text,
            "/// An element of `{place}`, of which a buffer has any number.\npub type {alias} = {ty};\n\n\
             /// The first element of `{place}` in its buffer, in bytes.\npub const {upper}_OFFSET: u32 = {};\n",
            tail.offset
        );
    }
    let mut vertices = vec![];
    for interface in interfaces {
        for (_, reflection) in interface.stages.iter().filter(|(stage, _)| *stage == Stage::Vertex) {
            // Those of other stages are not used by this one.
            let mut inputs = reflection.inputs.clone();
            inputs.retain(|input| input.used || interface.stages.len() == 1);
            vertices.extend(vertex::vertex(&inputs, "VertexInput", &mut structs, build.bytemuck, build.wgpu)?);
        }
    }
    let all = structs.all.iter().map(|s| types::structure(s, &structs, build.bytemuck)).collect::<String>();
    Ok(all + &text + &vertices.concat())
}

/// Whether two blocks have the same types, whatever they are called.
fn is_same(a: &BlockTypes, b: &BlockTypes) -> bool {
    let tail = |block: &BlockTypes| block.tail.as_ref().map(|t| (t.name.clone(), t.offset, t.shape.clone()));
    a.head == b.head && tail(a) == tail(b)
}

/// The names and contents of blocks, each array of blocks once.
fn blocks_of(reflection: &Reflection) -> Vec<(String, Block)> {
    let mut all = vec![];
    if let Some(uniforms) = &reflection.uniforms {
        let mut block = Block::default();
        (block.size, block.members) = (Some(uniforms.size), Some(uniforms.members.clone()));
        all.push(("Uniforms".to_owned(), block));
    }
    if let Some(constants) = &reflection.push_constants {
        all.push((constants.ty.clone(), constants.block.clone()));
    }
    let bindings = reflection.uniform_blocks.iter().chain(&reflection.storage_blocks);
    all.extend(bindings.filter(|binding| binding.array.is_none()).filter_map(block_of));
    all
}

fn block_of(binding: &Binding) -> Option<(String, Block)> {
    let BindingKind::Block { block, contents, .. } = &binding.kind else { return None };
    let name = match (variable_of_wrapper(binding), block) {
        (Some(variable), _) => variable.to_owned(),
        // WGSL's structs that are also values have the variable in the name of the block.
        (None, Some(block)) => block.strip_suffix(&format!("_{}", binding.variable)).unwrap_or(block).to_owned(),
        (None, None) => binding.variable.clone(),
    };
    Some((name, contents.clone()))
}

/// The name of a variable of WGSL that is no struct: it is the member of a block `NAME_block` of its own.
fn variable_of_wrapper(binding: &Binding) -> Option<&str> {
    let BindingKind::Block { contents, .. } = &binding.kind else { return None };
    let [member] = &contents.members.as_ref()?[..] else { return None };
    (binding.variable.strip_suffix("_block")? == member.name).then_some(&*member.name)
}
