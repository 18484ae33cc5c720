//! Generated structs hold each value at the byte where the shader reads it: constructors are called with numbers, and the bytes are those that the
//! reflection asks for. All cases are one program, which `rustc` compiles once.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use planish_build::Build;
use planish_build::planish::reflection::{BindingKind, Block, Member};
use planish_build::planish::{Compiler, EmitOptions, Target, reflect};

use crate::errors::folder_with;

/// Blocks in GLSL: name, qualifier, members.
const BLOCKS: &[(&str, &str, &str)] = &[
    ("Scalars", "std140", "float a; vec3 b; float c; vec2 d; int e; uint f; bool g; bvec3 h; ivec4 i;"),
    ("Arrays", "std140", "float a[4]; vec2 b[3]; vec3 c[2]; vec4 d[2]; int e[2][3]; bool f[2]; bvec2 g[2]; float h;"),
    ("Tight", "std430", "float a[4]; vec2 b[3]; vec3 c[2]; float d; int e[2][3]; bool f[3]; float g;"),
    ("Matrices", "std140", "mat2 a; mat3 b; mat4 c; mat2x3 d; mat3x2 e; mat4x3 f; mat3 g[2]; float h;"),
    ("TightMatrices", "std430", "mat2 a; mat3 b; mat3x2 c; mat2x4 d[2]; mat3 e[2][2]; float f;"),
    ("Rows", "std140, row_major", "mat2x3 a; mat3x2 b; mat4x3 c[2]; layout(column_major) mat2x3 d; float e;"),
    ("Nested", "std140", "float a; Inner b; Inner c[2]; Outer d; Outer e[2][2]; float f;"),
    ("TightNested", "std430", "float a; Inner b; Inner c[2]; Outer d; float e;"),
    ("Doubles", "std430", "float a; double b; dvec3 c; dvec2 d[2]; dmat3 e; float f;"),
    ("Offsets", "std140", "layout(offset = 16) float a; layout(offset = 64) vec2 b; layout(align = 32) float c;"),
    ("Keywords", "std430", "float type; float fn_; vec3 fooBar; float foo_bar; float self;"),
];

/// A compute shader with a block.
fn shader((name, layout, members): &(&str, &str, &str)) -> String {
    let first = members.split([' ', ';', '[']).find(|word| word.len() == 1 && *word != "=").unwrap_or("type");
    format!(
        "#version 460\nlayout(local_size_x = 1) in;\nstruct Inner {{ vec3 a; float b; vec2 c; bool d; }};\n\
         struct Outer {{ float a[2]; Inner b[2]; mat3 c; }};\nlayout({layout}, binding = 0) buffer {name} {{ {members} }} block;\n\
         layout(std430, binding = 1) buffer Result {{ float result; }};\n\
         void main() {{ {name} copy; }}\n"
    )
    .replace(&format!("{name} copy;"), &format!("result = float(block.{first}{});", index(members, first)))
}

/// The index that makes a number of the first member.
fn index(members: &str, name: &str) -> &'static str {
    let declaration = members.split(';').find(|d| d.trim().split(' ').any(|w| w.split('[').next() == Some(name)));
    match declaration.unwrap_or_default() {
        d if d.contains("mat") => "[0][0]",
        d if d.contains('[') => "[0]",
        _ => "",
    }
}

/// A value of a member in Rust; its words are written to `bytes`.
struct Values<'a> {
    program: &'a str,
    next: u32,
    bytes: Vec<u8>,
}

