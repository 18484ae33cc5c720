//! Acceptance and rejection by the verifier, with its messages. Each broken module has exactly the errors that are
//! listed. Modules without a text form are built by hand at the end; ill-typed nodes, which only the crate itself can
//! make, are tested inside it.
//! whole: one table of broken modules after the other.

use crate::common;
use planish_generate::Choices;
use planish_ir::constant::{ConstData, ConstValue};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::{Block, Const, Func, Local, Node, Type, Value, Var};
use planish_ir::function::{Body, Exit, Form};
use planish_ir::module::{Language, Module};
use planish_ir::text::parse_str;
use planish_ir::types::{AddressSpace, Member, StructType, TypeKind};
use planish_ir::verify::{verify, verify_function};

fn messages(module: &Module) -> Vec<String> {
    verify(module).iter().map(|e| e.to_string()).collect()
}

/// The errors of a module in text form.
#[track_caller]
fn refuses(text: &str, expected: &[&str]) {
    let text = format!("module ir\n{text}");
    let module = parse_str(&text).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    assert_eq!(messages(&module), expected, "{text}");
}

/// The errors of one function with parameters `%x: i32` and `%c: bool`, a result `i32` and these lines.
#[track_caller]
fn refuses_body(lines: &str, expected: &[&str]) {
    refuses(&format!("fn @f(%x: i32, %c: bool) -> (i32) {{\nb0:\n{lines}\n}}"), expected);
}

#[test]
fn the_sample_is_valid() {
    assert_eq!(verify(&common::sample()), []);
}

#[test]
fn an_error_says_where_in_the_source_it_is() {
    let text = "module ir\nfn @f() -> (f32) {\nb0:\n  return 1\n}\n";
    let module = parse_str(text).unwrap();
    let errors = verify(&module);
    assert_eq!(errors.len(), 1);
    // The only file of a map begins at offset 1.
    assert_eq!(&text[errors[0].span.start as usize - 1..][..6], "return");
    assert_eq!(errors[0].to_diagnostic().code.0, "E0902");
    assert_eq!(verify_function(&module, Func::from_u32(0)), errors);
}

#[test]
fn all_errors_are_reported() {
    refuses(
        "fn @f() -> (f32) {\nb0:\n  return 1\n}\nfn @g(%c: i32) {\nb0:\n  if %c {\n  then b1:\n    break b0\n  else b2:\n    open\n  }\nb3:\n  return %c\n}",
        &[
            "f0, b0: result 0 has type f32, but `return` gives i32",
            "f1, b0: the condition has type i32, not bool",
            "f1, b1: `break` names b0, which ends with something that it cannot leave",
            "f1, b2: it does not end",
            "f1, b3: `return` gives 1 values, the function has 0 results",
        ],
    );
}

// Ends of blocks.

#[test]
fn jumps_name_what_is_around_them() {
    let loops = "  loop {\n  cond b1:\n    loop_if %c\n  body b2:\n    continue b0\n  }\nb3:\n";
    refuses_body(&format!("{loops}  break b0"), &["f0, b3: `break` names b0, whose construct is not around it"]);
    refuses_body(&format!("{loops}  continue b0"), &["f0, b3: `continue` names b0, whose construct is not around it"]);
    refuses_body("  break b0", &["f0, b0: `break` names b0, whose construct is not around it"]);
    refuses_body(
        "  labelled {\n  body b1:\n    continue b0\n  }\nb2:\n  return %x",
        &["f0, b1: `continue` names b0, which ends with no loop"],
    );
    refuses_body(
        "  next_block\nb1:\n  if %c {\n  then b2:\n    break b0\n  else b3:\n    break b1\n  }\nb4:\n  return %x",
        &[
            "f0, b2: `break` names b0, whose construct is not around it",
            "f0, b3: `break` names b1, which ends with something that it cannot leave",
        ],
    );
}

