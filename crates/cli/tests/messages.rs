//! Formats of messages, levels of warnings, suggestions, and values of specialization constants.

use planish::diagnostic::CODES;
use serde_json::Value;

use crate::common::{Folder, planish, root, text};

const UNUSED: &str = "#version 300 es\nprecision highp float;\nout vec4 c;\nvoid main() {\n    float unused = 1.0;\n    c = vec4(1.0);\n}\n";
const BAD: &str =
    "#version 300 es\nprecision highp float;\nout vec4 colour;\nvoid main() {\n    color = vec4(1.0);\n}\n";

fn check(args: &[&str], source: &str) -> (Option<i32>, String) {
    let output = planish(&[&["check", "-", "--message-format=short"], args].concat(), source);
    (output.status.code(), text(&output.stderr))
}

#[test]
fn warnings_have_levels() {
    let warning = check(&[], UNUSED);
    assert_eq!((warning.0, warning.1.contains(": warning[W0101]: ")), (Some(0), true), "{}", warning.1);
    let error = (Some(1), warning.1.replace("warning[", "error["));
    let none = (Some(0), String::new());
    for (args, wanted) in [
        (&["--allow", "unused-variable"][..], &none),
        (&["--allow", "w0101"], &none),
        (&["--allow", "all"], &none),
        (&["--deny", "unused-variable"], &error),
        (&["--deny", "all"], &error),
        // One that is named is treated as it says.
        (&["--deny", "all", "--allow", "unused-variable"], &none),
        (&["--allow", "all", "--warn", "W0101"], &warning),
        (&["--deny", "all", "--warn", "unused-variable,no-effect"], &warning),
        (&["--deny", "unreachable-code"], &warning),
    ] {
        assert_eq!(&check(args, UNUSED), wanted, "{args:?}");
    }
    let refused = |args: &[&str], message: &str| {
        assert_eq!(check(args, UNUSED), (Some(2), format!("error: {message}\n")), "{args:?}");
    };
    refused(&["--deny", "unused-varable"], "there is no warning `unused-varable`; did you mean `unused-variable`?");
    refused(&["--deny", "all", "--allow", "all"], "`all` cannot be of two levels, allow and deny");
    refused(&["--deny", "W0101", "--allow", "unused-variable"], "`W0101` cannot be of two levels, allow and deny");
}

#[test]
fn the_page_lists_all_warnings() {
    let page = std::fs::read_to_string(root().join("docs/command.md")).expect("is there");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | [W"));
    let rows: Vec<(String, String)> =
        rows.map(|(name, rest)| (name.to_owned(), format!("W{}", rest.split(']').next().unwrap_or("")))).collect();
    let known = CODES.iter().filter(|info| info.code.0.starts_with('W'));
    let known: Vec<_> = known.map(|info| (info.name.to_owned(), info.code.0.to_owned())).collect();
    assert_eq!(rows, known);
    assert!(CODES.iter().all(|info| info.code.0.starts_with('W') != info.name.is_empty()));
}

#[test]
fn a_denied_warning_is_an_error_that_leaves_no_output() {
    let folder = Folder::new("denied");
    folder.write("a.frag", UNUSED);
    for args in [&["-o", "a.wgsl", "--deny=all"][..], &["-o", "a.wgsl", "--vulkan", "--deny=no-effect"]] {
        let output = folder.planish(&[&["compile", "a.frag"], args].concat(), "");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert_eq!(folder.contents().len(), 1);
    }
}

#[test]
fn annotations_of_github_are_lines() {
    let output = planish(&["check", "-", "--stdin-name", "a,b.frag", "--message-format", "github"], BAD);
    let message = text(&output.stderr);
    let start = "::error file=a%2Cb.frag,line=5,col=5,endLine=5,endColumn=10,title=E0301::unknown name `color`";
    assert!(message.starts_with(start) && message.lines().count() == 1, "{message}");
    assert!(message.contains("%0A"), "help is on a line of its own: {message}");
    let output = planish(&["check", "no.frag", "--message-format", "github"], "");
    assert!(text(&output.stderr).starts_with("::error::cannot read no.frag: "));
}

fn sarif(args: &[&str], folder: &Folder) -> (Option<i32>, Value) {
    let output = folder.planish(&[args, &["--message-format", "sarif"]].concat(), "");
    let message = text(&output.stderr);
    (output.status.code(), serde_json::from_str(&message).unwrap_or_else(|error| panic!("{error}: {message}")))
}

/// The parts that the schema of SARIF 2.1.0 requires, and that readers rely on.
fn check_structure(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("there are rules");
    assert_eq!(run["tool"]["driver"]["name"], "planish");
    for result in run["results"].as_array().expect("there are results") {
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["message"]["text"].is_string());
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap_or_default()));
        for location in result["locations"].as_array().into_iter().flatten() {
            let place = &location["physicalLocation"];
            assert!(place["artifactLocation"]["uri"].is_string());
            let region = &place["region"];
            assert!(region["startLine"].as_u64() >= Some(1) || region["byteOffset"].is_u64(), "{region}");
        }
    }
}

