//! Random programs and the programs of the gallery, flattened: the flat twin draws the same bits after every stage.

mod common;

use common::{compile, for_each_seed, picture};
use planish::flatten::{Options, STAGES, is_flat};
use planish::ir::text::print;
use planish_generate::Program;

/// Why a program does not survive flattening.
fn survives(program: &Program) -> Option<String> {
    let source = program.to_string();
    let mut module = match compile(&source) {
        Ok(module) => module,
        Err(errors) => return Some(format!("not accepted:\n{errors}")),
    };
    let expected = match picture(&module) {
        Ok(picture) => picture,
        Err(error) => return Some(format!("cannot be drawn: {error}")),
    };
    let func = module.entry_points[0].func;
    for stage in STAGES {
        if let Err(errors) = (stage.run)(&mut module, func, &Options::default()) {
            return Some(format!("{} refuses: {errors:#?}", stage.name));
        }
        let errors = planish::ir::verify::verify(&module);
        if !errors.is_empty() {
            return Some(format!("not valid after {}: {errors:#?}\n{}", stage.name, print(&module)));
        }
        if picture(&module).as_ref() != Ok(&expected) {
            return Some(format!("{} changes the picture:\n{}", stage.name, print(&module)));
        }
        if !is_flat(&module, module.funcs[func].body.as_ref().expect("it has one")) {
            return Some(format!("not flat after {}:\n{}", stage.name, print(&module)));
        }
    }
    None
}

/// Seeds that once found something; kept for ever.
const ONCE: [u64; 0] = [];

#[test]
fn random_programs_draw_the_same_when_they_are_flat() {
    for_each_seed(0..2000, &ONCE, survives);
}
