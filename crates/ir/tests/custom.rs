//! Ops of the user's own: text, checks, folding, sharing, and the errors for what is left of them.

use planish_ir::builder::{Builder, Policy};
use planish_ir::custom::{CustomEffect, CustomOpData, Meaning, TypeRule, check};
use planish_ir::entity::Type;
use planish_ir::function::Form;
use planish_ir::module::{Language, Module};
use planish_ir::text::{parse_str, print};
use planish_ir::types::TypeKind;
use planish_ir::verify::verify;

const TEXT: &str = "\
module ir
op twice fn(f32) -> (f32) pure cost 3 phase scalars
op first pure cost 1 phase arrays
op \"a name\" fn(i32, i32) -> (i32, i32) may_trap cost 7
op print fn(f32) -> () ordered cost 100 phase calls

fn @f(%0 x: f32, %1 a: [3 x f32], %2 n: i32) -> (f32) {
b0:
  %3 = custom[twice] %0
  %4 = custom[first fn([3 x f32]) -> (f32)] %1
  %5, %6 = custom_trapping[\"a name\"] %2, 4
  custom_ordered[print] %4
  %7 = add %3, %4
  return %7
}
";

fn errors(text: &str) -> Vec<String> {
    match parse_str(text) {
        Ok(module) => verify(&module).into_iter().map(|error| error.message).collect(),
        Err(errors) => errors.into_iter().map(|error| error.message).collect(),
    }
}

#[test]
fn the_text_form_holds_them() {
    let module = parse_str(TEXT).expect("is well-formed");
    assert_eq!(verify(&module), []);
    assert_eq!(print(&module), TEXT);
    let dump = planish_ir::dump::dump(&module);
    assert!(dump.contains("Custom [twice ") && dump.contains("CustomOrdered [print "), "{dump}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let cases = [
        ("custom[twice] %0", "custom[twice] %2", "`custom`: argument 0 has type t2, the parameter t1"),
        ("custom[twice] %0", "custom[twice] %0, %0", "`custom`: wrong number of arguments"),
        ("custom[twice] %0", "custom_ordered[twice] %0", "`custom_ordered`: `twice` is pure, and so a `custom`"),
        ("custom[twice] %0", "custom[twicer] %0", "there is no op `twicer`"),
        ("custom[first fn([3 x f32]) -> (f32)]", "custom[first f32]", "expected the type of a function"),
        ("op first pure", "op twice pure", "the op `twice` is declared twice"),
        ("op first pure", "op first purely", "there is no effect `purely`"),
    ];
    for (before, after, message) in cases {
        assert!(TEXT.contains(before));
        assert_eq!(errors(&TEXT.replace(before, after)).first().map(String::as_str), Some(message), "{after}");
    }
}

#[test]
fn a_type_rule_gives_results_and_is_checked() {
    let mut module = parse_str(TEXT).expect("is well-formed");
    let element = TypeRule::new(|types, operands| match operands {
        [array] => match types[*array] {
            TypeKind::Array { element, .. } => Ok(vec![element]),
            _ => Err("takes an array".into()),
        },
        _ => Err("takes one operand".into()),
    });
    let first = module.custom_op("first").expect("it is declared");
    module.custom_ops[first].rule = Some(element);
    assert_eq!(verify(&module), []);

    let array = module.types.array(Type::I32, 2);
    let mut b = Builder::outside(&mut module, Policy::PLAIN);
    let block = b.block();
    let [x, y] = [array, Type::I32].map(|ty| b.add_input(block, ty, Default::default()));
    let part = b.custom(first, &[x])[0];
    assert_eq!(b.type_of(part), Type::I32);
    assert_eq!(b.try_custom(first, &[y]).expect_err("is no array").0, "takes an array");

    let wrong = TypeRule::new(|_, _| Ok(vec![Type::I32]));
    module.custom_ops[first].rule = Some(wrong);
    let messages: Vec<String> = verify(&module).into_iter().map(|error| error.message).collect();
    assert_eq!(messages, ["`first` gives (i32), but its results have types (f32)"]);
}

/// Adds one to an `f32`, unless it is zero, where it traps.
fn increment(module: &mut Module, effect: CustomEffect, with_meaning: bool) -> planish_ir::entity::CustomOp {
    let signature = Some(module.types.function(&[Type::F32], &[Type::F32]));
    let meaning = Meaning::new(|call, results| {
        results.push((f32::from_bits(call.operands[0].bits[0] as u32) + 1.0).to_bits().into());
        Ok(())
    });
    let meaning = with_meaning.then_some(meaning);
    module.add_custom_op(CustomOpData { signature, effect, meaning, ..CustomOpData::new("increment") })
}

#[test]
fn pure_ones_with_a_meaning_fold_and_others_do_not() {
    for (effect, with_meaning, folds) in [
        (CustomEffect::Pure, true, true),
        (CustomEffect::Pure, false, false),
        (CustomEffect::MayTrap, true, false),
        (CustomEffect::Ordered, true, false),
    ] {
        let mut module = Module::new(Language::Ir);
        let op = increment(&mut module, effect, with_meaning);
        let mut b = Builder::outside(&mut module, Policy::PLAIN);
        let [two, three] = [2.0, 3.0].map(|x| b.f32(x));
        assert_eq!(b.custom(op, &[two])[0] == three, folds, "{effect:?}, {with_meaning}");
    }
}

#[test]
fn a_meaning_that_gives_too_much_folds_nothing() {
    let mut module = Module::new(Language::Ir);
    let op = increment(&mut module, CustomEffect::Pure, false);
    module.custom_ops[op].meaning = Some(Meaning::new(|_, results| {
        results.extend([1, 2]);
        Ok(())
    }));
    let mut b = Builder::outside(&mut module, Policy::PLAIN);
    let two = b.f32(2.0);
    let value = b.custom(op, &[two])[0];
    assert!(value.as_const().is_none());
}

#[test]
fn equal_ones_are_shared_if_they_are_pure() {
    for (effect, shares) in [(CustomEffect::Pure, true), (CustomEffect::MayTrap, false), (CustomEffect::Ordered, false)]
    {
        let mut module = Module::new(Language::Ir);
        let op = increment(&mut module, effect, false);
        let mut b = Builder::outside(&mut module, Policy { form: Form::Floating, ..Policy::SHARED });
        let block = b.block();
        let x = b.add_input(block, Type::F32, Default::default());
        assert_eq!(b.custom(op, &[x]) == b.custom(op, &[x]), shares, "{effect:?}");
    }
}

#[test]
fn what_is_left_of_them_is_an_error_with_its_place() {
    let module = parse_str(TEXT).expect("is well-formed");
    let errors = check(&module).expect_err("nothing is lowered");
    let lines: Vec<(&str, String)> = errors.iter().map(|error| (error.code.0, error.message.clone())).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0].1, "no target has the op `twice`, which the phase `scalars` should have lowered");
    assert_eq!(lines[2].1, "no target has the op `a name`, and no phase lowers it");
    assert!(lines.iter().all(|line| line.0 == "E0710"));
    assert!(errors.iter().all(|error| !error.span.is_none() && error.help.len() == 1));
    assert_eq!(check(&Module::new(Language::Ir)), Ok(()));
}
