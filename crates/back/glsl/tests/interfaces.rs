//! Random interfaces (inputs, outputs, uniforms, blocks and their qualifiers, of every version and stage), written in
//! every version of GLSL that holds them: what is written is read again by the front end, gives the same text when it
//! is written once more, and `glslangValidator` takes it, where it is installed.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use planish_back_glsl::Options;
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_generate::Choices;
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;

use crate::legal::write;

const VERSIONS: [(u16, bool); 14] = [
    (100, true),
    (300, true),
    (310, true),
    (320, true),
    (120, false),
    (140, false),
    (330, false),
    (400, false),
    (410, false),
    (420, false),
    (430, false),
    (440, false),
    (450, false),
    (460, false),
];

/// A shader that is being made up.
struct Shader<'c, 'b> {
    choices: &'c mut Choices<'b>,
    version: u16,
    es: bool,
    stage: Stage,
    declarations: String,
    statements: String,
    count: usize,
}

impl Shader<'_, '_> {
    fn at_least(&self, es: u16, desktop: u16) -> bool {
        self.version >= if self.es { es } else { desktop }
    }

    fn name(&mut self, what: &str) -> String {
        self.count += 1;
        format!("{what}{}", self.count)
    }

    fn precision(&mut self) -> &'static str {
        if self.es { self.choices.pick(&["", "highp ", "mediump "]) } else { "" }
    }

    /// A type of numbers; `integers`: one that may be of integers.
    fn number(&mut self, integers: bool) -> &'static str {
        if integers && self.at_least(300, 130) && self.choices.chance(30) {
            return self.choices.pick(&["int", "uvec3", "ivec2", "uint"]);
        }
        self.choices.pick(&["float", "vec2", "vec3", "vec4", "mat2", "mat3"])
    }

    /// A number out of a value of the type.
    fn part(ty: &str, value: &str) -> String {
        match ty {
            _ if ty.starts_with("mat") => format!("{value}[1].x"),
            "float" | "int" | "uint" => format!("float({value})"),
            _ => format!("float({value}.y)"),
        }
    }

    /// A struct with members of random types, and one number out of a value of it.
    fn structure(&mut self, integers: bool) -> (String, String) {
        let name = self.name("S");
        let (mut members, mut part) = (String::new(), String::new());
        for i in 0..1 + self.choices.below(3) {
            let (ty, precision) = (self.number(integers), self.precision());
            let array = if self.choices.chance(15) { "[2]" } else { "" };
            let _ = write!(members, " {precision}{ty} m{i}{array};");
            part = Self::part(ty, &format!(".m{i}{}", if array.is_empty() { "" } else { "[1]" }));
        }
        if self.choices.chance(20) {
            let (inner, own) = self.structure(integers);
            let _ = write!(members, " {inner} inner;");
            part = own.replacen("(.", "(.inner.", 1);
            if !part.contains(".inner") {
                part = format!(".inner{part}");
            }
        }
        let _ = writeln!(self.declarations, "struct {name} {{{members} }};");
        (name, part)
    }

    /// A stage input or output, used.
    fn varying(&mut self, input: bool) {
        let modern = self.at_least(300, 130);
        let edge = input == (self.stage == Stage::Vertex);
        if !modern && !input && edge {
            return;
        }
        let name = self.name(if input { "i" } else { "o" });
        let mut words = Vec::new();
        let location = 2 * self.count;
        let separate = if edge { self.at_least(300, 330) } else { self.at_least(310, 410) };
        // Fragment outputs are few, and all have a location or none.
        let small = edge && !input;
        let located = separate && (small || self.choices.chance(50));
        let structured = !edge && self.at_least(300, 150) && self.choices.chance(25);
        let (ty, part) = if structured {
            self.structure(true)
        } else {
            let mut ty = self.number(true);
            if small && ty.starts_with("mat") {
                ty = "vec4";
            }
            (ty.to_owned(), String::new())
        };
        let array = if !edge && !structured && self.choices.chance(15) { "[2]" } else { "" };
        if located {
            let at = if small { self.count % 4 } else { location };
            let component = !self.es && self.version >= 440;
            let fits = matches!(&*ty, "float" | "vec2" | "int" | "uint");
            let component = if component && fits && self.choices.chance(40) { ", component = 1" } else { "" };
            words.push(format!("layout(location = {at}{component})"));
        }
        if !edge && (!input || !self.at_least(300, 420)) && self.choices.chance(20) {
            words.push("invariant".into());
        }
        let integers = part.contains("int") || ty.contains("int") || ty.starts_with(['i', 'u']);
        if !edge && modern {
            if structured || integers || self.choices.chance(20) {
                words.push("flat".into());
            } else if self.choices.chance(20) {
                words.push("centroid".into());
            } else if !self.es && self.choices.chance(10) {
                words.push("noperspective".into());
            }
        }
        words.push(match (modern, input, edge) {
            (true, true, _) => "in".into(),
            (true, false, _) => "out".into(),
            (false, true, true) => "attribute".into(),
            _ => "varying".into(),
        });
        let precision = if structured { "" } else { self.precision() };
        let _ = writeln!(self.declarations, "{} {precision}{ty} {name}{array};", words.join(" "));
        let place = if array.is_empty() { name } else { format!("{name}[1]") };
        if input {
            let value =
                if structured { part.replacen("(.", &format!("({place}."), 1) } else { Self::part(&ty, &place) };
            let value = if value.starts_with('.') { format!("{place}{value}") } else { value };
            let _ = writeln!(self.statements, "    x += {value};");
        } else if !structured {
            let _ = writeln!(self.statements, "    {place} = {ty}(x);");
        }
    }

    fn uniform(&mut self) {
        let name = self.name("u");
        let (ty, precision) = (self.number(true), self.precision());
        match self.choices.below(4) {
            0 => {
                let first = if !self.es && self.choices.chance(30) { format!(" = {ty}(1)") } else { String::new() };
                let _ = writeln!(self.declarations, "uniform {precision}{ty} {name}{first};");
                let _ = writeln!(self.statements, "    x += {};", Self::part(ty, &name));
            }
            1 => {
                let _ = writeln!(self.declarations, "uniform {precision}{ty} {name}[3];");
                let _ = writeln!(self.statements, "    x += {};", Self::part(ty, &format!("{name}[2]")));
            }
            2 => {
                let (structure, part) = self.structure(true);
                let _ = writeln!(self.declarations, "uniform {structure} {name}[2];");
                let place = format!("{name}[1]");
                let value = part.replacen("(.", &format!("({place}."), 1);
                let value = if value.starts_with('.') { format!("{place}{value}") } else { value };
                let _ = writeln!(self.statements, "    x += {value};");
            }
            _ => {
                let look = if self.at_least(300, 130) { "textureLod" } else { "texture2D" };
                let lod = if look == "texture2D" { "" } else { ", 0.0" };
                let _ = writeln!(self.declarations, "uniform sampler2D {name};");
                let _ = writeln!(self.statements, "    x += {look}({name}, vec2(0.5){lod}).x;");
            }
        }
    }

    fn block(&mut self) {
        if !self.at_least(300, 140) {
            return;
        }
        let storage = self.stage == Stage::Fragment && self.at_least(310, 430) && self.choices.chance(40);
        let (block, instance) = (self.name("Block"), self.name("b"));
        let mut layout = vec![self.choices.pick(&["std140", "std140", "shared", "packed"]).to_owned()];
        if storage {
            layout = vec![self.choices.pick(&["std430", "std140"]).to_owned()];
        }
        if self.choices.chance(30) {
            layout.push("row_major".into());
        }
        if self.at_least(310, 420) && self.choices.chance(50) {
            layout.push(format!("binding = {}", self.count % 8));
        }
        let (mut members, mut uses) = (String::new(), Vec::new());
        let named = self.choices.chance(60);
        for i in 0..1 + self.choices.below(3) {
            let (ty, precision) = (self.number(true), self.precision());
            let major = if ty.starts_with("mat") && self.choices.chance(30) { "layout(column_major) " } else { "" };
            let member = format!("{block}_{i}").to_lowercase();
            let _ = writeln!(members, "    {major}{precision}{ty} {member};");
            uses.push(Self::part(ty, &if named { format!("{instance}.{member}") } else { member }));
        }
        let memory = if storage { self.choices.pick(&["", "readonly ", "coherent ", "restrict "]) } else { "" };
        let word = if storage { "buffer" } else { "uniform" };
        let instance = if named { format!(" {instance}") } else { String::new() };
        let _ = writeln!(
            self.declarations,
            "layout({}) {memory}{word} {block} {{\n{members}}}{instance};",
            layout.join(", ")
        );
        for value in uses {
            let _ = writeln!(self.statements, "    x += {value};");
        }
    }

    fn built_in(&mut self) {
        let vertex = self.stage == Stage::Vertex;
        let (declared, used) = match self.choices.below(8) {
            0 if vertex => ("invariant gl_Position;", ""),
            1 if vertex && !self.es && self.version >= 130 => {
                ("out float gl_ClipDistance[2];", "gl_ClipDistance[1] = x;")
            }
            2 if vertex => ("", "gl_PointSize = 2.0;"),
            3 if self.version == 120 && vertex => {
                ("", "gl_TexCoord[1] = gl_ModelViewMatrix * gl_Vertex; gl_FrontColor = gl_Color;")
            }
            3 if self.version == 120 => ("", "x += gl_TexCoord[1].x + gl_Color.y;"),
            4 if self.version == 120 => ("", "x += gl_TextureMatrix[1][0].x + gl_NormalMatrix[2].y;"),
            5 if !vertex && !self.es && self.version >= 420 => {
                ("layout(depth_less) out float gl_FragDepth;", "gl_FragDepth = x;")
            }
            5 if !vertex && self.at_least(300, 120) => ("", "gl_FragDepth = x;"),
            6 if !vertex && !self.es && self.version >= 150 => {
                ("layout(origin_upper_left) in vec4 gl_FragCoord;", "x += gl_FragCoord.x;")
            }
            6 if !vertex => ("", "x += gl_FragCoord.x; if (gl_FrontFacing) x += gl_PointCoord.y;"),
            7 if self.at_least(300, 140) && vertex => ("", "x += float(gl_VertexID + gl_InstanceID);"),
            _ => ("", ""),
        };
        if !self.declarations.contains(declared) || declared.is_empty() {
            let _ = writeln!(self.declarations, "{declared}");
        }
        let _ = writeln!(self.statements, "    {used}");
    }

    fn function(&mut self) {
        let (name, direction) = (self.name("f"), self.choices.pick(&["in", "out", "inout"]));
        let array = self.name("a");
        let _ = writeln!(
            self.declarations,
            "void {name}({direction} float a[3], inout float b) {{ a[1] = 2.0; b += a[1]; }}"
        );
        let _ = writeln!(self.statements, "    float {array}[3]; {array}[0] = x; {array}[1] = x; {array}[2] = x;");
        let _ = writeln!(self.statements, "    {name}({array}, x); {name}({array}, x); x += {array}[1] + {array}[2];");
    }
}

