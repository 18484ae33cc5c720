//! The command as a user meets it: what it prints where, and how it exits.

use std::path::{Path, PathBuf};

use crate::common::{planish, root, text};

const GOOD: &str = "#version 300 es\nprecision mediump float;\nout vec4 c;\nvoid main() { c = vec4(1.0); }\n";
const BAD: &str =
    "#version 300 es\nprecision mediump float;\nout vec4 colour;\nvoid main() {\n    color = vec4(1.0);\n}\n";

/// The sample of the IR's listing, through preprocessor, parser, checker and dump.
#[test]
fn the_dump_of_the_sample_is_the_listing() {
    let sample = "#version 310 es
precision mediump float;
layout(early_fragment_tests) in;
out vec4 color;
void main()
{
    vec2 result = vec2(0, 0);
    for (int i = 0; i < 10; ++i)
    {
        result.yx += vec2(i, exp(float(i)));
    }
    color = result.x > result.y ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
}
";
    let output = planish(&["print", "-", "--dump", "-O0"], sample);
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(|l| l.trim_end().to_owned()).filter(|l| !l.is_empty()).collect()
    };
    let listing = std::fs::read_to_string(root().join("crates/ir/tests/data/sample.dump")).expect("is there");
    assert_eq!(lines(&text(&output.stdout)), lines(&listing));
    assert_eq!(lines(&listing).len(), 109);
    assert!(output.status.success());
}

#[test]
fn errors_go_to_standard_error_and_exit_with_1() {
    let output = planish(&["check", "-"], BAD);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let message = text(&output.stderr);
    assert!(message.contains("error[E0301]: unknown name `color`"), "{message}");
    assert!(message.contains("did you mean `colour`?"), "{message}");
    assert!(!message.contains('\u{1b}'), "no colours in a pipe: {message}");
    assert!(message.trim_end().ends_with("1 error"), "{message}");
}