#[test]
fn a_condition_does_not_leave_its_own_loop() {
    let inner =
        "    if %c {\n    then b2:\n      break b0\n    else b3:\n      continue b0\n    }\n  b4:\n    loop_if %c\n";
    refuses_body(
        &format!("  loop {{\n  cond b1:\n{inner}  body b5:\n    continue b0\n  }}\nb6:\n  return %x"),
        &[
            "f0, b2: `break` names b0 from within its condition",
            "f0, b3: `continue` names b0 from within its condition",
        ],
    );
    refuses_body(
        &format!("  do_loop {{\n  body b5:\n    continue b0\n  cond b1:\n{inner}  }}\nb6:\n  return %x"),
        &["f0, b4: `continue` names b0 from within its condition"],
    );
}

#[test]
fn ends_stand_where_they_belong() {
    refuses_body("  merge", &["f0, b0: `merge` does not end a function"]);
    refuses_body("  loop_if %c", &["f0, b0: `loop_if` does not end a function"]);
    refuses_body("  passthrough", &["f0, b0: `passthrough` does not end a function"]);
    refuses_body(
        "  loop {\n  cond b1:\n    merge\n  body b2:\n    merge\n  next b3:\n    loop_if %c\n  }\nb4:\n  return %x",
        &[
            "f0, b1: `merge` does not end a loop's condition",
            "f0, b2: `merge` does not end a loop's body",
            "f0, b3: `loop_if` does not end a loop's continue block",
        ],
    );
    refuses_body(
        "  switch %x {\n  case 1 b1:\n    merge\n  case 2 b2:\n    if %c {\n    then b3:\n      passthrough\n    else b4:\n      loop_if %c\n    }\n  b5:\n    passthrough\n  }\nb6:\n  return %x",
        &[
            "f0, b1: `merge` does not end a case",
            "f0, b3: `passthrough` does not end an arm of `if`",
            "f0, b4: `loop_if` does not end an arm of `if`",
            "f0, b5: `passthrough` ends the last case",
        ],
    );
    refuses_body(
        "  labelled {\n  body b1:\n    passthrough\n  }\nb2:\n  open",
        &["f0, b1: `passthrough` does not end the body of `labelled`", "f0, b2: it does not end"],
    );
}

// Block arguments.

#[test]
fn nobody_feeds_arms_and_the_like() {
    refuses_body(
        "  if %c {\n  then b1(%1: i32):\n    merge\n  else b2(%2: i32):\n    merge\n  }\nb3:\n  return %x",
        &["f0, b0: the arm b1 has 1 inputs, but gets 0 values", "f0, b0: the arm b2 has 1 inputs, but gets 0 values"],
    );
    refuses_body(
        "  labelled {\n  body b1(%1: i32):\n    merge\n  }\nb2:\n  next_block\nb3(%3: i32):\n  return %x",
        &[
            "f0, b0: the body b1 has 1 inputs, but gets 0 values",
            "f0, b2: the merge block b3 has 1 inputs, but gets 0 values",
        ],
    );
    refuses_body(
        "  switch %x {\n  case 1 b1(%1: i32):\n    break b0\n  }\nb2:\n  return %x",
        &["f0, b0: the case b1 has 1 inputs, but gets 0 values"],
    );
}

#[test]
fn a_merge_block_gets_its_inputs() {
    refuses_body(
        "  if %c {\n  then b1:\n    merge %c\n  else b2:\n    merge\n  }\nb3(%1: i32):\n  return %1",
        &[
            "f0, b1: input 0 of the merge block b3 has type i32, but gets bool",
            "f0, b2: the merge block b3 has 1 inputs, but gets 0 values",
        ],
    );
    refuses_body(
        "  labelled {\n  body b1:\n    if %c {\n    then b2:\n      break b0, %x, %x\n    else b3:\n      merge\n    }\n  b4:\n    merge 1.0\n  }\nb5(%1: i32):\n  return %1",
        &[
            "f0, b2: the merge block b5 has 1 inputs, but gets 2 values",
            "f0, b4: input 0 of the merge block b5 has type i32, but gets f32",
        ],
    );
}

