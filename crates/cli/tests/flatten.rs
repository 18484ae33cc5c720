//! What cannot be flattened: each program of `tests/flatten-errors` is refused with the errors that its first lines name.

use std::path::Path;
use std::process::Command;

#[test]
fn what_cannot_be_flat_is_told_with_its_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/flatten-errors");
    let mut failures = Vec::new();
    let mut count = 0;
    let mut files: Vec<_> = folder.read_dir().expect("the folder is there").flatten().map(|e| e.path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e != "md")) {
        let text = std::fs::read_to_string(path).expect("can be read");
        let wanted: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("// error: ")).collect();
        assert!(!wanted.is_empty(), "{} names no error", path.display());
        let more: Vec<&str> =
            text.lines().filter_map(|l| l.strip_prefix("// with: ")).flat_map(str::split_whitespace).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_planish"));
        command.arg("compile").arg(path).arg("--message-format=short").args(&more);
        if !more.contains(&"--emit") {
            command.arg("--emit=ir");
        }
        if !more.iter().any(|arg| arg.starts_with("--flatten")) {
            command.arg("--flatten");
        }
        let output = command.output().expect("the command starts");
        let told = String::from_utf8_lossy(&output.stderr);
        let found: Vec<String> = told.lines().filter_map(error).collect();
        if output.status.code() != Some(1) || !output.stdout.is_empty() || found != wanted {
            failures.push(format!("{}: wanted {wanted:?}, got {found:?}:\n{told}", path.display()));
        }
        count += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 25, "only {count} programs");
}

/// `FILE:LINE:COLUMN: error[CODE]: …` as `CODE LINE`; nothing for a warning.
fn error(line: &str) -> Option<String> {
    let (place, rest) = line.split_once(": error[")?;
    let code = rest.split(']').next()?;
    let mut numbers = place.rsplit(':');
    let _column = numbers.next()?;
    Some(format!("{code} {}", numbers.next()?))
}