#[test]
fn options_without_effect_on_a_target_are_said_so() {
    let run = |args: &[&str]| {
        let all = [&["compile", "-", "--message-format", "short"], args].concat();
        let output = planish(&all, GOOD);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    for (args, targets) in [
        (&["--glsl-version", "450", "--emit", "wgsl"][..], "wgsl"),
        (&["--minify", "--emit", "dump"], "dump"),
        (&["--msl-version", "3.0", "--emit", "wgsl"], "wgsl"),
        (&["--msl-index", "a=1", "--emit", "wgsl"], "wgsl"),
        (&["--msl-argument-buffers", "--emit", "hlsl"], "hlsl"),
        (&["--vulkan", "--emit", "hlsl"], "hlsl"),
        (&["--flip-y", "--emit", "glsl"], "glsl"),
        (&["--adjust-depth", "--emit", "ir"], "ir"),
        (&["--spirv-version", "1.5", "--emit", "dump"], "dump"),
        (&["--debug-info", "--emit", "msl"], "msl"),
        (&["--group", "3", "--emit", "glsl"], "glsl"),
        (&["--bind", "a=0:1", "--emit", "glsl"], "glsl"),
    ] {
        let expected = format!("warning[W0151]: {} has no effect on {targets}", args[0]);
        assert_eq!(run(args).trim_end(), expected, "{args:?}");
    }
    for args in [
        &["--glsl-version", "450", "--emit", "glsl"][..],
        &["--minify", "--emit", "glsl"],
        &["--minify", "--emit", "msl", "--msl-version", "3.0", "--msl-index", "a=1", "--msl-argument-buffers"],
        &["--flip-y", "--emit", "wgsl"],
    ] {
        assert_eq!(run(args), "", "{args:?}");
    }
}

#[test]
fn short_and_json_messages() {
    let output = planish(&["check", "-", "--message-format", "short"], BAD);
    assert_eq!(text(&output.stderr), "<stdin>:5:5: error[E0301]: unknown name `color`\n");
    let output = planish(&["check", "-", "--message-format", "json"], BAD);
    let line = text(&output.stderr);
    assert_eq!(line.lines().count(), 1);
    let wanted =
        ["\"schema\":1", "\"code\":\"E0301\"", "\"start\":{\"line\":4,\"character\":4}", "\"newText\":\"colour\""];
    for part in wanted {
        assert!(line.contains(part), "{part} is not in {line}");
    }
}

/// The files are checked on all cores; what is said about them comes as if it were one after the other.
#[test]
fn the_messages_of_many_files_come_in_their_order() {
    let folder = root().join("tests/invalid/semantics");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("is there")
        .map(|entry| entry.expect("can be read").path().display().to_string())
        .filter(|path| path.ends_with(".frag"))
        .collect();
    files.sort_by_key(|path| path.len());
    let check = |files: &[String]| {
        let args: Vec<&str> =
            ["check", "--message-format", "short"].into_iter().chain(files.iter().map(|f| &**f)).collect();
        let output = planish(&args, "");
        (output.status.code(), text(&output.stderr))
    };
    let one_by_one: String = files.iter().map(|file| check(std::slice::from_ref(file)).1).collect();
    assert_eq!(check(&files), (Some(1), one_by_one));
    // Diagnostics of the files before one that cannot be read are printed.
    files.insert(2, "no/such/file.frag".into());
    let (code, said) = check(&files);
    let before = check(&files[..2]).1;
    assert_eq!(code, Some(2));
    assert!(!before.is_empty() && said.starts_with(&before), "{said}");
    assert!(said[before.len()..].starts_with("error: cannot read no/such/file.frag"), "{said}");
}

#[test]
fn a_malformed_binary_is_an_error_of_the_program() {
    let found = std::fs::read(root().join("fuzz/regressions/spirv-float-of-3-bits")).expect("is there");
    let file = std::env::temp_dir().join(format!("planish-malformed-{}.spv", std::process::id()));
    std::fs::write(&file, &found[1..]).expect("can be written");
    let output = planish(&["check", "--message-format", "short", &file.display().to_string()], "");
    std::fs::remove_file(&file).expect("is there");
    assert_eq!(output.status.code(), Some(1));
    let place = format!("{}: offset 0x71c", file.display());
    let said = text(&output.stderr);
    assert_eq!(said, format!("{place}: error[E0703]: the instruction at word 455 is cut off\n"));
}

#[test]
fn every_target_of_a_shader() {
    for (target, part) in [
        ("glsl", "#version 300 es"),
        ("wgsl", "@fragment"),
        ("msl", "#include <metal_stdlib>"),
        ("hlsl", "SV_Target0"),
        ("reflect", "\"entry"),
        ("ir", "module glsl 300 es"),
        ("dump", "Fragment Shader"),
    ] {
        let output = planish(&["compile", "-", "--emit", target], GOOD);
        assert!(output.status.success(), "{target}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains(part), "{target}: {}", text(&output.stdout));
    }
    let output = planish(&["compile", "-", "--emit", "spirv"], GOOD);
    assert_eq!(output.stdout[..4], [0x03, 0x02, 0x23, 0x07]);
}

#[test]
fn wrong_usage_exits_with_2() {
    for args in [
        &["compile", "-"][..],
        &["compile", "-", "--emit", "cobol"],
        &["compile", "-", "-o", "out.unknown"],
        &["check", "no/such/file.frag"],
        &["explain", "E9999"],
        &["print", "-", "-O", "7"],
        &["run", "-", "-o", "x.png", "--size", "0x0"],
        &["frobnicate"],
    ] {
        let output = planish(args, GOOD);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).starts_with("error: "), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn pages_targets_and_completions() {
    assert!(text(&planish(&["explain", "e0301"], "").stdout).starts_with("E0301: unknown name\n======"));
    let targets = text(&planish(&["targets"], "").stdout);
    assert!(
        ["glsl", "wgsl", "spirv", "msl", "hlsl", "js", "asmjs", "dts"].iter().all(|t| targets.contains(t)),
        "{targets}"
    );
    assert!(text(&planish(&["completions", "bash"], "").stdout).contains("_planish"));
}

#[test]
fn a_picture_and_a_function() {
    let file = std::env::temp_dir().join(format!("planish-{}.png", std::process::id()));
    let name = file.to_string_lossy().into_owned();
    let source = "#version 300 es\nprecision highp float;\nuniform float level;\nout vec4 c;\nvoid main() { c = vec4(level); }\n";
    let output = planish(&["run", "-", "-o", &name, "--size", "4x2", "-D", "level=0.5"], source);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let bytes = std::fs::read(&file).expect("was written");
    std::fs::remove_file(&file).expect("can be removed");
    assert_eq!(&bytes[1..4], b"PNG");

    let ir = "module ir\n\nfn @twice(%0: i32) -> (i32) {\nb0:\n  %1 = add %0, %0\n  return %1\n}\n";
    let output = planish(&["run", "-", "--from", "ir", "--invoke", "twice", "--", "-21"], ir);
    assert_eq!(text(&output.stdout), "-42\n", "{}", text(&output.stderr));
}

/// JavaScript by name and by extension: asm.js, a module, and its declarations.
#[test]
fn functions_become_javascript() {
    let ir = "module ir\n\nfn @twice(%0 x: f64) -> (f64) {\nb0:\n  %1 = add %0, %0\n  return %1\n}\n";
    let emitted = |target| text(&planish(&["compile", "-", "--from", "ir", target], ir).stdout);
    assert_eq!(emitted("--emit=js"), "export function twice(x) {\n  return x + x;\n}\n");
    assert_eq!(emitted("--emit=dts"), "export function twice(x: number): number;\n");
    assert!(emitted("--emit=asmjs").contains("\"use asm\";"));
    let folder = folder("javascript");
    for (name, words) in [("a.asm.js", "use asm"), ("a.mjs", "export"), ("a.js", "export"), ("a.d.ts", "number")] {
        let file = folder.join(name);
        let output = planish(&["compile", "-", "--from", "ir", "-o", &file.to_string_lossy()], ir);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(std::fs::read_to_string(&file).expect("was written").contains(words), "{name}");
    }
    std::fs::remove_dir_all(&folder).expect("can be removed");
}

/// A folder for a test's files.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("planish-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("can be made");
    folder
}

#[test]
fn stages_of_a_program_share_their_locations() {
    let folder = folder("stages");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let [vertex, fragment] = ["a.vert", "a.frag"].map(path);
    let head = "#version 300 es\nprecision highp float;\n";
    let stages = |taken: &str| {
        let outputs = "out vec3 normal; out vec2 uv; out float depth;";
        let main = "void main() { normal = vec3(1.0); uv = vec2(0.5); depth = 0.25; gl_Position = vec4(1.0); }";
        std::fs::write(&vertex, format!("{head}{outputs}\n{main}\n")).expect("can be written");
        let main = "void main() { c = vec4(uv.xy, depth, 1.0); }";
        std::fs::write(&fragment, format!("{head}out vec4 c;\n{taken}\n{main}\n")).expect("can be written");
    };
    // Alone, each stage would count its varyings for itself, and the second would begin with `depth`.
    stages("in float depth; in vec2 uv;");
    let output = planish(&["compile", &vertex, &fragment, "--emit=wgsl,reflect"], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let places = |file: &str, kind: &str| -> Vec<(String, String)> {
        let text = std::fs::read_to_string(path(file)).expect("was written");
        let all = text.split("@location(").skip(1).map(|part| {
            let (number, rest) = part.split_once(')').expect("is closed");
            let name: String =
                rest.trim_start_matches(" @interpolate(flat)").trim().chars().take_while(|c| *c != ':').collect();
            (name, number.to_owned())
        });
        all.filter(|(name, _)| !name.is_empty() && kind.contains(&**name)).collect()
    };
    let mut given = places("a.vert.wgsl", "uv depth");
    let mut taken = places("a.frag.wgsl", "uv depth");
    given.sort();
    taken.sort();
    taken.dedup();
    given.dedup();
    assert_eq!((given.len(), &given), (2, &taken));
    assert!(Path::new(&path("a.frag.json")).exists());

    stages("in float depth; in vec3 uv;");
    let output = planish(&["compile", &fragment, &vertex, "--emit=wgsl"], "");
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains("error[E1001]: `uv` has another type in the vertex shader"), "{told}");
    assert!(told.contains("a.vert:3:") && told.contains("a.frag:4:"), "{told}");
    std::fs::remove_dir_all(&folder).expect("can be removed");
}

#[test]
fn a_compute_shader_changes_its_buffers() {
    let source = "#version 430
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Data { uint count; vec2 scale; float items[]; } data;
layout(std430, binding = 1) buffer Log { int seen[3]; };
uniform float add;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < uint(data.items.length())) data.items[i] = data.items[i] * data.scale.x + add;
    atomicAdd(data.count, 1u);
    if (i == 5u) seen[1] = -7;
}
";
    let folder = folder("compute");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let run = |args: &[&str]| {
        let output =
            planish(&[&["run", "-", "--stage", "compute", "-D", "add=0.5", "--groups", "2"], args].concat(), source);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        output.stdout
    };
    // An array without a size has an element for each of the 8 invocations where nothing is given.
    let told = text(&run(&[]));
    let halves = ["0.5"; 8].join(",");
    assert_eq!(told, format!("data.count = 8\ndata.scale = [0.0,0.0]\ndata.items = [{halves}]\nLog.seen = [0,-7,0]\n"));

    let [json, bytes] = ["out.json", "out.bin"].map(path);
    let given = ["--buffer", "data=1,2,0,10,20,-30", "--buffer", "Log=4"];
    run(&[&given[..], &["-o", &json]].concat());
    let written = std::fs::read_to_string(&json).expect("was written");
    let wanted =
        "{\"data\":{\"count\":9,\"scale\":[2.0,0.0],\"items\":[20.5,40.5,-59.5]},\"Log\":{\"seen\":[4,-7,0]}}\n";
    assert_eq!(written, wanted);
    // The output is valid input.
    let told = text(&run(&["--buffer", &format!("@{json}")]));
    assert!(told.contains("data.count = 17\n") && told.contains("data.items = [41.5,81.5,-118.5]\n"), "{told}");

    run(&[&given[..], &["-o", &bytes, "--target", "data"]].concat());
    let written = std::fs::read(&bytes).expect("was written");
    assert_eq!(written.len(), 28, "a number, 4 bytes of padding, two numbers, three elements");
    assert_eq!((written[0], &written[16..20]), (9, &20.5f32.to_le_bytes()[..]));
    let told = text(&run(&["--buffer", &format!("data=@{bytes}")]));
    assert!(told.contains("data.items = [41.5,81.5,-118.5]\n"), "{told}");
    std::fs::remove_dir_all(&folder).expect("can be removed");

    for (args, message) in [
        (&["--buffer", "dat=1"][..], "there is no buffer `dat`; there are: `data`, `Log`"),
        (&["--buffer", "Log=1,2,3,4"], "`Log`: it has 3 components, not 4"),
        (&["--groups", "0"], "`0` is no number of work groups; write X,Y,Z"),
        (&["-o", "x.bin"], "which buffer? Give --target; there are: `data`, `Log`"),
    ] {
        let output = planish(&[&["run", "-", "--stage", "compute"], args].concat(), source);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), format!("error: {message}\n")));
    }
}