/// A shader with a random interface.
fn shader(seed: u64) -> (Stage, String) {
    let mut choices = Choices::from_seed(seed);
    let (version, es) = choices.pick(&VERSIONS);
    let stage = choices.pick(&[Stage::Vertex, Stage::Fragment]);
    let (declarations, statements) = (String::new(), String::new());
    let mut s = Shader { choices: &mut choices, version, es, stage, declarations, statements, count: 0 };
    for _ in 0..2 + s.choices.below(4) {
        match s.choices.below(8) {
            0 | 1 => s.varying(true),
            2 | 3 => s.varying(false),
            4 => s.uniform(),
            5 => s.block(),
            6 => s.built_in(),
            _ => s.function(),
        }
    }
    let word = if es && version > 100 { " es" } else { "" };
    let precision = if es { "precision highp float;\nprecision highp int;\n" } else { "" };
    let (own, end) = match (stage, s.at_least(300, 130)) {
        (Stage::Vertex, _) => ("", "gl_Position = vec4(x);"),
        (_, false) => ("", "gl_FragColor = vec4(x);"),
        (_, true) if s.at_least(300, 330) => ("layout(location = 4) out vec4 last;\n", "last = vec4(x);"),
        (_, true) => ("out vec4 last;\n", "last = vec4(x);"),
    };
    let text = format!(
        "#version {version}{word}\n{precision}{own}{}void main() {{\n    float x = 0.5;\n{}    {end}\n}}\n",
        s.declarations, s.statements
    );
    (stage, text)
}

