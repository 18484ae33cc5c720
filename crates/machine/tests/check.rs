//! The checker agrees with the code of every program of `tests/ir`.

use planish_machine::check::check_module;
use planish_machine::reference::Reference;
use planish_testkit::run_lines::programs;

#[test]
fn the_code_of_every_program_is_right() {
    for (name, _, module) in programs() {
        if name == "floating" {
            continue;
        }
        if let Err(problems) = check_module(&Reference, &module) {
            panic!("{name}:\n{problems}");
        }
    }
}