#[test]
fn a_loop_gets_its_inputs() {
    refuses_body(
        "  loop {\n  cond b1(%1: i32):\n    loop_if %c body(%x) merge(%c)\n  body b2:\n    continue b0\n  next b3(%3: u32):\n    continue b0, %3\n  }\nb4(%4: i32):\n  return %4",
        &[
            "f0, b0: the condition b1 has 1 inputs, but gets 0 values",
            "f0, b1: the body b2 has 0 inputs, but gets 1 values",
            "f0, b1: input 0 of the merge block b4 has type i32, but gets bool",
            "f0, b2: the continue block b3 has 1 inputs, but gets 0 values",
            "f0, b3: input 0 of the condition b1 has type i32, but gets u32",
        ],
    );
    refuses_body(
        "  do_loop %c {\n  body b1(%1: i32):\n    continue b0\n  cond b2(%2: i32):\n    loop_if %c\n  }\nb3:\n  return %x",
        &[
            "f0, b0: input 0 of the body b1 has type i32, but gets bool",
            "f0, b1: the condition b2 has 1 inputs, but gets 0 values",
            "f0, b2: the body b1 has 1 inputs, but gets 0 values",
        ],
    );
}

#[test]
fn a_switch_is_whole() {
    refuses_body(
        "  switch 1.0 {\n  case 1 b1:\n    break b0, %x\n  }\nb2(%1: i32):\n  return %1",
        &[
            "f0, b0: the selector has type f32, which is no integer of 32 or 64 bits",
            "f0, b0: a value of case 0 does not have the selector's type",
            "f0, b0: the merge block b2 has 1 inputs, but gets 0 values",
        ],
    );
    refuses_body(
        "  switch %x none(%x) {\n  case 1, 1u, default b1:\n    break b0\n  case 1, default b2:\n    break b0\n  }\nb3:\n  return %x",
        &[
            "f0, b0: a value of case 0 does not have the selector's type",
            "f0, b0: case 1 repeats a value",
            "f0, b0: more than one default case",
            "f0, b0: values for no case, but there is a default case",
        ],
    );
}

#[test]
fn conditions_are_bool_and_results_are_returned() {
    refuses_body(
        "  if %x {\n  then b1:\n    return\n  else b2:\n    return 1u\n  }\nb3:\n  return %x, %x",
        &[
            "f0, b0: the condition has type i32, not bool",
            "f0, b1: `return` gives 0 values, the function has 1 results",
            "f0, b2: result 0 has type i32, but `return` gives u32",
            "f0, b3: `return` gives 2 values, the function has 1 results",
        ],
    );
    refuses_body(
        "  loop {\n  cond b1:\n    loop_if %x\n  body b2:\n    continue b0\n  }\nb3:\n  return %x",
        &["f0, b1: the condition has type i32, not bool"],
    );
}

// Scopes.

#[test]
fn values_of_an_arm_stay_in_it() {
    refuses_body(
        "  if %c {\n  then b1:\n    %1 = add %x, 1\n    merge\n  else b2:\n    %2 = add %1, 1\n    merge\n  }\nb3:\n  return %1",
        &[
            "f0, b2, n1: operand 0 is r2, which is not visible in this scope",
            "f0, b3: operand 0 of the exit is r2, which is not visible in this scope",
        ],
    );
}

#[test]
fn values_of_a_body_stay_in_it_but_those_of_a_condition_do_not() {
    refuses_body(
        "  loop 0 {\n  cond b1(%i: i32):\n    %1 = less_than %i, %x\n    next_block\n  b2:\n    %2 = add %i, 1\n    loop_if %1\n  body b3:\n    %3 = add %2, %i\n    continue b0\n  next b4:\n    %4 = add %3, %2\n    continue b0, %2\n  }\nb5:\n  %5 = add %2, %3\n  return %5",
        &[
            "f0, b4, n3: operand 0 is r5, which is not visible in this scope",
            "f0, b5, n4: operand 1 is r5, which is not visible in this scope",
        ],
    );
    refuses_body(
        "  do_loop %x {\n  body b1(%1: i32):\n    %2 = add %1, 1\n    continue b0\n  cond b2:\n    %3 = less_than %2, %1\n    loop_if %3 body(%x)\n  }\nb3:\n  return %2",
        &[
            "f0, b2, n1: operand 0 is r3, which is not visible in this scope",
            "f0, b2, n1: operand 1 is r2, an input of a block that is not around",
            "f0, b3: operand 0 of the exit is r3, which is not visible in this scope",
        ],
    );
}

