//! Effects of the command on files: only outputs are written, each whole or not at all, and none of them was read.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{Folder, text};

const GOOD: &str = "#version 300 es\nprecision highp float;\nout vec4 c;\nvoid main() { c = vec4(1.0); }\n";

const BAD: &str = "#version 300 es\nprecision highp float;\nout vec4 c;\nvoid main() { c = nothing; }\n";

fn refused(folder: &Folder, args: &[&str], message: &str) {
    let before = folder.contents();
    let output = folder.planish(args, GOOD);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), format!("error: {message}\n")), "{args:?}");
    assert_eq!(folder.contents(), before, "{args:?}");
}

#[test]
fn an_output_is_never_a_file_that_is_read() {
    let folder = Folder::new("inputs");
    for name in ["s.glsl", "a.frag", "a.frag.glsl", "a.frag.wgsl"] {
        folder.write(name, GOOD);
    }
    folder.write("lib.glsl", "highp float one() { return 1.0; }\n");
    let including =
        GOOD.replace("precision", "#extension GL_GOOGLE_include_directive : enable\n#include \"lib.glsl\"\nprecision");
    folder.write("main.frag", &including);
    let way = "which is read; give it another file (-o FILE)";
    let cases = [
        // Derived names.
        (&["compile", "s.glsl", "--emit=glsl,wgsl"][..], format!("the glsl output would overwrite s.glsl, {way}")),
        (
            &["compile", "a.frag", "a.frag.wgsl", "--emit=wgsl"],
            format!("the wgsl output would overwrite a.frag.wgsl, {way}"),
        ),
        // Names that are given, in other spellings.
        (&["compile", "a.frag", "-o", "./a.frag"], format!("the glsl output (./a.frag) would overwrite a.frag, {way}")),
        (&["compile", "a.frag", "-o", "b.wgsl", "-o", "../inputs/a.frag"], String::new()),
        (
            &["compile", "a.frag", "--emit=ir", "--remarks-yaml", "a.frag"],
            format!("the remarks would overwrite a.frag, {way}"),
        ),
        (&["print", "a.frag", "--remarks-yaml", "a.frag"], format!("the remarks would overwrite a.frag, {way}")),
        (&["run", "a.frag", "-o", "a.frag"], format!("the output would overwrite a.frag, {way}")),
        (
            &["run", "a.frag", "--texture", "t=s.glsl", "-o", "s.glsl"],
            format!("the output would overwrite s.glsl, {way}"),
        ),
        (
            &["run", "a.frag", "--buffer", "b=@s.glsl", "-o", "s.glsl"],
            format!("the output would overwrite s.glsl, {way}"),
        ),
        // A file that the program includes.
        (&["compile", "main.frag", "-o", "lib.glsl"], format!("the glsl output would overwrite lib.glsl, {way}")),
    ];
    for (args, message) in &cases {
        let real = folder.path().file_name().expect("has a name").to_string_lossy().into_owned();
        let args: Vec<String> = args.iter().map(|arg| arg.replace("inputs", &real)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let message = match message.is_empty() {
            true => format!("the glsl output ({}) would overwrite a.frag, {way}", args[args.len() - 1]),
            false => message.clone(),
        };
        refused(&folder, &args, &message);
    }
}

#[test]
fn two_outputs_to_one_file_are_wrong_usage() {
    let folder = Folder::new("twice");
    folder.write("a.frag", GOOD);
    folder.write("old.wgsl", "old");
    let way = "give each a file of its own (-o FILE)";
    refused(
        &folder,
        &["compile", "a.frag", "--emit=wgsl,ir,wgsl"],
        &format!("the wgsl output and the wgsl output would both go to a.wgsl; {way}"),
    );
    refused(
        &folder,
        &["compile", "a.frag", "--emit=wgsl,ir", "-o", "new", "-o", "./new"],
        &format!("the wgsl output and the ir output would both go to one file (new, ./new); {way}"),
    );
    refused(
        &folder,
        &["compile", "a.frag", "-o", "old.wgsl", "-o", "./old.wgsl"],
        &format!("the wgsl output and the wgsl output would both go to one file (old.wgsl, ./old.wgsl); {way}"),
    );
    refused(
        &folder,
        &["compile", "a.frag", "-o", "b.ir", "--remarks-yaml", "b.ir"],
        &format!("the ir output and the remarks would both go to b.ir; {way}"),
    );
    // Standard output takes one after the other.
    let both = folder.planish(&["compile", "a.frag", "--emit=wgsl,ir", "-o", "-", "-o", "-"], "");
    let told = text(&both.stdout);
    assert!(both.status.success() && told.contains("@fragment") && told.contains("module glsl 300 es"), "{told}");
}

/// One of several outputs fails: the others are written, and what was there of this one stays.
#[test]
fn an_output_that_fails_leaves_what_was_there() {
    let folder = Folder::new("fails");
    folder.write("a.frag", GOOD);
    let looping = "uniform int n;\nvoid main() { c = vec4(0.0); for (int i = 0; i < n; i++) c += vec4(c.x); }";
    folder.write("f.frag", GOOD.replace("void main() { c = vec4(1.0); }", looping));
    folder.write("f.graph", "old");
    let args = ["compile", "f.frag", "--emit=graph,ir,wgsl", "-o", "f.graph", "-o", "g.ir", "-o", "g.wgsl"];
    let output = folder.planish(&args, "");
    let told = text(&output.stderr);
    assert_eq!((output.status.code(), folder.read("f.graph")), (Some(1), "old".to_owned()), "{told}");
    assert!(folder.read("g.ir").contains("loop") && folder.read("g.wgsl").contains("for ("), "{told}");
    // A place that cannot be written: those before it are.
    std::fs::create_dir(folder.path().join("in-the-way.ir")).expect("can be made");
    let args = ["compile", "a.frag", "-o", "a.wgsl", "-o", "in-the-way.ir", "-o", "a.dump"];
    let output = folder.planish(&args, "");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.starts_with("error: cannot write in-the-way.ir: "), "{told}");
    assert!(folder.read("a.wgsl").contains("@fragment"));
    assert!(!folder.path().join("a.dump").exists());
    // Errors of the program: nothing is.
    folder.write("a.frag", BAD);
    folder.write("a.wgsl", "old");
    let output = folder.planish(&["compile", "a.frag", "-o", "a.wgsl", "-o", "b.ir"], "");
    assert_eq!((output.status.code(), folder.read("a.wgsl")), (Some(1), "old".to_owned()));
    let names: Vec<String> = folder.contents().into_keys().collect();
    assert_eq!(names, ["a.frag", "a.wgsl", "f.frag", "f.graph", "g.ir", "g.wgsl", "in-the-way.ir"]);
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn links_lead_to_the_files_that_are_compared() {
        let folder = Folder::new("links");
        let path = |name: &str| folder.path().join(name);
        folder.write("a.frag", GOOD);
        symlink("a.frag", path("link.glsl")).expect("can be linked");
        fs::hard_link(path("a.frag"), path("hard.glsl")).expect("can be linked");
        symlink("new.wgsl", path("dangling.wgsl")).expect("can be linked");
        for name in ["link.glsl", "hard.glsl"] {
            let message = "would overwrite a.frag, which is read; give it another file (-o FILE)";
            refused(&folder, &["compile", "a.frag", "-o", name], &format!("the glsl output ({name}) {message}"));
        }
        let both = "would both go to one file (new.wgsl, dangling.wgsl); give each a file of its own (-o FILE)";
        let message = format!("the wgsl output and the wgsl output {both}");
        refused(&folder, &["compile", "a.frag", "-o", "new.wgsl", "-o", "dangling.wgsl"], &message);
    }

    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        let folder = Folder::new("kept");
        let path = |name: &str| folder.path().join(name);
        folder.write("a.frag", GOOD);
        fs::create_dir(path("elsewhere")).expect("can be made");
        symlink("elsewhere/real.wgsl", path("link.wgsl")).expect("can be linked");
        folder.write("script.ir", "old");
        fs::set_permissions(path("script.ir"), fs::Permissions::from_mode(0o750)).expect("can be changed");
        folder.write("first.dump", "old");
        fs::hard_link(path("first.dump"), path("second.dump")).expect("can be linked");
        let args = ["compile", "a.frag", "-o", "link.wgsl", "-o", "script.ir", "-o", "second.dump", "-o", "plain.hlsl"];
        let output = folder.planish(&args, "");
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(fs::symlink_metadata(path("link.wgsl")).expect("is there").is_symlink());
        assert!(folder.read("elsewhere/real.wgsl").contains("@fragment"));
        let mode = |name: &str| fs::metadata(path(name)).expect("is there").mode() & 0o777;
        assert_eq!(mode("script.ir"), 0o750);
        // As any new file has them here.
        assert_eq!(mode("plain.hlsl"), mode("a.frag"));
        // The other name was not asked for.
        assert_eq!(folder.read("first.dump"), "old");
        assert!(folder.read("second.dump").contains("Fragment Shader"));
    }

    /// Runs the command in a shell, which redirects.
    fn shell(folder: &Folder, script: &str) -> Output {
        let command = script.replace("planish", concat!("'", env!("CARGO_BIN_EXE_planish"), "'"));
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(folder.path()).stdin(Stdio::null());
        shell.output().expect("there is a shell")
    }

    #[test]
    fn devices_pipes_and_open_files_are_written_to() {
        let folder = Folder::new("streams");
        folder.write("a.frag", GOOD);
        let said = |script: &str| {
            let output = shell(&folder, script);
            assert!(output.status.success(), "{script}: {}", text(&output.stderr));
            text(&output.stdout)
        };
        for way in ["/dev/stdout", "/dev/fd/1", "-"] {
            assert!(said(&format!("planish compile a.frag --emit=wgsl -o {way} | cat")).contains("@fragment"), "{way}");
            // The contents of the file are kept.
            said(&format!("echo first > log; planish compile a.frag --emit=wgsl -o {way} >> log"));
            let log = folder.read("log");
            assert!(log.starts_with("first\n") && log.contains("@fragment"), "{way}: {log}");
        }
        said("echo first > log; planish compile a.frag --emit=wgsl -o /dev/fd/3 3>> log");
        assert!(folder.read("log").starts_with("first\n") && folder.read("log").contains("@fragment"));
        said("planish compile a.frag --emit=wgsl,ir -o /dev/null -o /dev/null");
        assert!(fs::metadata("/dev/null").expect("is there").file_type().is_char_device());
        let piped = said("mkfifo pipe; cat pipe > seen & planish compile a.frag --emit=wgsl -o pipe; wait; cat seen");
        assert!(piped.contains("@fragment"));
        assert!(fs::metadata(folder.path().join("pipe")).expect("is there").file_type().is_fifo());
        let full = shell(&folder, "planish compile a.frag --emit=wgsl -o /dev/full");
        assert_eq!(full.status.code(), Some(2));
        assert!(text(&full.stderr).starts_with("error: cannot write /dev/full: "), "{}", text(&full.stderr));
    }

    /// The shell has opened the file, so what it is can only be told from the open file.
    #[test]
    fn a_redirected_stream_is_a_file_too() {
        let folder = Folder::new("redirected");
        folder.write("a.frag", GOOD);
        let message = |name, input, output: &str| {
            format!("error: {name} ({output}) would overwrite {input}, which is read; give it another file (-o FILE)\n")
        };
        for (script, wanted) in [
            ("planish compile a.frag --emit=wgsl >> a.frag", message("the wgsl output", "a.frag", "standard output")),
            ("planish print a.frag >> a.frag", message("the listing", "a.frag", "standard output")),
            ("planish run - -o a.frag < a.frag", message("the output", "standard input", "a.frag")),
            ("planish run a.frag -o - >> a.frag", message("the output", "a.frag", "standard output")),
        ] {
            let output = shell(&folder, script);
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), wanted), "{script}");
            assert_eq!(folder.read("a.frag"), GOOD, "{script}");
        }
        let output = shell(&folder, "planish compile a.frag --emit=ir,wgsl -o - -o out >> out");
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("would both go to one file (standard output, out)"));
    }

    /// No panic, and nothing said of it: the one who reads has had enough.
    #[test]
    fn a_stream_that_is_closed_ends_no_command_with_a_panic() {
        let folder = Folder::new("closed");
        folder.write("bad.frag", BAD);
        folder.write("good.frag", GOOD);
        folder.write(
            "p.vl",
            "(define (count x) (if (> x 0) (begin (write-real x) (count (- x 1))) x))\n(count (real 9))\n",
        );
        let bad = "bad.frag";
        let many = [&["check"][..], &[bad; 40]].concat();
        let json = [&["check", "--message-format=json"][..], &[bad; 40]].concat();
        let cases: &[(&[&str], &str, i32, i32)] = &[
            (&many, "", 1, 1),
            (&json, "", 1, 1),
            (&["check", "no.frag"], "", 2, 2),
            (&["compile", bad, "--emit=ir"], "", 1, 1),
            (&["compile", "good.frag", "--emit=ir", "--stats", "--time-passes", "--remarks"], "", 0, 0),
            (&["compile", "good.frag", "--emit=ir", "--stats", "--message-format=json"], "", 0, 0),
            (&["compile", "good.frag", "--emit=graph", "--flatten", "--log-cse"], "", 0, 0),
            (&["print", "good.frag", "--dump"], "", 0, 0),
            (&["print", bad], "", 1, 1),
            (&["run", bad, "-o", "x.png"], "", 1, 1),
            (&["run", "good.frag", "-o", "-", "--size=8x8"], "", 0, 0),
            (&["run", "p.vl"], "", 0, 0),
            (&["repl"], "(+ 1 2)\n(oops)\n:help\n", 0, 0),
            (&["reduce", "good.frag", "--while", "grep -q main"], "", 0, 0),
            (&["man", "--out-dir", "pages"], "", 0, 0),
            (&["targets"], "", 0, 0),
            (&["passes"], "", 0, 0),
            (&["explain", "E0301"], "", 0, 0),
            (&["explain", "E9999"], "", 2, 2),
            (&["completions", "bash"], "", 0, 0),
            (&["--help"], "", 0, 0),
            (&["compile", "--help"], "", 0, 0),
            (&["frobnicate"], "", 2, 2),
        ];
        for &(args, input, with_err, with_out) in cases {
            for (is_err, wanted) in [(true, with_err), (false, with_out)] {
                let (reader, writer) = std::io::pipe().expect("a pipe");
                drop(reader);
                let (out, err) = match is_err {
                    true => (Stdio::piped(), Stdio::from(writer)),
                    false => (Stdio::from(writer), Stdio::piped()),
                };
                let output = folder.planish_with(args, input, out, err);
                let told = text(&output.stderr);
                assert_eq!(output.status.code(), Some(wanted), "{args:?}: {told}");
                assert!(!told.contains("roken pipe") && !told.contains("panic"), "{args:?}: {told}");
            }
        }
    }
}

/// A file that was there is never half of a new one: the new one takes its place when it is whole.
#[test]
fn no_temporary_file_stays() {
    let folder = Folder::new("temporary");
    folder.write("a.frag", GOOD);
    let output = folder.planish(&["compile", "a.frag", "--emit=wgsl,ir,dump"], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let names: Vec<String> = folder.contents().into_keys().collect();
    assert_eq!(names, ["a.dump", "a.frag", "a.ir", "a.wgsl"]);
    let missing = folder.planish(&["compile", "a.frag", "-o", "no/such/folder/a.wgsl"], "");
    assert!(text(&missing.stderr).starts_with("error: cannot write no/such/folder/a.wgsl: "));
    assert_eq!(folder.contents().len(), 4);
    assert!(!Path::new("no").exists());
}
