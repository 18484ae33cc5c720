//! Expansion against a C preprocessor, on random macros: GLSL's rules are those of C.

use planish_generate::Choices;

use super::*;
use std::io::Write;
use std::process::{Command, Stdio};

const NAMES: &[&str] = &["a", "b", "c", "f", "g", "h"];

/// A few macros that use each other, and a line that uses them. A macro that is wrongly used makes the case worthless,
/// so arguments mostly fit.
fn program(random: &mut Choices<'_>) -> String {
    let mut source = String::new();
    let mut arity = [0, 0, 0, 1, 1, 2].map(Some);
    for (index, name) in NAMES.iter().enumerate() {
        if index < 3 && random.below(3) != 0 {
            arity[index] = None;
        }
        let params: &[&str] = &["x", "y"][..arity[index].unwrap_or(0)];
        let list = if arity[index].is_some() { format!("({})", params.join(",")) } else { String::new() };
        source.push_str(&format!("#define {name}{list} {}\n", body(random, params)));
    }
    source.push_str(&expression(random, &arity, 3));
    source.push_str("\n;\n");
    source
}

fn body(random: &mut Choices<'_>, params: &[&str]) -> String {
    let mut words = vec![];
    for _ in 0..random.below(7) {
        let choice = [random.pick(NAMES), random.pick(&["(", ")", ",", "+", "z", "("])];
        let word = if params.is_empty() || random.below(2) == 0 { random.pick(&choice) } else { random.pick(params) };
        words.push(word);
        if random.below(8) == 0 {
            words.extend(["##", if params.is_empty() { "z" } else { random.pick(params) }]);
        }
    }
    words.join(" ")
}

fn expression(random: &mut Choices<'_>, arity: &[Option<usize>; 6], depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(3) {
        let index = random.below(NAMES.len());
        text.push_str(NAMES[index]);
        text.push(' ');
        if random.below(4) == 0 {
            continue;
        }
        if random.below(10) == 0 {
            text.push('\n');
        }
        let arguments: Vec<String> =
            (0..arity[index].unwrap_or(2))
                .map(|_| {
                    if depth > 0 {
                        expression(random, arity, depth - 1)
                    } else {
                        random.pick(&["q", "", "g"]).to_owned()
                    }
                })
                .collect();
        text.push_str(&format!("({}) ", arguments.join(",")));
    }
    text
}

/// Output of the C preprocessor for a program; `None` if it finds an error.
fn with_c(source: &str) -> std::io::Result<Option<String>> {
    let mut child = Command::new("gcc")
        .args(["-x", "c", "-E", "-P", "-undef", "-nostdinc", "-w", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    child.stdin.take().expect("it is piped").write_all(source.as_bytes())?;
    let output = child.wait_with_output()?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[test]
fn random_macros_expand_as_in_c() {
    let mut random = Choices::from_seed(1);
    let mut compared = 0;
    for _ in 0..400 {
        let source = program(&mut random);
        let expected = match with_c(&source) {
            Ok(Some(expected)) => expected,
            Ok(None) => continue,
            Err(error) => {
                eprintln!("SKIPPED: cannot run gcc, so expansion is not compared with a C preprocessor: {error}");
                return;
            }
        };
        let ours = run(&source).0;
        assert_eq!(ours.diagnostics, [], "in:\n{source}");
        // Both through the same lexer, so that white space does not count.
        assert_eq!(text(&ours), text(&run(&expected).0), "in:\n{source}");
        compared += 1;
    }
    assert!(compared > 100, "only {compared} programs were right");
}