#[test]
fn variables_stay_in_their_scope() {
    refuses_body(
        "  if %c {\n  then b1:\n    var @v: i32\n    store @v, 1\n    merge\n  else b2:\n    merge\n  }\nb3:\n  %1 = load @v\n  return %1",
        &["f0, b3, n1: operand 0 is variable v0 'v', which is not declared in this scope"],
    );
}

#[test]
fn floating_nodes_go_where_what_they_are_made_of_goes() {
    // `%2` and `%3` are legal in the arm; behind it, what they are made of is gone. It is said once for each user.
    refuses(
        "fn @f(%x: i32, %c: bool) -> (i32) floating {\nb0:\n  var @v: i32\n  if %c {\n  then b1:\n    %1 = load @v\n    %2 = add %1, 1\n    %3 = add %2, 1\n    store @v, %3\n    merge\n  else b2:\n    merge\n  }\nb3:\n  store @v, %2\n  return %3\n}",
        &[
            "f0, b3, n4: operand 1 is r3, which is not visible in this scope",
            "f0, b3: operand 0 of the exit is r4, which is not visible in this scope",
        ],
    );
    // A node is first used where its operands are not visible.
    refuses(
        "fn @f(%x: i32, %c: bool) -> (i32) floating {\nb0:\n  var @v: i32\n  if %c {\n  then b1:\n    %1 = load @v\n    merge\n  else b2:\n    merge\n  }\nb3:\n  %2 = add %x, %1\n  %3 = add %2, %2\n  store @v, %3\n  return %3\n}",
        &["f0, b3, n1: operand 1 is r2, which is not visible in this scope"],
    );
}

// The module.

#[test]
fn entry_points_fit_their_stage() {
    refuses(
        "fn @f(%x: i32) -> (i32) {\nb0:\n  return %x\n}\nfn @g()\nentry vertex @f \"main\" local_size(1, 1, 1) early_fragment_tests\nentry compute @g \"main\" local_size(8, 0, 1) max_vertices(3)\nentry vertex @f \"main\" num_views(2)\nentry fragment @f\nexport @g \"g\"",
        &[
            "entry point 'main': the entry point of a stage has no parameters",
            "entry point 'main': the entry point of a stage has no results",
            "entry point 'main': `early_fragment_tests` does not belong to the stage",
            "entry point 'main': `local_size` does not belong to the stage",
            "entry point 'main': its function has no body",
            "entry point 'main': `max_vertices` does not belong to the stage",
            "entry point 'main': a local size is 0",
            "two entry points are called 'main'",
            "entry point 'main': the entry point of a stage has no parameters",
            "entry point 'main': the entry point of a stage has no results",
            "entry point '': it has no name",
            "entry point '': the entry point of a stage has no parameters",
            "entry point '': the entry point of a stage has no results",
        ],
    );
}

#[test]
fn what_is_called_fits_the_stage() {
    refuses(
        "fn @main() {\nb0:\n  call @helper\n  return\n}\nfn @helper() {\nb0:\n  emit_vertex\n  emit_vertex\n  discard\n}\nfn @unused() {\nb0:\n  end_primitive\n  return\n}\nentry vertex @main \"main\"",
        &[
            "f1, b0, n0: `emit_vertex` does not belong to the vertex stage",
            "f1, b0: `discard` does not belong to the vertex stage",
        ],
    );
}

#[test]
fn variables_fit_their_space() {
    refuses(
        "var input @a: f32 = 1.0\nvar private @b: combined<2d f32>\nvar handle @c: f32\nvar private @d: bvec2 mediump\nvar workgroup @e: [4 x i32] = [4 x i32]{0, 0, 0, 0}",
        &[
            "variable v0 'a': an initializer is not allowed in `input` space",
            "variable v1 'b': opaque objects are not allowed in `private` space",
            "variable v2 'c': `handle` space holds opaque objects, not f32",
            "variable v3 'd': booleans have no precision",
            "variable v4 'e': an initializer is not allowed in `workgroup` space",
        ],
    );
}

