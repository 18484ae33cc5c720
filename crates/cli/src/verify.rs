//! `--verify`: reports the result of the check of the machine's code.

use std::fmt::Write as _;

use planish::machine::check::Failure;
use planish::source::SourceMap;

use crate::Stop;
use crate::report::Reporter;
use crate::run::place_of;

/// Reports the number of verified functions. Wrong code is an internal error; a refused function is reported by its
/// compilation.
pub(crate) fn report(checked: Result<usize, Failure>, map: &SourceMap, reporter: &Reporter) -> Result<(), Stop> {
    match checked {
        Ok(functions) => {
            reporter.verified(functions);
            Ok(())
        }
        Err(Failure::Refused(_)) => Ok(()),
        Err(Failure::Wrong(problems)) => {
            let mut message = "the machine's code is wrong:".to_string();
            for problem in &problems {
                let place = place_of(problem.span, map);
                write!(message, "\n  function `{}`: {}{place}", problem.function, problem.message)
                    .expect("a string takes all");
            }
            Err(Stop::Internal(message))
        }
    }
}

#[cfg(test)]
mod tests {
    use planish::machine::check::Problem;
    use planish::source::Span;

    use super::*;
    use crate::args::{Color, Format};

    #[test]
    fn wrong_code_is_told_with_function_and_place() {
        let mut map = SourceMap::new();
        let file = map.add("prog.wat", "(module)\n(func)").expect("small");
        let span = Span { start: file.start + 9, end: file.start + 10 };
        let problem = Problem { function: "f".into(), span, message: "node 1 reads r2".into() };
        let reporter = Reporter::new(Format::Human, Color::Never, planish::Levels::default());
        let Err(Stop::Internal(message)) = report(Err(Failure::Wrong(vec![problem])), &map, &reporter) else {
            panic!("it stops");
        };
        assert_eq!(message, "the machine's code is wrong:\n  function `f`: node 1 reads r2\n  --> prog.wat:2:1");
    }
}