impl Values<'_> {
    /// Arguments of the constructor of a struct at an offset.
    fn arguments(&mut self, members: &[Member], at: u32) -> String {
        let values: Vec<String> = members
            .iter()
            .map(|m| {
                let (base, lengths) = m.ty.split_at(m.ty.find('[').unwrap_or(m.ty.len()));
                let lengths: Vec<u32> = lengths
                    .split(['[', ']'])
                    .filter(|part| !part.is_empty())
                    .map(|part| part.parse().expect("a length"))
                    .collect();
                self.value(base, &lengths, at + m.offset, m)
            })
            .collect();
        values.join(", ")
    }

    fn value(&mut self, base: &str, lengths: &[u32], at: u32, m: &Member) -> String {
        if let [first, inner @ ..] = lengths {
            // The stride is that of the outermost array.
            let all = m.ty.matches('[').count();
            let depth = all - lengths.len();
            let outer: Vec<u32> = m.ty.split(['[', ']']).skip(1).filter_map(|part| part.parse().ok()).collect();
            let stride = outer[1..=depth].iter().fold(m.stride, |stride, len| stride / len);
            let parts: Vec<String> = (0..*first).map(|i| self.value(base, inner, at + i * stride, m)).collect();
            return format!("[{}]", parts.join(", "));
        }
        if let Some(members) = &m.members {
            let arguments = self.arguments(members, at);
            return format!("shaders::{}::{}::new({arguments})", self.program, base);
        }
        let (double, name) =
            base.strip_prefix('d').filter(|b| *b != "ouble").map_or((base == "double", base), |b| (true, b));
        if let Some(size) = name.strip_prefix("mat") {
            let (columns, rows) = size.split_once('x').unwrap_or((size, size));
            let [columns, rows] = [columns, rows].map(|n| n.parse::<u32>().expect("a size"));
            let (count, length) = if m.row_major { (rows, columns) } else { (columns, rows) };
            let arrays: Vec<u32> = m.ty.split(['[', ']']).skip(1).filter_map(|part| part.parse().ok()).collect();
            let stride = match &arrays[..] {
                [] => m.stride,
                [_, inner @ ..] => inner.iter().fold(m.stride, |stride, len| stride / len) / count,
            };
            let parts: Vec<String> =
                (0..count).map(|i| self.vector(length, double, "float", at + i * stride)).collect();
            return format!("[{}]", parts.join(", "));
        }
        let (scalar, size) = match name.split_once("vec") {
            Some((prefix, size)) => (prefix, size.parse().expect("a size")),
            None => (name, 1),
        };
        let value = self.vector(size, double, scalar, at);
        if name.contains("vec") { value } else { value[1..value.len() - 1].to_owned() }
    }

    fn vector(&mut self, length: u32, double: bool, scalar: &str, at: u32) -> String {
        let mut parts = vec![];
        for i in 0..length {
            self.next += 1;
            let n = self.next;
            let (text, bytes) = match scalar {
                "bool" | "b" => ((n % 2 == 1).to_string(), (n % 2).to_le_bytes().to_vec()),
                "int" | "i" => (format!("-{n}"), (-(n as i32)).to_le_bytes().to_vec()),
                "uint" | "u" => (n.to_string(), n.to_le_bytes().to_vec()),
                _ if double => (format!("{n}.5"), (f64::from(n) + 0.5).to_le_bytes().to_vec()),
                _ => (format!("{n}.5"), (n as f32 + 0.5).to_le_bytes().to_vec()),
            };
            let start = (at + i * bytes.len() as u32) as usize;
            let place = &mut self.bytes[start..start + bytes.len()];
            assert!(place.iter().all(|&byte| byte == 0), "two values at one place");
            place.copy_from_slice(&bytes);
            parts.push(text);
        }
        format!("[{}]", parts.join(", "))
    }
}

/// The library `bytemuck` of this test, with its derive.
fn bytemuck() -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let files = program.parent().expect("it is in a folder").read_dir().expect("it can be read").flatten();
    let is_it = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let derives = |bytes: &[u8]| bytes.windows(15).any(|part| part == b"bytemuck_derive");
        name.starts_with("libbytemuck-") && name.ends_with(".rlib") && fs::read(path).is_ok_and(|bytes| derives(&bytes))
    };
    let found = files.map(|file| file.path()).filter(|path| is_it(path));
    let newest = found.max_by_key(|path| path.metadata().and_then(|about| about.modified()).ok());
    newest.expect("bytemuck is built before this test")
}