#[test]
fn signatures_make_sense() {
    refuses(
        "fn @f(out %0: f32, %1: bool lowp) -> (bvec2 highp)\nfn @g(inout %0: *private f32)\nimport @h \"a\" \"b\"\nfn @h() {\nb0:\n  return\n}",
        &[
            "import 'a' 'b': its function has a body",
            "f0: parameter 0 is written to, but is not a pointer into `function` space",
            "f0: parameter 1 is boolean, but has a precision",
            "f0: result 0 is boolean, but has a precision",
            "f1: parameter 0 is written to, but is not a pointer into `function` space",
        ],
    );
}

#[test]
fn memories_and_tables_exist() {
    refuses(
        "var private @far: i64\nvar input @near: i32\nmemory memory0 min 2 max 1\ntable table0 i32 min 3 max 2\ntable table1 externref min 1\ndata data0 in memory1 at 0 \"a\"\ndata data1 in memory0 at @far \"b\"\nelem elem0 funcref in table1 at @near []\nelem elem1 externref in table7 at 0 [@far, @f]\nelem elem2 i32 []\nfn @f()\nvar private @one: i32 = 1 computed @f\nstart @g\nfn @g() -> (i32)",
        &[
            "memory0: the most pages are fewer than the first",
            "table0: the most elements are fewer than the first",
            "table0: a table holds references",
            "data0: memory1 does not exist",
            "data1: its offset is not a 32-bit integer in `private` space",
            "elem0: table1 holds other references",
            "elem0: its offset is not a 32-bit integer in `private` space",
            "elem1: v0 holds no such reference, or not in `private` space",
            "elem1: f0 is not a reference of the host",
            "elem1: table7 does not exist",
            "elem2: a segment holds references",
            "v2: it has more than one value at first",
            "v2: the function that computes it does not fit",
            "the start function has parameters or results, or does not exist",
        ],
    );
}

#[test]
fn immediates_name_what_exists() {
    refuses(
        "table table0 externref min 1\nmemory memory0 min 1\nfn @f() {\nb0:\n  %0: i32 = memory_load[memory3 u8] 0\n  memory_copy[memory0, memory1] 0, 0, 0\n  memory_init[memory0, data0] 0, 0, 0\n  elem_drop[elem0]\n  call_indirect[table0 fn() -> ()] 0\n  call_indirect[table9 fn() -> ()] 0\n  table_set[table0] 0, null_func\n  %1: funcref = table_get[table0] 0\n  return\n}",
        &[
            "f0, b0, n0: `memory_load`: memory3 does not exist",
            "f0, b0, n1: `memory_copy`: memory1 does not exist",
            "f0, b0, n2: `memory_init`: data0 does not exist",
            "f0, b0, n3: `elem_drop`: elem0 does not exist",
            "f0, b0, n4: `call_indirect`: table0 holds other references",
            "f0, b0, n5: `call_indirect`: table9 does not exist",
            "f0, b0, n6: `table_set`: table0 holds other references",
            "f0, b0, n7: `table_get`: table0 holds other references",
        ],
    );
}

#[test]
fn a_swizzle_with_a_component_twice_is_not_written_through() {
    refuses(
        "fn @f() {\nb0:\n  var @v: vec4\n  %0 = access_vector_component_multi[xx] @v\n  %1 = load %0\n  store %0, %1\n  %2 = prefix_increment %0\n  return\n}",
        &[
            "f0, b0, n2: `store` writes through a swizzle with a component twice",
            "f0, b0, n3: `prefix_increment` writes through a swizzle with a component twice",
        ],
    );
}

#[test]
fn inputs_of_boolean_type_have_no_precision() {
    refuses_body(
        "  if %c {\n  then b1:\n    merge %c\n  else b2:\n    merge %c\n  }\nb3(%1: bool highp):\n  return %x",
        &["f0, b3: input r2 is boolean, but has a precision"],
    );
}

