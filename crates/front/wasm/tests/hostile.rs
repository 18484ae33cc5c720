//! Deep, long, wide: read in time about linear in the size, or refused; never a crash.

use crate::common::{call, read, try_read};
use planish_ir::diagnostic::Code;
use planish_testkit::on_a_stack_of;

/// On a stack of so many bytes, which is what a test's thread has by default.
const STACK: usize = 2 << 20;

/// Blocks in blocks, all jumped out of: neither reading nor verifying recurses.
#[test]
fn blocks_nest_as_deep_as_a_function_is_long() {
    let depth = 20_000;
    for (open, close) in [
        ("block\n", "local.get 0\nbr_if 0\nend\n"),
        ("loop\n", "local.get 1\nbr_if 0\nend\n"),
        ("local.get 0\nif\n", "local.get 0\nbr_if 0\nend\n"),
    ] {
        let text = format!(
            "(module (func (export \"f\") (param i32) (result i32) (local i32)\n{}local.get 0\nlocal.set 1\n\
             i32.const 0\nlocal.set 1\n{}local.get 1))",
            open.repeat(depth),
            close.repeat(depth)
        );
        on_a_stack_of(STACK, move || drop(read(&text)));
    }
}

/// A local variable that a block does not write costs nothing there.
#[test]
fn many_variables_and_many_blocks_need_few_inputs() {
    let locals = 3_000;
    let blocks = 3_000;
    let mut text = String::from("(module (func (export \"f\") (param i32) (result i32)\n");
    text += &format!("(local {})\n", "i32 ".repeat(locals));
    for local in 1..=locals {
        text += &format!("local.get 0\nlocal.set {local}\n");
    }
    for block in 0..blocks {
        let local = block % locals + 1;
        text += &format!("block\nlocal.get 0\nbr_if 0\ni32.const 1\nlocal.set {local}\nend\n");
    }
    text += "i32.const 0\n";
    for local in 1..=locals {
        text += &format!("local.get {local}\ni32.add\n");
    }
    text += "))";
    let module = read(&text);
    let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("it has one");
    let inputs: usize = body.blocks.values().map(|b| b.inputs.len()).sum();
    // One of each block, and the parameter.
    assert_eq!(inputs, blocks + 1);
    assert_eq!(call(&module, "f", &[0]).expect("it ends"), [locals as u64]);
    assert_eq!(call(&module, "f", &[2]).expect("it ends"), [2 * locals as u64]);
}

/// Loops in loops that each read what the next one out has written: more walks than are taken, so everything counts as
/// live, and the result is right all the same.
#[test]
fn loops_in_loops_hand_on_what_they_read() {
    let depth = 30;
    let mut text = String::from("(module (func (export \"f\") (result i32) (local i32 i32)\n");
    text += &format!("(local {})\n", "i32 ".repeat(depth));
    for level in 0..depth {
        text += &format!("loop\nlocal.get {}\nlocal.set 0\n", level + 2);
    }
    text += "local.get 1\ni32.const 1\ni32.add\nlocal.set 1\n";
    for level in (0..depth).rev() {
        // Each loop goes round once more.
        text += &format!(
            "local.get {0}\ni32.const 1\ni32.add\nlocal.tee {0}\ni32.const 2\ni32.lt_u\nbr_if 0\nend\n",
            level + 2
        );
    }
    text += "local.get 1))";
    let module = read(&text);
    // Only the innermost counter starts at 0 once; each outer round finds it at 2 and runs it once.
    let rounds = call(&module, "f", &[]).expect("it ends");
    assert_eq!(rounds, [depth as u64 + 1]);
}

#[test]
fn too_many_variables_are_refused() {
    let text = format!("(module (func (local {})))", "i32 ".repeat(60_000));
    let errors = try_read(&text).expect_err("engines allow 50,000");
    assert_eq!(errors[0].code, Code::E1205);
}

/// Every block hands on every variable: the product is bounded.
#[test]
fn too_many_values_to_hand_on_are_refused() {
    let (locals, blocks) = (40_000, 30_000);
    let mut text = String::from("(module (func (param i32)\n");
    text += &format!("(local {})\n", "i32 ".repeat(locals));
    text += &"block\n".repeat(blocks);
    for local in 1..=locals {
        text += &format!("local.get 0\nlocal.set {local}\n");
    }
    text += &"local.get 0\nbr_if 0\nend\n".repeat(blocks);
    for local in 1..=locals {
        text += &format!("local.get {local}\ndrop\n");
    }
    text += "))";
    let errors = try_read(&text).expect_err("that is too much");
    assert_eq!(errors[0].code, Code::E1205, "{errors:?}");
}
