//! Sources of a program: preludes, includes, standard input, `#line`, and the depfile that lists it.

use crate::common::{Folder, planish, text};

const SHADER: &str = "#version 300 es\nprecision highp float;\nout vec4 c;\nvoid main() { c = vec4(half_of(1.0)); }\n";
const HALF: &str = "highp float half_of(highp float x) { return x * 0.5; }\n";

/// The rules of a depfile, as Ninja reads it: `\` before a line break, a space or `#`, and `$$`.
fn rules(text: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let mut rules = vec![];
    let joined = text.replace("\\\n", "");
    for line in joined.lines() {
        let (mut words, mut word, mut targets) = (vec![], String::new(), None);
        let mut rest = line.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '\\' => {
                    let mut count = 1;
                    while rest.next_if_eq(&'\\').is_some() {
                        count += 1;
                    }
                    let escapes = rest.peek().is_some_and(|next| matches!(next, ' ' | '#'));
                    let (shown, escaped) = if escapes { (count / 2, count % 2 == 1) } else { (count, false) };
                    word.extend(std::iter::repeat_n('\\', shown));
                    if escaped {
                        word.extend(rest.next());
                    }
                }
                '$' if rest.next_if_eq(&'$').is_some() => word.push('$'),
                ' ' if word.is_empty() => {}
                ' ' => words.push(std::mem::take(&mut word)),
                ':' if rest.peek().is_none_or(|next| *next == ' ') => {
                    words.push(std::mem::take(&mut word));
                    targets = Some(std::mem::take(&mut words));
                }
                c => word.push(c),
            }
        }
        if !word.is_empty() {
            words.push(word);
        }
        rules.push((targets.expect("a rule has a colon"), words));
    }
    rules
}

