//! Functions of integers with the arguments of their calls in the lines before them: `// run: 3 -4`. Back ends write them, readers of the
//! target or compilers read them back, and what they give is compared with the evaluator.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_ir::entity::Func;
use planish_ir::module::Module;

/// Functions with the arguments that `// run:` lines before them give.
///
/// # Panics
/// If an argument is no integer.
pub fn runs(text: &str) -> Vec<(String, Vec<i32>)> {
    let mut waiting: Vec<Vec<i32>> = Vec::new();
    let mut out = Vec::new();
    for line in text.lines() {
        if let Some(args) = line.strip_prefix("// run: ") {
            waiting.push(args.split(' ').map(|a| a.parse().expect("an integer")).collect());
        } else if let Some(rest) = line.strip_prefix("fn @") {
            let name = rest.split('(').next().unwrap_or(rest).to_owned();
            out.extend(waiting.drain(..).map(|args| (name.clone(), args)));
        }
    }
    out
}

/// The function of a name.
///
/// # Panics
/// If there is none.
pub fn find(module: &Module, name: &str) -> Func {
    module.funcs.iter().find(|(_, f)| &*f.name.text == name).map(|(id, _)| id).expect("the function is there")
}

/// The integer that a function gives in the evaluator.
///
/// # Panics
/// If the module cannot be evaluated, or the call does not end with an integer.
pub fn run(module: &Module, name: &str, args: &[i32]) -> i32 {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("can be evaluated");
    let args: Vec<EvalValue> = args.iter().map(|&a| EvalValue::i32(a)).collect();
    let results = evaluator.call(find(module, name), &args).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    results[0].as_i32(0).expect("an integer")
}