#[test]
fn sarif_is_one_document() {
    let folder = Folder::new("sarif");
    folder.write("my shader.frag", BAD);
    folder.write("b.frag", UNUSED);
    folder.write("c.frag", "void main() { }\n");
    let (code, log) = sarif(&["check", "my shader.frag", "b.frag", "c.frag"], &folder);
    assert_eq!(code, Some(1));
    check_structure(&log);
    let results = log["runs"][0]["results"].as_array().expect("there are results");
    assert_eq!(results[0]["ruleId"], "E0301");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20shader.frag");
    assert_eq!(place["region"], serde_json::json!({"startLine": 5, "startColumn": 5, "endLine": 5, "endColumn": 10}));
    let fix = &results[0]["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"];
    assert_eq!(fix, "colour");
    assert_eq!(results[1]["ruleId"], "W0101");
    assert_eq!(results[1]["ruleIndex"], 1);
    // A program without errors has no results.
    let (code, log) = sarif(&["check", "c.frag"], &folder);
    check_structure(&log);
    assert_eq!((code, log["runs"][0]["results"].as_array().map(Vec::len)), (Some(0), Some(0)));
    // All else is a notification.
    let (code, log) = sarif(&["check", "none.frag"], &folder);
    let notification = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(code, Some(2));
    assert!(notification.as_str().unwrap_or_default().starts_with("cannot read none.frag"), "{log}");
    // Jobs on several threads.
    let (_, log) = sarif(&["compile", "my shader.frag", "b.frag", "--emit=ir", "--out-dir", "out"], &folder);
    check_structure(&log);
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(2));
}

#[test]
fn misspelled_values_have_suggestions() {
    let said = |args: &[&str]| {
        let output = planish(args, UNUSED);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        text(&output.stderr)
    };
    for (args, near) in [
        (&["compile", "-", "--emit=wgls"][..], "wgsl"),
        (&["compile", "-", "-o", "a.wgls"], "wgsl"),
        (&["compile", "-", "--from=gsl", "--emit=ir"], "glsl"),
        (&["compile", "-", "--passes=promote_variabels", "--emit=ir"], "promote_variables"),
        (&["compile", "-", "--limit=unrol_iterations=3", "--emit=ir"], "unroll_iterations"),
        (&["print", "-", "--after=schedul"], "schedule"),
    ] {
        let message = said(args);
        assert!(message.contains(&format!("did you mean `{near}`?")), "{args:?}: {message}");
    }
}

