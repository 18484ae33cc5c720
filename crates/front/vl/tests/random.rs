//! Random programs whose values fit what takes them: what they give compiled is what they give interpreted.

use std::path::Path;

use arbitrary::{Result, Unstructured};
use planish_testkit::vl::writer::{Kind, Writer, export};
use planish_testkit::vl::{agree, call_of, evaluate, evaluate_scalars, leaves, run, seeded};

/// Counts of what became of programs.
#[derive(Default)]
struct Counts {
    compared: u32,
    refused: u32,
}

fn compare(u: &mut Unstructured<'_>, counts: &mut Counts) -> Result<()> {
    let scope = vec![
        ("x".to_owned(), Kind::Real),
        ("y".to_owned(), Kind::Real),
        ("p".to_owned(), Kind::Pair),
        ("f".to_owned(), Kind::Procedure),
    ];
    let body = Writer { u, scope, names: 0 }.expression(&Kind::Real, 6)?;
    let text = format!(
        "(define x (real 0.5))\n(define y 1.5)\n(define p (cons 2 (real -1)))\n(define (f v) (if (< v x) (* v y) (+ v x)))\n{body}\n"
    );
    let path = Path::new("random.vl");
    let evaluated = match evaluate(path, &text, &[], "main", &[]) {
        Ok(found) => found.expect("a number").0,
        Err(errors) => {
            let known = ["E0813", "E0814", "E0815", "StackOverflow", "User"];
            assert!(known.iter().any(|code| errors[0].contains(code)), "{text}\n{}", errors.join("; "));
            counts.refused += 1;
            return Ok(());
        }
    };
    let (interpreted, _) = run(path, &text, &[]).unwrap_or_else(|errors| panic!("{text}\n{}", errors.join("; ")));
    // A zero that is a shape to the interpreter may be a number when it is compiled, which infinities tell apart.
    let is_finite = |text: &str| !text.contains("inf") && !text.contains("nan");
    if is_finite(&interpreted) && is_finite(&evaluated) {
        counts.compared += 1;
        assert!(agree(&interpreted, &evaluated, false), "{text}\n{interpreted}, but compiled {evaluated}");
    }
    Ok(())
}

#[test]
fn compiled_programs_give_what_interpreted_ones_give() {
    let mut counts = Counts::default();
    seeded(400, 4000, |u| compare(u, &mut counts));
    assert!(counts.compared > counts.refused, "{} programs compared, {} refused", counts.compared, counts.refused);
}

/// Exports give their value whole, in the interpreter's structure: what is known of it is no less there.
#[test]
fn exports_give_every_number_and_boolean_of_their_value() {
    let (mut compared, mut refused) = (0, 0);
    seeded(80, 3000, |u| {
        let (text, call) = export(u)?;
        let path = Path::new("export.vl");
        let (name, scalars) = call_of(call);
        let found = match evaluate_scalars(path, &text, &[], &name, &scalars) {
            Ok(found) => found.expect("it is exported"),
            Err(errors) => {
                let known = ["E0813", "E0814", "E0815", "StackOverflow", "User"];
                assert!(known.iter().any(|code| errors[0].contains(code)), "{text}\n{}", errors.join("; "));
                refused += 1;
                return Ok(());
            }
        };
        let (direct, _) =
            run(path, &format!("{text}{call}"), &[]).unwrap_or_else(|e| panic!("{text}\n{}", e.join("; ")));
        if direct.contains("inf") || direct.contains("nan") {
            return Ok(());
        }
        let (output, results) = found;
        let bits: Vec<u64> = results.iter().map(|(_, bits)| *bits).collect();
        assert!(agree(&direct, &output.show(&bits), false), "{text}\n{direct}, but {}", output.show(&bits));
        // Without what the compiler says of the result, too.
        let wanted = leaves(&direct);
        let is_same = |(wanted, found): (&(bool, f64), &(bool, u64))| {
            let number = if found.0 { found.1 as f64 } else { f64::from_bits(found.1) };
            wanted.0 == found.0 && (wanted.1 - number).abs() <= wanted.1.abs() * 1e-12 + 1e-15
        };
        let all = wanted.len() == results.len() && wanted.iter().zip(&results).all(is_same);
        assert!(all, "{text}\n{direct}, but {results:?}");
        compared += 1;
        Ok(())
    });
    assert!(compared > 3 * refused, "{compared} programs compared, {refused} refused");
}