fn read(stage: Stage, text: &str) -> Result<Module, String> {
    let mut map = SourceMap::new();
    let file = map.add("interface", text).expect("small");
    let output = compile(&mut map, &file, &mut FrontOptions::new(stage));
    output.module.ok_or_else(|| output.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))
}

fn options((version, es): (u16, bool)) -> Options {
    if es { Options::es(version) } else { Options::desktop(version) }
}

/// The complaints of `glslangValidator` about files in a folder; `None` if it is not installed.
fn complaints(folder: &Path, files: &[String]) -> Option<String> {
    let mut said = String::new();
    for some in files.chunks(200) {
        let output = Command::new("glslangValidator").current_dir(folder).args(some).output().ok()?;
        said.push_str(&String::from_utf8_lossy(&output.stdout));
    }
    Some(said)
}

#[test]
fn random_interfaces_are_written_as_they_are_read() {
    let folder = std::env::temp_dir().join(format!("planish_interfaces_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (mut faults, mut files, mut accepted) = (Vec::new(), Vec::new(), 0);
    let seeds = std::env::var("INTERFACE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    for seed in 0..seeds {
        let (stage, text) = shader(seed);
        let module = match read(stage, &text) {
            Ok(module) => module,
            Err(message) => {
                if std::env::var_os("INTERFACE_REFUSED").is_some() {
                    eprintln!("{seed}: {message}\n{text}");
                }
                continue;
            }
        };
        accepted += 1;
        for version in VERSIONS {
            let written = match write(&module, &options(version)) {
                Ok(written) => written.text,
                Err(errors) => {
                    let internal = errors.iter().find(|e| e.code.0 == "E0699");
                    faults.extend(internal.map(|e| format!("{seed} to {version:?}: {}\n{text}", e.message)));
                    continue;
                }
            };
            let again = read(stage, &written).map(|module| write(&module, &options(version)).map(|w| w.text));
            match again {
                Ok(Ok(again)) if again == written => {}
                // Desktop GLSL has no precisions: read again, the program has those that ES gives it.
                Ok(Ok(_))
                    if version.1
                        && !text.lines().next().is_some_and(|line| line.ends_with("es") || line.ends_with("100")) => {}
                Ok(Ok(again)) => faults.push(format!("{seed} to {version:?}, again otherwise:\n{written}\n{again}")),
                Ok(Err(errors)) => faults.push(format!("{seed} to {version:?}: {}\n{written}", errors[0].message)),
                Err(message) => faults.push(format!("{seed} to {version:?}: {message}\n{text}\n{written}")),
            }
            let ending = if stage == Stage::Vertex { "vert" } else { "frag" };
            let file = format!("{seed}_{}{}.{ending}", version.0, if version.1 { "es" } else { "" });
            std::fs::write(folder.join(&file), &written).expect("can be written");
            files.push(file);
        }
    }
    assert!(accepted * 10 > seeds * 7, "only {accepted} of {seeds} interfaces are accepted");
    match complaints(&folder, &files) {
        None => eprintln!("SKIPPED: glslangValidator is not installed; nobody has judged {} outputs", files.len()),
        Some(said) if said.contains("ERROR") => faults.push(said),
        Some(_) => {}
    }
    if std::env::var_os("INTERFACE_KEEP").is_none() {
        std::fs::remove_dir_all(&folder).expect("can be removed");
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