#[test]
fn one_of_several_outputs_is_drawn() {
    let source = "#version 300 es\nprecision highp float;\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 b;\n\
        void main() { a = vec4(0.0); b = vec4(1.0); }\n";
    let run = |target: &[&str]| {
        let output = planish(&[&["run", "-", "-o", "-", "--size", "8x8"], target].concat(), source);
        (output.status.code(), output.stdout, text(&output.stderr))
    };
    let [usual, a, b] = [&[][..], &["--target", "a"], &["--target", "b"]].map(run);
    assert_eq!((usual.0, &usual.1), (Some(0), &a.1));
    assert_ne!(a.1, b.1);
    assert!(run(&["--target", "c"]).2.contains("there is no `c`; there are: a, b"));
}

const UNUSED: &str = "#version 300 es
precision mediump float;
out vec4 c;
float unused(float x) { return x * 2.0; }
void main() { float y = 3.0; float z = y * 2.0; c = vec4(1.0); }
";

#[test]
fn what_passes_did_and_how_long_it_took() {
    let passes = ["remove_unreachable_functions", "eliminate_dead_code", "propagate_precision"];
    let listed = format!("--passes={}", passes.join(","));
    let output = planish(&["compile", "-", "--emit=glsl", "--stats", "--time-passes", &listed], UNUSED);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = text(&output.stderr);
    let rows: Vec<&str> = told.lines().filter_map(|l| Some(l.split_once('%')?.1.trim())).collect();
    assert_eq!(rows, [&["front end"][..], &passes, &["write glsl", "all"]].concat(), "{told}");

    let output = planish(&["compile", "-", "--emit=glsl", "--time-passes", "--message-format=json"], UNUSED);
    let told = text(&output.stderr);
    let last = told.lines().last().unwrap_or_default();
    assert!(last.starts_with("{\"schema\":1,\"times\":[{\"what\":\"front end\",\"seconds\":"), "{told}");
}

