//! Runs the examples: all, or those that are named.

use stage_examples::{EXAMPLES, Error};

fn main() -> Result<(), Error> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = names.iter().find(|name| !EXAMPLES.iter().any(|(known, _)| *known == name.as_str())) {
        let known: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no example `{unknown}`; there are {}", known.join(", ")).into());
    }
    for (name, example) in EXAMPLES.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name)) {
        let shown = example()?;
        let lines = shown.code.lines().count();
        println!("== {name}: {}", shown.figure);
        shown.code.lines().take(if names.is_empty() { 24 } else { usize::MAX }).for_each(|line| println!("{line}"));
        if names.is_empty() && lines > 24 {
            println!("… ({lines} lines: `-- {name}` prints all)");
        }
        println!();
    }
    Ok(())
}