#[test]
fn a_depfile_lists_all_that_was_read() {
    let folder = Folder::new("depfile");
    std::fs::create_dir_all(folder.path().join("my lib")).expect("can be made");
    let including = SHADER.replace(
        "precision",
        "#extension GL_GOOGLE_include_directive : enable\n#include \"a #1$.glsl\"\n#include <inner.glsl>\nprecision",
    );
    folder.write("my sky.frag", including);
    folder.write("a #1$.glsl", HALF);
    folder.write("my lib/inner.glsl", "#include \"deep.glsl\"\n");
    folder.write("my lib/deep.glsl", "\n");
    folder.write("common.glsl", "const highp float TAU = 6.28;\n");
    let args =
        ["compile", "my sky.frag", "-o", "my sky.wgsl", "-o", "sky.spv", "-I", "my lib", "--prelude", "common.glsl"];
    let output = folder.planish(&[&args[..], &["--depfile", "sky.d"]].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let sources = ["my sky.frag", "common.glsl", "a #1$.glsl", "my lib/inner.glsl", "my lib/deep.glsl"];
    let rule = (vec!["my sky.wgsl".to_owned(), "sky.spv".to_owned()], sources.map(str::to_owned).to_vec());
    assert_eq!(rules(&folder.read("sky.d")), [rule]);
    assert!(folder.read("sky.d").starts_with("my\\ sky.wgsl sky.spv: \\\n  my\\ sky.frag \\\n"));
    // Results in no file depend on nothing.
    let output = folder.planish(&["compile", "my sky.frag", "-I", "my lib", "--emit=wgsl", "--depfile", "x.d"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("give them with -o FILE or --out-dir DIR"));
    // A depfile does not replace what it lists.
    let output = folder.planish(&[&args[..], &["--depfile", "common.glsl"]].concat(), "");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(folder.read("common.glsl").contains("TAU"));
}

#[test]
fn a_depfile_has_a_rule_for_each_program_that_compiles() {
    let folder = Folder::new("depfile-of-many");
    folder.write("a.frag", SHADER.replace("half_of", ""));
    folder.write("b.frag", SHADER);
    folder.write("c.frag", SHADER.replace("half_of", "abs"));
    let args = ["compile", "a.frag", "b.frag", "c.frag", "--emit=ir", "--out-dir", "out", "--depfile", "all.d"];
    assert_eq!(folder.planish(&args, "").status.code(), Some(1));
    let rule = |name: &str| (vec![format!("out/{name}.ir")], vec![name.to_owned()]);
    assert_eq!(rules(&folder.read("all.d")), [rule("a.frag"), rule("c.frag")]);
}

#[test]
fn a_prelude_is_read_after_the_version() {
    let folder = Folder::new("prelude");
    folder.write("half.glsl", HALF);
    folder.write("one.glsl", "#define ONE half_of(2.0)\n");
    folder.write("a.frag", SHADER.replace("half_of(1.0)", "ONE"));
    let compile = |args: &[&str]| {
        let output = folder.planish(&[&["compile", "a.frag", "--emit=glsl", "-O2"], args].concat(), "");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, shader, _) = compile(&["--prelude", "half.glsl", "--prelude", "one.glsl"]);
    assert_eq!(code, Some(0));
    assert!(shader.starts_with("#version 300 es") && shader.contains("c = vec4(1.0)"), "{shader}");
    assert_eq!(compile(&[]).0, Some(1));
    // An error in a prelude is in its file.
    folder.write("one.glsl", "\nhighp float broken = ;\n");
    let message = compile(&["--prelude", "one.glsl", "--message-format", "short"]).2;
    assert!(message.contains("one.glsl:2:22: error[E0201]"), "{message}");
    let message = compile(&["--prelude", "thre"]).2;
    assert!(message.starts_with("error: cannot read the prelude thre: "), "{message}");
    assert!(message.contains("did you mean `three`?; three and shadertoy need no file"), "{message}");
    // Extensions are enabled before it.
    folder.write("a.frag", SHADER.replace("precision", "#extension GL_EXT_blend_func_extended : enable\nprecision"));
    let (code, _, message) = compile(&["--prelude", "half.glsl"]);
    assert_eq!((code, message.as_str()), (Some(0), ""));
}

#[test]
fn shaders_of_three_compile_as_they_are() {
    let folder = Folder::new("three");
    std::fs::create_dir_all(folder.path().join("chunks")).expect("can be made");
    folder.write(
        "chunks/fog.glsl.js",
        "export default /* glsl */`\nfloat fog(float depth) {\n\treturn clamp(depth, 0.0, 1.0);\n}\n`;\n",
    );
    folder.write("chunks/tint.glsl", "uniform vec3 tint;\n");
    let vertex = "varying vec2 vUv;\nattribute float size;\nvoid main() {\n  vUv = uv * size;\n  \
                  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);\n}\n";
    let fragment = "#include <fog>\n#include <tint>\nvarying vec2 vUv;\nuniform sampler2D map;\nvoid main() {\n  \
                    vec4 texel = texture2D(map, vUv) * fog(cameraPosition.z);\n  \
                    gl_FragColor = linearToOutputTexel(texel * vec4(tint, 1.0));\n}\n";
    folder.write("a.vert", vertex);
    folder.write("a.frag", fragment);
    let args = ["compile", "a.vert", "a.frag", "--prelude", "three", "-I", "chunks", "--emit=wgsl,glsl"];
    let output = folder.planish(&args, "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(folder.read("a.vert.glsl").starts_with("#version 300 es"));
    assert!(folder.read("a.frag.wgsl").contains("@fragment"));
    // Places in a chunk are those in its module.
    folder.write(
        "chunks/fog.glsl.js",
        "export default /* glsl */`\nfloat fog(float depth) {\n\treturn nothing;\n}\n`;\n",
    );
    let output = folder.planish(&[&args[..], &["--message-format", "short"]].concat(), "");
    let message = text(&output.stderr);
    assert!(message.starts_with("chunks/fog.glsl.js:3:9: error[E0301]: unknown name `nothing`"), "{message}");
    // Without it, they are not GLSL ES 1.00 either.
    assert_eq!(folder.planish(&["check", "a.vert"], "").status.code(), Some(1));
}

#[test]
fn a_main_of_its_own_has_the_uniforms_of_shadertoy() {
    let main = "out vec4 c;\nvoid main() { c = vec4(iTime, iResolution.x, 0.0, 1.0); }\n";
    let image = "void mainImage(out vec4 c, in vec2 at) { c = vec4(at / iResolution.xy, 0.0, 1.0); }\n";
    let compile = |source: &str, args: &[&str]| {
        let output = planish(&[&["compile", "-", "--stage=fragment", "--emit=glsl"], args].concat(), source);
        (output.status.code(), text(&output.stdout))
    };
    assert_eq!(compile(main, &[]).0, Some(1));
    for source in [main, image] {
        let (code, shader) = compile(source, &["--prelude", "shadertoy"]);
        assert_eq!(code, Some(0));
        assert!(shader.contains("uniform vec3 iResolution") && shader.matches("void main()").count() == 1, "{shader}");
    }
}

#[test]
fn standard_input_may_have_a_name() {
    let folder = Folder::new("stdin");
    folder.write("lib.glsl", HALF);
    let source = SHADER
        .replace("precision", "#extension GL_GOOGLE_include_directive : enable\n#include \"lib.glsl\"\nprecision")
        .replace("c = vec4", "c = vec5");
    let run = |args: &[&str]| text(&folder.planish(&[args, &["-", "--message-format=short"]].concat(), &source).stderr);
    let message = run(&["check", "--stdin-name", "./sky.frag"]);
    assert!(message.starts_with("./sky.frag:6:19: error[E0301]"), "{message}");
    assert!(run(&["check"]).starts_with("<stdin>:6:19: error[E0301]"));
    // Its extension selects the language.
    let wgsl = "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }";
    let output = folder.planish(&["compile", "-", "--stdin-name", "a.wgsl", "--emit=glsl", "--out-dir", "o"], wgsl);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(folder.read("o/a.wgsl.glsl").contains("void main()"));
}

#[test]
fn lines_are_counted_as_the_program_says() {
    let source = "#version 300 es\nprecision highp float;\n#line 40 \"my/sky.glsl\"\nfloat f() { return wrong; }\n\
                  #line 7\nfloat g() { return wrong; }\n#line 90 2\nout vec4 c;\nvoid main() { c = wrong; }\n";
    let check = |format: &str| text(&planish(&["check", "-", "--message-format", format], source).stderr);
    let lines: Vec<String> = check("short").lines().map(|line| line.split(": ").next().unwrap_or("").into()).collect();
    assert_eq!(lines, ["my/sky.glsl:40:20", "my/sky.glsl:7:20", "my/sky.glsl:91:19"]);
    let human = check("human");
    assert!(human.contains("--> my/sky.glsl:40:20\n") && human.contains("40 | float f() { return wrong; }"), "{human}");
    let json = check("json");
    assert!(json.contains("\"file\":\"my/sky.glsl\",\"range\":{\"start\":{\"line\":39,"), "{json}");
}

/// WGSL finds modules by the paths that they define, below the folders of `-I`; the depfile has them.
#[test]
fn modules_of_wgsl_are_found_by_their_paths() {
    let folder = Folder::new("modules");
    std::fs::create_dir_all(folder.path().join("lib/deep")).expect("can be made");
    folder.write(
        "main.wgsl",
        "#import shapes::circle::area\n#import beside\n#import lib::plain\n@fragment fn main() -> @location(0) vec4f {\n\
         #ifdef LARGE\nreturn vec4f(area(2.0));\n#else\nreturn vec4f(area(1.0), beside::x, plain::x, #{ALPHA});\n#endif\n}\n",
    );
    folder.write(
        "lib/deep/round.wgsl",
        "#define_import_path shapes::circle\nfn area(r: f32) -> f32 { return 3.0 * r * r; }\n",
    );
    folder.write("other.wgsl", "#define_import_path beside\nconst x = 0.25;\n");
    folder.write("lib/plain.wgsl", "const x = 0.5;\n");
    let compile = |args: &[&str]| {
        folder.planish(&[&["compile", "main.wgsl", "-Ilib", "-O2", "--emit=wgsl", "-DALPHA=1.0"], args].concat(), "")
    };
    let output = compile(&["-o", "out.wgsl", "--depfile", "out.d"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(folder.read("out.wgsl").contains("vec4f(3.0, 0.25, 0.5, 1.0)"), "{}", folder.read("out.wgsl"));
    let read = &rules(&folder.read("out.d"))[0].1;
    assert_eq!(read[0], "main.wgsl");
    for file in ["lib/deep/round.wgsl", "other.wgsl", "lib/plain.wgsl"] {
        assert!(read.iter().any(|path| path.trim_start_matches("./") == file), "{file} in {read:?}");
    }
    assert!(text(&compile(&["-DLARGE"]).stdout).contains("vec4f(12.0)"));
    folder.write("common.wgsl", "fn area(r: f32) -> f32 { return 100.0 * r; }\nconst half = 0.5;\n");
    folder.write("plain.wgsl", "@fragment fn main() -> @location(0) vec4f { return vec4f(area(half)); }\n");
    let output = folder.planish(&["compile", "plain.wgsl", "--prelude=common.wgsl", "-O2", "--emit=wgsl"], "");
    assert!(text(&output.stdout).contains("vec4f(50.0)"), "{}", text(&output.stderr));
    folder.write(
        "lib/deep/round.wgsl",
        "#define_import_path shapes::circle\nfn area(r: f32) -> f32 { return 3.0 * q; }\n",
    );
    let said = text(&compile(&[]).stderr);
    assert!(said.contains("--> lib/deep/round.wgsl:2:39\n"), "{said}");
}