fn output_of(command: &mut Command) -> String {
    let output = command.output().expect("it can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const VERTEX: &str = "#version 450
layout(location = 0) in vec3 position;
layout(location = 3) in mat3 turn;
layout(location = 1) in float weights[2];
layout(location = 6) in uvec2 ids;
layout(location = 7) in int kind;
layout(push_constant) uniform Push { vec3 at; float scale; } push;
layout(constant_id = 5) const int COUNT = 2;
void main() { gl_Position = vec4(turn * position * weights[0] * push.scale + push.at, float(ids.x) + float(kind) * weights[1] * float(COUNT)); }
";

const WGSL: &str = "struct Light { pos: vec3f, power: f32, dir: vec3f }
struct Scene { count: u32, @align(32) ambient: vec3f, @size(32) gap: f32, turn: mat3x3f, lights: array<Light> }
@group(0) @binding(0) var<uniform> tint: vec4f;
@group(0) @binding(1) var<storage, read> scene: Scene;
@group(0) @binding(2) var<storage, read> floats: array<f32>;
@group(0) @binding(3) var<storage, read_write> lights: array<Light>;
@group(1) @binding(0) var<storage, read> three: array<vec3f>;
@vertex fn vs_main(@location(0) at: vec3f, @location(2) uv: vec2f, @builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(at + three[i], uv.x);
}
@fragment fn fs_main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    lights[0].power = 1.0;
    return tint * (scene.lights[scene.count].power + floats[1] + scene.gap) * vec4f(scene.turn * scene.ambient, 1.0);
}
@compute @workgroup_size(4, 2) fn cs_main() { lights[1].pos = scene.ambient; }
";

#[test]
fn generated_types_have_the_layout_of_the_shader() {
    let mut files: Vec<(String, String)> =
        BLOCKS.iter().map(|block| (format!("s/{}.comp", block.0.to_lowercase()), shader(block))).collect();
    files.push(("s/mesh.vert".into(), VERTEX.into()));
    files.push(("s/scene.wgsl".into(), WGSL.into()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = folder_with("build-types", &files);
    let build = Build::new().folder(folder.join("s")).target(Target::Spirv).bytemuck(true);
    build.compile_to(folder.join("out")).unwrap_or_else(|error| panic!("{error}"));

    let (mut main, mut want) = (String::new(), String::new());
    for block in BLOCKS {
        let program = block.0.to_lowercase();
        let module = Compiler::default().compile("a.comp", shader(block)).module.expect("it is valid");
        let reflection = reflect(&module, &EmitOptions::default()).expect("it has an interface");
        let binding = reflection.storage_blocks.iter().find(|binding| binding.binding == 0).expect("it is used");
        let BindingKind::Block { contents: Block { size: Some(size), members: Some(members), .. }, .. } = &binding.kind
        else {
            panic!("a block")
        };
        let mut values = Values { program: &program, next: 0, bytes: vec![0; *size as usize] };
        let arguments = values.arguments(members, 0);
        let _ = writeln!(main, "    show(bytemuck::bytes_of(&shaders::{program}::{}::new({arguments})));", block.0);
        let _ = writeln!(want, "{:?}", values.bytes);
    }
    main += "    use shaders::{mesh, scene};
    println!(\"{:?}\", mesh::VertexInput::ATTRIBUTES.map(|a| (a.name, a.location, a.offset, a.format)));
    let mesh = mesh::VertexInput::new([1.0; 3], [2.0; 2], [[3.0; 3]; 3], [4; 2], 5);
    println!(\"{} {} {}\", bytemuck::bytes_of(&mesh).len(), mesh.turn[2][2], size_of_val(&mesh::Push::new([1.0; 3], 2.0)));
    println!(\"{:x} {} {}\", mesh::SPIRV[0], mesh::SPIRV.len(), mesh::overrides::COUNT);
    println!(\"{:?}\", scene::VertexInput::ATTRIBUTES.map(|a| (a.name, a.location, a.offset, a.format)));
    println!(\"{:?} {} {} {}\", scene::WORK_GROUP_SIZE_CS_MAIN, scene::ENTRY_VS_MAIN, scene::ENTRY_FS_MAIN, scene::ENTRY_CS_MAIN);
    println!(\"{:?}\", [scene::bindings::TINT, scene::bindings::THREE].map(|b| (b.group, b.binding)));
    let light: scene::SceneLightsElement = scene::Light::new([1.0; 3], 2.0, [3.0; 3]);
    let lights: [scene::LightsElement; 1] = [light];
    println!(\"{} {}\", size_of_val(&lights), scene::SCENE_LIGHTS_OFFSET);
    println!(\"{} {}\", size_of::<scene::FloatsElement>(), size_of::<scene::ThreeElement>());
    println!(\"{}\", size_of_val(&scene::Scene::new(1, [2.0; 3], 3.0, [[4.0; 3]; 3])));
";
    let spirv = fs::read(folder.join("out/shaders/mesh.vert.spv")).expect("it is written");
    let attributes = [
        ("position", 0, 0, "float32x3"),
        ("weights[0]", 1, 12, "float32"),
        ("weights[1]", 2, 16, "float32"),
        ("turn[0]", 3, 20, "float32x3"),
        ("turn[1]", 4, 32, "float32x3"),
        ("turn[2]", 5, 44, "float32x3"),
        ("ids", 6, 56, "uint32x2"),
        ("kind", 7, 64, "sint32"),
    ];
    let _ = writeln!(want, "{attributes:?}\n68 3 16\n7230203 {} 5", spirv.len() / 4);
    let _ = writeln!(want, "{:?}", [("at", 0, 0, "float32x3"), ("uv", 2, 12, "float32x2")]);
    want += "[4, 2, 1] vs_main fs_main cs_main\n[(0, 0), (1, 0)]\n32 128\n4 16\n128\n";
    let program = format!(
        "#![forbid(unsafe_code)]\n#![warn(missing_docs, unreachable_pub)]\n//! A test.\nmod shaders {{ include!(concat!(env!(\"OUT_DIR\"), \"/shaders.rs\")); }}\n\
         fn show(bytes: &[u8]) {{ println!(\"{{bytes:?}}\"); }}\nfn main() {{\n{main}}}\n"
    )
    .replace("#![forbid(unsafe_code)]\n#![warn(missing_docs, unreachable_pub)]\n//! A test.\n", "//! A test.\n#![forbid(unsafe_code)]\n#![warn(missing_docs, unreachable_pub)]\n");
    fs::write(folder.join("main.rs"), program).expect("writable");
    let library = bytemuck();
    let mut rustc = Command::new("rustc");
    rustc
        .args(["--edition=2024", "-Dwarnings", "-Cdebuginfo=0", "-o", "run", "main.rs", "-L"])
        .arg(library.parent().expect("a folder"));
    rustc.arg("--extern").arg(format!("bytemuck={}", library.display()));
    output_of(rustc.env("OUT_DIR", folder.join("out")).current_dir(&folder));
    let got = output_of(&mut Command::new(folder.join("run")));
    for (got, want) in got.lines().zip(want.lines()) {
        assert_eq!(got, want);
    }
    assert_eq!(got.lines().count(), want.lines().count());
}