#[test]
fn the_ir_between_passes() {
    let ir = |args: &[&str]| {
        let output = planish(&[&["print", "-"], args].concat(), UNUSED);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let twice = "--passes=eliminate_dead_code,remove_unreachable_functions,eliminate_dead_code";
    // The first run of the first pass leaves the function that nothing calls.
    assert!(ir(&[twice, "--after=eliminate_dead_code:1"]).contains("@unused"));
    assert!(!ir(&[twice, "--after=eliminate_dead_code:2"]).contains("@unused"));
    assert_eq!(ir(&[twice, "--after=eliminate_dead_code"]), ir(&[twice]));
    let all = ir(&[twice, "--after-all"]);
    let heads: Vec<&str> = all.lines().filter_map(|l| l.strip_prefix("// after ")).collect();
    assert_eq!(heads, ["eliminate_dead_code", "remove_unreachable_functions", "eliminate_dead_code:2"]);

    let changed = ir(&[twice, "--changed"]);
    let heads: Vec<&str> = changed.lines().filter_map(|l| l.strip_prefix("// changed by ")).collect();
    assert_eq!(
        heads,
        ["eliminate_dead_code", "remove_unreachable_functions"],
        "the last pass finds nothing: {changed}"
    );
    assert!(changed.starts_with(&format!("// at the start\n{}", ir(&["-O0"]))));
    assert!(changed.contains("\n-fn @unused("), "{changed}");
    assert!(!changed.contains("\n+"), "nothing comes in: {changed}");
}

#[test]
fn options_of_the_optimizer() {
    for args in [
        &["--limit", "unroll_iterations=3", "--limit=nesting=7"][..],
        &["--fast-math", "--no-fast-math", "--inline-all", "--chaos-seed", "3"],
        &["--remarks", "--vectorize"],
        &["--remarks=missed,limit,eliminate_dead_code"],
    ] {
        let output = planish(&[&["compile", "-", "--emit=glsl"], args].concat(), UNUSED);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    }
    for (args, message) in [
        (
            &["--limit", "unrol_iterations=3"][..],
            "there is no limit `unrol_iterations`; did you mean `unroll_iterations`?",
        ),
        (&["--limit", "nesting=many"], "`many` is no value of `nesting`: a number"),
        (&["--limit", "nesting"], "`nesting` is not NAME=VALUE"),
        (
            &["--remarks=mised"],
            "`mised` is neither a kind of remark (passed, missed, limit, all) nor a pass; did you mean `missed`?",
        ),
        (
            &["--passes=eliminate_dead_cod"],
            "there is no pass `eliminate_dead_cod`; did you mean `eliminate_dead_code`?",
        ),
    ] {
        let output = planish(&[&["compile", "-", "--emit=glsl"], args].concat(), UNUSED);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), format!("error: {message}\n")));
    }
    let after = planish(&["print", "-", "--after=eliminate_dead_code:2"], UNUSED);
    let message = "error: `eliminate_dead_code` does not run so often that there is a `eliminate_dead_code:2`\n";
    assert_eq!(text(&after.stderr), message);
    let listed = text(&planish(&["passes"], "").stdout);
    let rows = ["\n`-O1`  ", "\n`eliminate_dead_code`  ", "\n`unroll_iterations`  "];
    assert!(rows.iter().all(|row| listed.contains(row)) && !listed.contains('|'), "{listed}");
}

