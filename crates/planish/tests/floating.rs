//! Programs in the text form whose functions float are placed before passes and writers see them.

use planish::ir::function::Form;
use planish::ir::verify::verify;
use planish::{Compiler, EmitOptions, Optimizer, Target, emit};
use planish_testkit::folder;

#[test]
fn floating_programs_are_written_and_optimized() {
    let text = std::fs::read_to_string(folder("tests/ir/floating.ir")).expect("the program is there");
    let module = Compiler::default().compile("floating.ir", &text).module.expect("it is valid");
    let mut bodies = module.funcs.iter().filter_map(|(_, function)| function.body.as_ref());
    assert!(bodies.any(|body| body.form == Form::Floating));
    let spirv = |module: &_| emit(module, Target::Spirv, &EmitOptions::default()).map(|a| a.bytes.len());
    assert!(spirv(&module).is_ok(), "{:?}", spirv(&module));
    for level in ["0", "1", "2", "s"] {
        let mut module = module.clone();
        Optimizer::level(level).expect("a level").run(&mut module, &mut |_, module| assert_eq!(verify(module), []));
        assert!(spirv(&module).is_ok(), "{level}: {:?}", spirv(&module));
    }
}