#[test]
fn types_have_sense() {
    refuses(
        "struct $S {\n  a: [f32]\n  b: f32\n}\nstruct $T {\n  v: void\n}\nfn @f(%0: *uniform [[f32]], %1: [2 x void])",
        &[
            "type t29: only the last member may be a runtime-sized array",
            "type t30: a member's type is `void` or does not exist",
            "type t31: the element type has no size",
            "type t33: the element type is `void` or does not exist",
        ],
    );
}

// Modules without a text form.

fn one_function() -> Module {
    parse_str("module ir\nvar private @g: f32\nfn @f(%x: f32) -> (f32) {\nb0:\n  var @v: f32\n  %1 = add %x, 1.0\n  store @v, %1\n  %2 = load @g\n  return %2\n}\n")
        .expect("it is right")
}

fn body(module: &mut Module) -> &mut Body {
    module.funcs[Func::from_u32(0)].body.as_mut().expect("it has one")
}

#[test]
fn blocks_form_a_tree() {
    let mut module = one_function();
    let entry = body(&mut module).entry;
    let merge = body(&mut module).new_block();
    let condition = Const::TRUE.into();
    body(&mut module).blocks[entry].exit = Exit::If { condition, then: merge, otherwise: Block::from_u32(9), merge };
    body(&mut module).blocks[merge].exit = Exit::NextBlock { merge: entry };
    let expected = [
        "f0, b0: its exit refers to b9, which does not exist",
        "f0, b0: b1 is a child of it and of b0",
        "f0, b1: its exit refers to the entry block",
    ];
    assert_eq!(messages(&module), expected);
}

#[test]
fn lists_name_what_exists_and_once() {
    let mut module = one_function();
    let nodes = &mut body(&mut module).blocks[Block::from_u32(0)].nodes;
    let first = nodes[0];
    nodes.push(first);
    nodes.push(Node::from_u32(77));
    let variable = body(&mut module).blocks[Block::from_u32(0)].variables[0];
    body(&mut module).blocks[Block::from_u32(0)].variables.push(variable);
    let expected = [
        "f0, b0: variable v1 'v' is declared twice, here and in f0",
        "f0, b0, n0: `add` is listed twice",
        "f0, b0: it lists n77, which does not exist",
    ];
    assert_eq!(messages(&module), expected);
}

#[test]
fn a_node_that_is_used_is_listed() {
    let mut module = one_function();
    body(&mut module).blocks[Block::from_u32(0)].nodes.remove(0);
    assert_eq!(messages(&module), ["f0, b0, n1: operand 1 is r1, which is not made before"]);
    // The same lists are right in the floating form, but for the load if it were missing.
    body(&mut module).form = Form::Floating;
    assert_eq!(messages(&module), [""; 0]);
    body(&mut module).blocks[Block::from_u32(0)].nodes.pop();
    assert_eq!(messages(&module), ["f0, b0: operand 0 of the exit is r2, which is not made before"]);
}

#[test]
fn pure_nodes_are_not_listed_in_the_floating_form() {
    let mut module = one_function();
    body(&mut module).form = Form::Floating;
    assert_eq!(messages(&module), ["f0, b0, n0: `add` is listed, but pure nodes float here"]);
}

#[test]
fn the_entry_block_gets_the_parameters() {
    let mut module = one_function();
    let entry = body(&mut module).entry;
    body(&mut module).add_input(entry, Type::F32, Precision::None);
    assert_eq!(messages(&module), ["f0, b0: 2 inputs for 1 parameters"]);
    let mut module = one_function();
    module.funcs[Func::from_u32(0)].params[0].precision = Precision::High;
    assert_eq!(messages(&module), ["f0, b0: input 0 does not have the parameter's precision"]);
    let mut module = one_function();
    module.funcs[Func::from_u32(0)].params[0].ty = Type::I32;
    assert_eq!(
        messages(&module),
        ["f0: `ty` is not the type of the signature", "f0, b0: input 0 has type f32, the parameter i32"]
    );
}

#[test]
fn globals_are_listed_once() {
    let mut module = one_function();
    let (global, local) = (module.globals[0], body(&mut module).blocks[Block::from_u32(0)].variables[0]);
    module.globals = vec![local, Var::from_u32(9)];
    let expected = [
        "`globals` lists variable v1 'v', which is local",
        "`globals` lists v9, which does not exist",
        "f0, b0, n2: operand 0 is variable v0 'g', which `globals` does not list",
    ];
    assert_eq!(messages(&module), expected);
    module.globals = vec![global, global];
    assert_eq!(messages(&module), ["`globals` lists variable v0 'g' twice"]);
}