const LOOPS: &str = "#version 300 es
precision highp float;
uniform int n;
out vec4 c;
void main() {
    float x = 0.0;
    for (int i = 0; i < 3; i++) x += 0.25;
    for (int i = 0; i < n; i++) x *= x + 0.5;
    c = vec4(x);
}
";

#[test]
fn remarks_point_at_the_source() {
    let told = |args: &[&str]| {
        let output = planish(
            &[&["compile", "-", "--emit=glsl", "-O2", "--passes=promote_variables,unroll_loops"], args].concat(),
            LOOPS,
        );
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    let all = told(&["--remarks", "--message-format=short"]);
    let unrolled = "<stdin>:7:5: remark[Unrolled]: ";
    assert!(
        all.lines().any(|l| l.starts_with(unrolled) && l.ends_with("(passed by `unroll_loops` in `main`)")),
        "{all}"
    );
    assert_eq!(told(&["--remarks=limit,unroll_loops", "--message-format=short"]), "");
    assert_eq!(told(&["--remarks=promote_variables,passed", "--message-format=short"]), "");
    let human = told(&["--remarks=passed"]);
    assert!(human.contains("7 |     for (int i = 0; i < 3; i++) x += 0.25;\n  |     ^^^"), "{human}");
    let counts = told(&["--stats"]);
    assert!(
        counts.lines().any(|l| l.split_whitespace().collect::<Vec<_>>() == ["unroll_loops", "Unrolled", "1"]),
        "{counts}"
    );
    // A bound that is reached.
    let bounded = told(&["--remarks=passed", "--limit=unroll_iterations=2", "--message-format=short"]);
    assert!(!bounded.contains("[Unrolled]"), "{bounded}");
}

#[test]
fn remarks_as_records_of_llvm() {
    let folder = folder("records");
    let name = folder.join("records.yaml").to_string_lossy().into_owned();
    let output = planish(&["compile", "-", "--emit=glsl", "-O2", "--remarks-yaml", &name], LOOPS);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    let records = std::fs::read_to_string(&name).expect("was written");
    std::fs::remove_dir_all(&folder).expect("can be removed");
    let place = "DebugLoc:        { File: '<stdin>', Line: 7, Column: 5 }\nFunction:        'main'\nArgs:\n  - String:          '";
    let wanted = format!("--- !Passed\nPass:            unroll_loops\nName:            Unrolled\n{place}");
    assert!(records.contains(&wanted), "{records}");
    assert!(records.ends_with("'\n...\n"));
}

const WAT: &str = "(module
  (memory 1)
  (func $double (export \"double\") (param i64) (result i64)
    (i64.mul (local.get 0) (i64.const 2)))
  (func $far (export \"far\") (result i32)
    (i32.load (i32.const 65536))))
";

#[test]
fn a_webassembly_text_is_run_and_shown() {
    let output = planish(&["run", "-", "--invoke", "double", "--", "-21"], WAT);
    assert_eq!(text(&output.stdout), "-42\n");
    let output = planish(&["run", "-", "--invoke", "far"], WAT);
    let said = text(&output.stderr);
    assert!(said.contains("out of bounds memory access") && said.contains("--> <stdin>:6:"), "{said}");
    let output = planish(&["print", "-", "-O0"], WAT);
    assert!(text(&output.stdout).contains("%1 = multiply %0, 2l"), "{}", text(&output.stdout));
    let output = planish(&["check", "-"], "(module (func (result i32)\n  f32.const 1))");
    let said = text(&output.stderr);
    assert!(said.contains("error[E1202]: type mismatch") && said.contains("<stdin>:1:"), "{said}");
    assert_eq!(output.status.code(), Some(1));
}

/// A binary has no lines: offsets and functions say where something is.
#[test]
fn places_in_a_webassembly_binary_are_offsets() {
    // (module (func (export "f") (result i32) i32.const 1 i32.const 0 i32.div_s))
    let code = [0x00, 0x41, 0x01, 0x41, 0x00, 0x6d, 0x0b];
    let mut bytes = b"\0asm\x01\0\0\0\x01\x05\x01\x60\0\x01\x7f\x03\x02\x01\0\x07\x05\x01\x01f\0\0\x0a".to_vec();
    bytes.extend([code.len() as u8 + 2, 1, code.len() as u8]);
    bytes.extend(code);
    let folder = std::env::temp_dir().join(format!("planish-wasm-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("f.wasm");
    std::fs::write(&file, &bytes).expect("is written");
    let output = planish(&["run", &file.display().to_string(), "--invoke", "f"], "");
    let said = text(&output.stderr);
    assert!(said.contains("integer divide by zero") && said.contains("f.wasm: offset 0x23 in function $f"), "{said}");
    let at = bytes.len() - 2;
    bytes[at] = 0x92;
    std::fs::write(&file, &bytes).expect("is written");
    let output = planish(&["check", &file.display().to_string()], "");
    let said = text(&output.stderr);
    assert!(said.contains("error[E1202]: type mismatch"), "{said}");
    assert!(said.contains("f.wasm: offset 0x23 in function $f"), "{said}");
    let output = planish(&["check", &file.display().to_string(), "--message-format=short"], "");
    assert!(
        text(&output.stderr).contains("f.wasm: offset 0x23 in function $f: error[E1202]: "),
        "{}",
        text(&output.stderr)
    );
    std::fs::remove_dir_all(folder).expect("is removed");
}
