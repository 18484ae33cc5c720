//! Shaders of the gallery as objects, with the uniforms and textures of `planish run`: the pictures of the evaluator.

use std::collections::HashMap;
use std::fmt::Write as _;

use planish::eval::shade::{DrawOptions, draw, texture, textures, uniforms};
use planish::eval::texture::{Comparison, Filter, Wrap};
use planish_testkit::seeds;

use super::batches::{add, texels};
use super::{Form, Project, compile};

const SIZE: [u32; 2] = [16, 8];

/// Fills members of `u` from words.
fn uniforms_in_c(module: &planish::module::Module, options: &DrawOptions<'_>, header: &str) -> (String, String) {
    let (mut data, mut set) = (String::new(), String::new());
    for (var, words) in uniforms(module, options).expect("the defaults fit") {
        let name = &*module.vars[var].name.text;
        if !(header.contains(&format!(" {name};")) || header.contains(&format!(" {name}["))) {
            continue;
        }
        let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
        let _ = writeln!(data, "static const uint32_t words_of_{name}[] = {{ {} }};", words.join(", "));
        let _ = writeln!(set, "    memcpy(&u.{name}, words_of_{name}, sizeof words_of_{name});");
    }
    let mut made = HashMap::new();
    for of in textures(module, options) {
        let name = module.vars[of.var].name.text.to_string();
        if !header.contains(&format!("*{name};")) {
            continue;
        }
        let (texture, state) = texture(module, options, of.var, of.element);
        let [width, height, depth] = texture.size(0);
        let text = texels("TEXELS", &*texture);
        let count = made.len();
        let number = *made.entry(text.clone()).or_insert_with(|| {
            data += &text.replace("TEXELS", &format!("texels_{count}"));
            count
        });
        let filter = |filter: Filter| u32::from(filter == Filter::Nearest);
        let wrap = state.wrap.map(|wrap| match wrap {
            Wrap::Repeat => "PLANISH_REPEAT",
            Wrap::Clamp => "PLANISH_CLAMP",
            Wrap::Mirror => "PLANISH_MIRROR",
            Wrap::Border => "PLANISH_BORDER",
        });
        assert_eq!(state.compare, Comparison::LessEqual);
        let _ = writeln!(
            set,
            "    static const planish_texture {name} = {{ .texels = texels_{number}, .width = {width}, .height = {height}, .depth = {depth},\n\
             .levels = {}, .sampler = {{ {}, {}, {}, {{ {}, {}, {} }}, PLANISH_LESS_EQUAL }} }};\n    u.{name} = &{name};",
            texture.levels(),
            filter(state.magnify),
            filter(state.minify),
            state.mipmap.map_or(2, filter),
            wrap[0],
            wrap[1],
            wrap[2]
        );
    }
    (data, set)
}

#[test]
fn pictures_of_the_gallery_are_drawn_from_c() {
    Project::in_each_form("batch-gallery").for_each(draw_gallery);
}

fn draw_gallery(mut project: Project) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shaders");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the gallery").map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "frag"));
    files.sort();
    let chosen = seeds(5..6).flat_map(|seed| (0..files.len()).skip(seed as usize % 16).step_by(16));
    let mut compared = 0;
    for file in chosen.map(|at| &files[at]) {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let source = compile("s.frag", &std::fs::read_to_string(file).expect("readable"), "2");
        let options = DrawOptions { size: SIZE, time: 1.25, ..DrawOptions::default() };
        let picture = draw(&source.module, &options).expect("it can be drawn");
        let header = add(&mut project, "s", &source, Some(8));
        let part = |of: &str| {
            let end = header.find(&format!("}} s_main_{of};"));
            end.map_or("", |end| &header[header[..end].rfind("typedef").expect("it begins")..end])
        };
        let (inputs, outputs) = (part("inputs"), part("outputs"));
        let output = outputs.lines().find(|line| line.contains("[4][8];")).expect("a color");
        let output = output.trim().trim_start_matches("float ").split('[').next().expect("a name");
        let known = ["gl_FragCoord", "uv", "helpers"];
        let member = |line: &str| line.trim().split([' ', '[', ';']).nth(1).unwrap_or_default().to_owned();
        if inputs.lines().skip(1).any(|line| !known.contains(&&*member(line))) {
            continue;
        }
        let (data, set) = uniforms_in_c(&source.module, &options, part("uniforms"));
        let has = |text: &str, then: &str| if inputs.contains(text) { then.to_owned() } else { String::new() };
        let coordinates = has(
            "gl_FragCoord[",
            "in[i].gl_FragCoord[0][l] = x + 0.5f; in[i].gl_FragCoord[1][l] = y + 0.5f; in[i].gl_FragCoord[2][l] = 0.5f; in[i].gl_FragCoord[3][l] = 1;",
        ) + &has(" uv[", "in[i].uv[0][l] = (x + 0.5f) / W; in[i].uv[1][l] = (y + 0.5f) / H;");
        let (with_uniforms, with_inputs) = (!part("uniforms").is_empty(), !inputs.is_empty());
        let program = format!(
            "#include \"s.h\"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
enum {{ W = {}, H = {}, BATCHES = W * H / 8 }};
{data}{}{}static s_main_outputs out[BATCHES];
static uint32_t picture[H][W][4];
int main(void) {{
{set}    for (int pass = 0; pass < 2; pass++) {{
        for (int i = 0; i < BATCHES; i++) for (int l = 0; l < 8; l++) {{
            int quad = i * 2 + l / 4;
            int x = quad % (W / 2) * 2 + l % 2, y = quad / (W / 2) * 2 + l % 4 / 2;
            if (pass == 0) {{ {coordinates} }}
            else if ({}) for (int c = 0; c < 4; c++) memcpy(&picture[y][x][c], &out[i].{output}[c][l], 4);
        }}
        if (pass == 0) s_main({}{}out, BATCHES);
    }}
    for (int y = H; y-- > 0;) for (int x = 0; x < W; x++) for (int c = 0; c < 4; c++) printf(\"%08\" PRIx32 \"\\n\", picture[y][x][c]);
    return 0;
}}
",
            SIZE[0],
            SIZE[1],
            if with_uniforms { "static s_main_uniforms u;\n" } else { "" },
            if with_inputs { "static s_main_inputs in[BATCHES];\n" } else { "" },
            if outputs.contains("discarded") { "!(out[i].discarded >> l & 1)" } else { "1" },
            if with_uniforms { "&u, " } else { "" },
            if with_inputs { "in, " } else { "" },
        );
        let found = project.run(&program, true);
        let found: Vec<u32> = found.lines().map(|line| u32::from_str_radix(line, 16).expect("a word")).collect();
        let want: Vec<u32> = picture.float.as_flattened().iter().map(|x| x.to_bits()).collect();
        // Elementary functions of `libm` differ in the last place of a double, which is rounded to a float.
        let tolerance = if project.form == Form::C { 1e-5 } else { 0.0 };
        let is_same = |(&x, &y): (&u32, &u32)| {
            let (a, b) = (f32::from_bits(x), f32::from_bits(y));
            x == y || a.is_nan() && b.is_nan() || (a - b).abs() < tolerance
        };
        let differs = found.iter().zip(&want).position(|pair| !is_same(pair));
        assert_eq!((found.len(), differs), (want.len(), None), "{name}");
        compared += 1;
    }
    assert!(compared >= 3, "{compared} compared");
}