#[test]
fn specialization_constants_get_their_values() {
    let source = "#version 450\nlayout(constant_id = 3) const int COUNT = 4;\nlayout(constant_id = 5) const bool ON = false;\n\
                  layout(location = 0) out vec4 c;\nvoid main() { c = ON ? vec4(COUNT) : vec4(0.25); }\n";
    let compile = |args: &[&str]| {
        let all = [&["compile", "-", "--stage=fragment", "--emit=wgsl", "-O2"], args].concat();
        let output = planish(&all, source);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let open = compile(&[]).1;
    assert!(open.contains("@id(3) override COUNT") && open.contains("@id(5) override ON"), "{open}");
    let (code, closed, _) = compile(&["--override", "COUNT=7", "--override", "5=true"]);
    assert_eq!(code, Some(0));
    assert!(closed.contains("vec4f(7.0)") && !closed.contains("override") && !closed.contains("0.25"), "{closed}");
    let refused = |args: &[&str], message: &str| {
        let (code, output, said) = compile(args);
        assert_eq!((code, output.as_str(), said), (Some(2), "", format!("error: {message}\n")), "{args:?}");
    };
    refused(&["--override=COUTN=7"], "there is no specialization constant `COUTN`; did you mean `COUNT`?");
    refused(&["--override=COUNT=7.5"], "the specialization constant `COUNT` cannot be `7.5`: it is i32");
    refused(&["--override=COUNT=4294967295"], "the specialization constant `COUNT` cannot be `4294967295`: it is i32");
    refused(&["--override=COUNT"], "--override takes NAME=VALUE, not `COUNT`");
}

/// A size that a constant gives is that of the work group too.
#[test]
fn overrides_set_the_size_of_work_groups() {
    let source = "#version 450\nlayout(local_size_x_id = 2) in;\nlayout(std430, binding = 0) buffer B { uint n; };\n\
                  void main() { n = gl_WorkGroupSize.x; }\n";
    let args = ["compile", "-", "--stage=compute", "--emit=wgsl", "--override=2=64"];
    let output = planish(&args, source);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shader = text(&output.stdout);
    assert!(shader.contains("@workgroup_size(64") && !shader.contains("override"), "{shader}");
}

/// Overrides without a number have their names in WGSL, and what is computed from them follows them.
#[test]
fn overrides_of_wgsl_without_a_number() {
    let source = "override gain: f32 = 2.0;\noverride count: u32;\n@id(0) override on: bool = true;\noverride twice = 2.0 * gain;\n\
                  override width: u32 = 8;\nvar<workgroup> rows: array<f32, width * 2>;\n\
                  @group(0) @binding(0) var<storage, read_write> result: array<f32>;\n\
                  @compute @workgroup_size(4, count)\nfn main(@builtin(local_invocation_index) i: u32) {\n\
                  rows[i] = twice;\nworkgroupBarrier();\nresult[i] = select(rows[(i + 1) % (width * 2)], f32(count), on);\n}\n";
    let compile = |args: &[&str]| {
        let all = [&["compile", "-", "--from=wgsl", "--emit=wgsl", "-O2"], args].concat();
        let output = planish(&all, source);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, shader, said) = compile(&["--override=count=3"]);
    assert_eq!(code, Some(0), "{said}");
    for part in [
        "\noverride gain: f32 = 2.0;",
        "@id(0) override on: bool = true;",
        "array<f32, 16>",
        "@workgroup_size(4, 3)",
        "gain * 2.0",
    ] {
        assert!(shader.contains(part), "{part} in {shader}");
    }
    assert_eq!(shader.matches("override ").count(), 2, "{shader}");
    assert!(said.starts_with("warning[W0111]: the override `width` is fixed at its default value: "), "{said}");
    let (_, shader, said) = compile(&["--override=count=3", "--override=width=4", "--override=gain=8"]);
    assert!(shader.contains("array<f32, 8>") && shader.contains("= 16.0") && !shader.contains("gain"), "{shader}");
    assert_eq!(said, "");
    let (_, shader, _) = compile(&["--override=count=3", "--override=twice=5", "--override=0=false"]);
    assert!(shader.contains("= 5.0") && !shader.contains("override"), "{shader}");
    let (code, _, said) = compile(&["--allow=fixed-override"]);
    assert_eq!(code, Some(1));
    assert!(said.starts_with("error[E0705]: the override `count` has no value\n --> <stdin>:2:1\n"), "{said}");
    assert!(said.contains("`--override count=VALUE`"), "{said}");
    let (_, _, said) = compile(&["--override=count=-3"]);
    assert!(said.starts_with("error[E0705]: the override `count` cannot be `-3`: it is u32\n"), "{said}");
    let (code, _, said) = compile(&["--override=count=3", "--override=gian=8"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.ends_with("there is no specialization constant `gian`; did you mean `gain`?\n"), "{said}");
    let check = planish(&["check", "-", "--from=wgsl", "--override=count=3", "--override=width=2"], source);
    assert!(check.status.success(), "{}", text(&check.stderr));
}
