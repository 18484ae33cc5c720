//! Shaders of the gallery in JavaScript: a module and asm.js compute some pixels of the evaluator's picture.

use std::fmt::Write;
use std::path::Path;

use planish_back_js::{Options, info, write_asm, write_module};
use planish_eval::shade::{DrawOptions, draw, fragment_outputs, inputs};
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::decoration::BuiltIn;
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use planish_ir::types::{AddressSpace, Scalar};
use planish_opt::{Context, lower_to_scalars, pipeline};
use planish_testkit::{has_tool, node, scratch};

/// Pixels of a drawing.
const SIZE: [u32; 2] = [8, 6];

fn module_of(path: &Path, level: &str) -> Module {
    let text = std::fs::read_to_string(path).expect("can be read");
    let mut map = SourceMap::new();
    let file = map.add("shader.frag", text).expect("it is small");
    let output = compile(&mut map, &file, &mut FrontOptions::new(Stage::Fragment));
    let mut module = output.module.unwrap_or_else(|| panic!("{}: {:#?}", path.display(), output.diagnostics));
    let mut context = Context::default();
    for pass in pipeline(level).expect("a level") {
        (pass.run)(&mut module, &mut context);
    }
    module
}

/// Whether all that it reads are numbers that are the same everywhere, and where it is.
fn is_plain(module: &Module) -> bool {
    module.vars.values().all(|v| match v.space {
        AddressSpace::Input => v.decorations.builtin() == Some(BuiltIn::FragCoord),
        AddressSpace::Handle | AddressSpace::Storage => false,
        _ => true,
    })
}

struct Shader {
    name: String,
    /// The picture that the evaluator draws, bottom row first.
    want: Vec<[f32; 4]>,
    /// Statements that set the uniforms.
    uniforms: String,
    output: String,
}

/// A script that draws a shader in one dialect and prints the pixels.
fn script(shader: &Shader, dialect: &str) -> String {
    let mut text = String::new();
    let name = &shader.name;
    let start = if dialect == "asm" {
        format!(
            "const program = load(\"{name}.js\"); const heap = new ArrayBuffer(program.bytes); \
             const at = program.addresses; const s = program(globalThis, world, heap); s.initialize?.(); \
             if (!%IsAsmWasmCode(program)) throw new Error(\"{name} is no asm.js\");"
        )
    } else {
        format!("const s = await import(\"./{name}.mjs\"); const heap = s.memory; const at = s;")
    };
    writeln!(text, "{{ {start} const view = new DataView(heap);\n{}", shader.uniforms).expect("strings take all");
    writeln!(
        text,
        "for (let y = 0; y < {1}; y++) for (let x = 0; x < {0}; x++) {{
  [x + 0.5, y + 0.5, 0.5, 1].forEach((v, i) => {{
    if (at.gl_FragCoord !== undefined) view.setFloat32(at.gl_FragCoord + 4 * i, v, true);
  }});
  s.main();
  console.log(\"{name}\", [0, 1, 2, 3].map((i) => view.getFloat32(at.{2} + 4 * i, true)).join(\" \"));
}} }}",
        SIZE[0], SIZE[1], shader.output
    )
    .expect("strings take all");
    text
}

#[test]
fn shaders_of_the_gallery_draw_what_the_evaluator_draws() {
    if !has_tool("node") {
        return;
    }
    let folder = scratch("js-shaders");
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/shaders");
    let mut files: Vec<_> =
        std::fs::read_dir(gallery).expect("it is there").map(|e| e.expect("listed").path()).collect();
    files.sort();
    let (mut shaders, mut text) = (Vec::new(), String::from(LOADER));
    files.retain(|p| p.extension().is_some_and(|e| e == "frag"));
    let leveled =
        |(i, path): (usize, _)| ["0", "2"].into_iter().filter(move |&l| l == "2" || i % 3 == 0).map(move |l| (path, l));
    for (path, level) in files.iter().enumerate().flat_map(leveled) {
        let module = module_of(path, level);
        if !is_plain(&module) {
            continue;
        }
        let mut lowered = module.clone();
        if lower_to_scalars::run(&mut lowered, &info(), &mut Context::default()).is_err() {
            continue; // Derivatives, packing.
        }
        let name = format!("{}_{level}", path.file_stem().unwrap_or_default().to_string_lossy());
        let options = DrawOptions { size: SIZE, time: 1.5, threads: 1, ..DrawOptions::default() };
        let image = draw(&module, &options).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let mut uniforms = String::new();
        for uniform in inputs(&module, &options).unwrap_or_else(|e| panic!("{name}: {e:?}")).uniforms {
            assert_eq!(uniform.scalar, Scalar::F32, "{name}: {}", uniform.name);
            for (i, value) in uniform.values.iter().enumerate() {
                writeln!(
                    uniforms,
                    "if (at.{0} !== undefined) view.setFloat32(at.{0} + {1}, {value:?}, true);",
                    uniform.name,
                    4 * i
                )
                .expect("strings take all");
            }
        }
        let rows = image.float.chunks(SIZE[0] as usize).rev().flatten().copied().collect();
        let output = fragment_outputs(&module).into_iter().next().unwrap_or_default();
        let shader = Shader { name: name.clone(), want: rows, uniforms, output };
        for (dialect, end) in [("module", "mjs"), ("asm", "js")] {
            let write = if dialect == "asm" { write_asm } else { write_module };
            let output = write(&lowered, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
            std::fs::write(folder.join(format!("{name}.{end}")), output.text).expect("can be written");
            text += &script(&shader, dialect);
        }
        shaders.push(shader);
    }
    assert!(shaders.len() > 40, "only {} shaders", shaders.len());
    let driver = folder.join("draw.mjs");
    std::fs::write(&driver, text).expect("can be written");
    let drawn = node::node(&driver, &["--allow-natives-syntax"]);
    let mut lines = drawn.lines();
    for shader in &shaders {
        for dialect in ["module", "asm"] {
            let mut different = 0;
            for want in &shader.want {
                let line = lines.next().expect("a line a pixel");
                let got: Vec<f32> = line.split(' ').skip(1).map(|n| n.parse().expect("a number")).collect();
                let near = got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 1e-3 || g.is_nan() && w.is_nan());
                different += usize::from(!near);
            }
            // Functions of the host may differ in the last bits, which a fold or a threshold makes a whole step.
            assert!(different <= 1, "{} ({dialect}): {different} of {} pixels", shader.name, shader.want.len());
        }
    }
}

const LOADER: &str = r#"
import { readFileSync } from "node:fs";
const world = { trap(kind) { throw new Error(`trap ${kind}`); } };
const load = (file) => (0, eval)(`${readFileSync(new URL(file, import.meta.url), "utf8")}; program`);
"#;