#[test]
fn variables_have_their_types() {
    let mut module = one_function();
    let global = module.globals[0];
    module.vars[global].initializer = Some(Const::I32_ONE);
    let wrong = module.vars[global].pointer;
    let local = module.add_var(Name::temporary("w"), Type::I32, AddressSpace::Function);
    module.vars[local].pointer = wrong;
    let expected = [
        "variable v0 'g': its initializer has type i32, not f32",
        "variable v2 'w': `pointer` is not the type of its address",
    ];
    assert_eq!(messages(&module), expected);
}

#[test]
fn constants_fit_their_types() {
    let mut module = Module::new(Language::Ir);
    let parts: Box<[Const]> = [Const::F32_ONE, Const::I32_ONE].into();
    let mut add = |ty, value| module.consts.intern(ConstData { ty, value });
    add(Type::I32, ConstValue::Bits(1 << 32));
    add(Type::BOOL, ConstValue::Bits(2));
    add(Type::F32, ConstValue::Null);
    add(Type::VEC2, ConstValue::Bits(0));
    add(Type::VEC2, ConstValue::Composite(parts.clone()));
    add(Type::VEC3, ConstValue::Composite(parts));
    add(Type::VEC2, ConstValue::Composite([Const::F32_ONE, Const::from_u32(17)].into()));
    add(Type::F32, ConstValue::Composite([].into()));
    let expected = [
        "constant c11: its bits do not fit i32",
        "constant c12: its bits do not fit bool",
        "constant c13: f32 has no null",
        "constant c14: vec2 has no bits of its own",
        "constant c15: part 1 has type i32",
        "constant c16: vec3 has 3 parts, not 2",
        "constant c17: part 1 is not older than the whole",
        "constant c18: f32 has no parts",
    ];
    assert_eq!(messages(&module), expected);
}

#[test]
fn types_are_made_of_older_ones() {
    let mut module = Module::new(Language::Ir);
    let mut add = |kind| module.types.intern(kind);
    add(TypeKind::Vector(planish_ir::types::Scalar::F32, 5));
    add(TypeKind::Array { element: Type::from_u32(29), len: 2 });
    add(TypeKind::Array { element: Type::F32, len: 0 });
    add(TypeKind::Matrix { scalar: planish_ir::types::Scalar::I32, columns: 2, rows: 2 });
    let members = vec![Member {
        name: "m".into(),
        ty: Type::from_u32(99),
        precision: Precision::None,
        decorations: Default::default(),
    }];
    add(TypeKind::Struct(StructType { name: "S".into(), members, is_block: false }.into()));
    let expected = [
        "type t28: a vector has 2 to 4, 8 or 16 components",
        "type t29: the element type is `void` or does not exist",
        "type t30: an array has at least one element",
        "type t31: a matrix has floats",
        "type t32: a member's type is `void` or does not exist",
    ];
    assert_eq!(messages(&module), expected);
}

// Modules with random damage: whatever is wrong, nothing panics, and writing what can be written ends.

