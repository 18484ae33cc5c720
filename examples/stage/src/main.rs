//! Runs the examples: all, or those that are named. `--code` prints the program that each makes, `--time` how long it takes beside its peer.

use stage_examples::{EXAMPLES, Error};

/// Lines of a program that are printed if all examples run.
const LINES: usize = 24;

fn main() -> Result<(), Error> {
    let (options, names): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    if let Some(unknown) = options.iter().find(|option| !["--code", "--time"].contains(&option.as_str())) {
        return Err(format!("there is no option `{unknown}`; there are --code and --time").into());
    }
    if let Some(unknown) = names.iter().find(|name| !EXAMPLES.iter().any(|(known, _)| *known == name.as_str())) {
        let known: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no example `{unknown}`; there are {}", known.join(", ")).into());
    }
    let shows = |option: &str| options.is_empty() || options.iter().any(|given| given == option);
    for (name, example) in EXAMPLES.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name)) {
        let shown = example()?;
        if shows("--time") {
            println!("== {name}: {}", shown.figure);
        }
        if shows("--code") {
            let (all, is_short) = (shown.code.lines().count(), names.is_empty() && options.is_empty());
            shown.code.lines().take(if is_short { LINES } else { all }).for_each(|line| println!("{line}"));
            if is_short && all > LINES {
                println!("… ({all} lines: `-- {name} --code` prints all)");
            }
            println!();
        }
    }
    Ok(())
}
