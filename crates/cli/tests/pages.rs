//! Manual pages, and pages on a terminal.

use std::process::{Command, Stdio};

use crate::common::{Folder, planish, text};

/// The subcommands, as the help lists them.
fn subcommands() -> Vec<String> {
    let help = text(&planish(&["--help"], "").stdout);
    let (_, list) = help.split_once("Commands:\n").expect("the help lists the commands");
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn each_subcommand_has_a_manual_page() {
    let folder = Folder::new("man");
    let output = folder.planish(&["man", "--out-dir", "share/man1"], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let subcommands = subcommands();
    assert!(subcommands.len() > 8 && subcommands.contains(&"compile".to_owned()), "{subcommands:?}");
    let mut pages: Vec<String> = subcommands.iter().map(|name| format!("planish-{name}.1")).collect();
    pages.push("planish.1".to_owned());
    pages.sort();
    let found = std::fs::read_dir(folder.path().join("share/man1")).expect("it was made").flatten();
    let mut found: Vec<String> = found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    assert_eq!(found, pages);
    let page = folder.read("share/man1/planish-compile.1");
    assert!(page.contains(".TH planish-compile 1") && page.contains("\\-\\-emit") && page.contains("message\\-format"));
    for page in &pages {
        renders(&folder, &format!("share/man1/{page}"));
    }
}

/// Pages of errors and tables are text; escape sequences are for terminals, or on request.
#[test]
fn pages_are_not_markdown() {
    let shown = |args: &[&str]| text(&planish(args, "").stdout);
    let plain = shown(&["explain", "E0301"]);
    assert!(plain.contains("\n\n    precision mediump float;\n") && !plain.contains("```"), "{plain}");
    assert!(!plain.contains('\x1b') && plain.lines().all(|line| line.chars().count() <= 100), "{plain}");
    assert!(shown(&["explain", "E0301", "--color=always"]).starts_with("\x1b[1mE0301: unknown name\x1b[0m\n"));
    let tables = shown(&["passes"]);
    assert!(tables.starts_with("Levels\n------\n\nlevel  passes\n") && !tables.contains("---:"), "{tables}");
    assert_eq!(text(&planish(&["passes", "--color=never"], "").stdout), tables);
}

/// `man` shows a page without warnings, if it is there.
fn renders(folder: &Folder, page: &str) {
    let mut man = Command::new("man");
    man.args(["--warnings", "-l", page]).env("MANWIDTH", "100").current_dir(folder.path()).stdin(Stdio::null());
    match man.output() {
        Ok(output) => {
            let told = text(&output.stderr);
            let told: Vec<&str> = told.lines().filter(|line| !line.contains("locale")).collect();
            assert!(output.status.success() && told.is_empty(), "{page}: {told:?}");
        }
        Err(_) => eprintln!("SKIPPED: `man` is not there to show {page}"),
    }
}
