//! Writes a module in the IR's text form as JavaScript: `cargo run -p planish-back-js --example write -- js program.ir`
//! (or `asm`, or `dts`), after the passes of a level that may follow: `… program.ir 2`.

use planish_back_js::{Options, info, write_asm, write_module};
use planish_opt::{Context, lower_to_scalars, pipeline};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(&args[1]).expect("it can be read");
    let mut module = planish_ir::text::parse_str(&text).unwrap_or_else(|e| panic!("{e:#?}"));
    if let Some(level) = args.get(2) {
        let mut context = Context::default();
        for pass in pipeline(level).expect("0, 1, 2 or s") {
            (pass.run)(&mut module, &mut context);
        }
    }
    if lower_to_scalars::is_needed(&module, &info()) {
        lower_to_scalars::run(&mut module, &info(), &mut Context::default()).unwrap_or_else(|e| panic!("{e:#?}"));
    }
    let write = if args[0] == "asm" { write_asm } else { write_module };
    let output = write(&module, &Options::default()).unwrap_or_else(|e| panic!("{e:#?}"));
    print!("{}", if args[0] == "dts" { output.declarations } else { output.text });
}