fn damage(random: &mut Choices<'_>, module: &mut Module) {
    let func = Func::from_u32(random.below(module.funcs.len()) as u32);
    let (vars, consts) = (module.vars.len(), module.consts.len());
    let function = &mut module.funcs[func];
    let Some(body) = &mut function.body else { return };
    let (blocks, locals, nodes) = (body.blocks.len(), body.local_count(), body.node_count());
    let block = Block::from_u32(random.below(blocks) as u32);
    let other = Block::from_u32(random.below(blocks + 1) as u32);
    let value: Value = match random.below(4) {
        0 => Const::from_u32(random.below(consts + 1) as u32).into(),
        1 => Var::from_u32(random.below(vars + 1) as u32).into(),
        2 => Func::from_u32(random.below(5) as u32).into(),
        _ => Local::from_u32(random.below(locals + 2) as u32).into(),
    };
    let args = [value, value].into_iter().take(random.below(3)).collect();
    let kind = random.below(14);
    let data = &mut body.blocks[block];
    match kind {
        0 => data.exit = Exit::Merge(args),
        1 => data.exit = Exit::Break(other, args),
        2 => data.exit = Exit::Continue(other, args),
        3 => data.exit = Exit::LoopIf { condition: value, body_args: args.clone(), merge_args: args },
        4 => data.exit = Exit::Return(args),
        5 => data.exit = Exit::Passthrough,
        6 => data.exit = Exit::NextBlock { merge: other },
        7 => data.exit = Exit::If { condition: value, then: other, otherwise: block, merge: other },
        8 => data.inputs.push(Local::from_u32(random.below(locals + 3) as u32)),
        9 => data.variables.push(Var::from_u32(random.below(vars + 2) as u32)),
        10 => data.nodes.push(Node::from_u32(random.below(nodes + 2) as u32)),
        11 => data.nodes.reverse(),
        12 => body.form = if body.form == Form::Placed { Form::Floating } else { Form::Placed },
        _ => {
            module.globals.pop();
        }
    }
}

#[test]
fn damaged_modules_do_not_panic() {
    let mut random = Choices::from_seed(11);
    let mut refused = 0;
    for seed in 0..150 {
        let mut module = common::random::module(seed, 2);
        for _ in 0..4 {
            damage(&mut random, &mut module);
            refused += usize::from(!verify(&module).is_empty());
            assert!(planish_ir::text::print(&module).starts_with("module"), "seed {seed}");
            assert!(planish_ir::dump::dump(&module).contains("Functions:"), "seed {seed}");
        }
    }
    assert!(refused > 400, "{refused}");
}

/// Writes through both of its parameters, of which the first promises that nothing else leads there.
const ALONE: &str = "fn @f(noalias %0 p: *private i32, %1 q: *private i32) {
b0:
  store %0, 1
  store %1, 2
  return
}
";

#[test]
fn pointers_that_promise_to_be_alone_must_be() {
    let same = |node: u32| {
        format!("f1, n{node}: `f` gets pointers for `p` (`noalias`) and `q` that may alias, and writes that memory")
    };
    refuses(
        &format!(
            "var private @a: [2 x i32]
{ALONE}fn @g(%0: i32, %1 r: *private i32, noalias %2 s: *private i32) {{
b0:
  %3 = access_array_element @a, 0
  %4 = access_array_element @a, 1
  %5 = access_array_element @a, %0
  call @f, %3, %4
  call @f, %3, %3
  call @f, %4, %5
  call @f, %1, %2
  call @f, %1, %4
  return
}}"
        ),
        &[&same(4), &same(5), &same(7)],
    );
}

#[test]
fn what_a_function_names_itself_is_a_second_way_to_memory() {
    refuses(
        "var private @a: i32
var private @b: i32
fn @h() {
b0:
  store @a, 1
  return
}
fn @f(noalias %0 p: *private i32) -> (i32) {
b0:
  call @h
  %1 = load %0
  return %1
}
fn @g() {
b0:
  %0 = call @f, @b
  %1 = call @f, @a
  return
}",
        &[
            "f2, n1: `f` gets a pointer for `p` (`noalias`) that may alias `a`, which it accesses too, and writes one of them",
        ],
    );
}

#[test]
fn what_is_only_read_may_be_reached_in_many_ways() {
    let text = "module ir
var private @a: i32
fn @f(noalias %0 p: *private i32, noalias %1 q: *private i32) -> (i32) {
b0:
  %2 = load %0
  %3 = load %1
  %4 = load @a
  %5 = add %2, %3
  %6 = add %4, %5
  return %6
}
fn @g() -> (i32) {
b0:
  %0 = call @f, @a, @a
  return %0
}
";
    assert_eq!(messages(&parse_str(text).unwrap()), Vec::<String>::new());
}

#[test]
fn only_pointers_promise_something() {
    refuses("fn @f(noalias %0: i32) {\nb0:\n  return\n}", &["f0: parameter 0 is `noalias`, but no pointer"]);
}
