//! Programs that rustc refuses, one a function. The test `stage_wrong` compiles this file and compares errors with the comments behind the lines that
//! they are at: the code, and a part of the message, its notes and its labels.
#![allow(unused)]
use planish::stage::*;

// Memory that changes.

fn a_list_that_the_program_chooses(c: Rep<bool>) {
    let (first, second): (List<Rep<f64>>, List<Rep<f64>>) = (List::new(), List::new());
    let chosen = if_(c, || first.clone(), || second.clone()); //~ E0277: is memory, and no value: use its elements
    chosen.set(40, 4.0);
}

fn a_variable_that_the_program_chooses(c: Rep<bool>) {
    let (first, second) = (var(1.0), var(2.0));
    let chosen: Var<Rep<f64>> = if_(c, || first.clone(), || second.clone()); //~ E0277: is memory, and no value: use its elements //~ E0277: is memory, and no value: use its elements
}

fn a_variable_of_a_list(list: List<Rep<f64>>) {
    let variable = var::<List<Rep<f64>>>(list); //~ E0277: is memory, and no value: use its elements //~ E0277: is memory, and no value: use its elements
}

fn a_list_of_lists(inner: List<Rep<f64>>) {
    let outer: List<List<Rep<f64>>> = List::new(); //~ E0277: is memory, and no value: use its elements
}

fn a_list_as_an_element(outer: List<Rep<f64>>, inner: List<Rep<f64>>) {
    outer.push(inner); //~ E0277: is memory, and no value: use its elements
}

fn a_list_as_the_state_of_a_loop(list: List<Rep<f64>>) {
    let last = fold(0u32, 10u32, list, |_, list| list); //~ E0277: is memory, and no value: use its elements
}

fn a_list_after_it_was_frozen(list: List<Rep<f64>>) {
    let all = list.freeze();
    list.push(1.0); //~ E0382: borrow of moved value: `list`
}

fn a_frozen_list_that_is_changed(list: List<Rep<f64>>) {
    list.freeze().set(0, 1.0); //~ E0599: no method named `set` found for struct `Seq<'g, T>` in the current scope
}

fn a_slice_that_is_only_read(x: In<[f64]>) {
    x.set(0, 1.0); //~ E0599: no method named `set` found for struct `planish::stage::In<S>` in the current scope
}

fn a_slice_as_the_state_of_a_loop(x: In<[f64]>) {
    let last = fold(0u32, 10u32, x, |_, x| x); //~ E0277: is memory, and no value: use its elements
}

fn two_writes_to_one_buffer() {
    let copy = function("copy", |x: In<[f64]>, y: Out<[f64]>| x.iter().write_to(y)).unwrap().compile().unwrap();
    let mut buffer = [1.0, 2.0];
    copy.call(&buffer, &mut buffer).unwrap(); //~ E0502: cannot borrow `buffer` as mutable because it is also borrowed as immutable
}

// Functions.

fn a_list_as_a_result() {
    let f = function("f", |x: In<[f64]>| x.iter().collect()); //~ E0277: is memory, and no value: use its elements
}

fn a_list_as_a_parameter() {
    let f = function("f", |list: List<Rep<f64>>| list.len()); //~ E0277: is memory, and no value: use its elements
}

fn a_slice_as_a_parameter_of_an_inner_function(x: In<[f64]>) {
    let f = func("f", |x: In<[f64]>| x.len()); //~ E0277: is memory, and no value: use its elements
}

fn a_sequence_as_a_result() {
    let f = function("f", |x: In<[f64]>| x.iter().map(|x| x + 1.0)); //~ E0277: is memory, and no value: use its elements
}

fn elements_that_are_no_numbers() {
    let f = function("f", |x: In<[String]>| x.len()); //~ E0599: the method `len` exists for struct `planish::stage::In<[String]>`, but its trait bounds were not satisfied //~ E0277: or a slice `In<[T]>` or `Out<[T]>` of numbers
}

fn elements_of_the_program() {
    let f = function("f", |x: In<[Rep<f64>]>| x.len()); //~ E0599: the method `len` exists for struct `planish::stage::In<[planish::stage::Rep<f64>]>`, but its trait bounds were not satisfied //~ E0277: or a slice `In<[T]>` or `Out<[T]>` of numbers
}

fn a_parameter_of_rust() {
    let f = function("f", |x: f64| Rep::new(x)); //~ E0277: `f64` is not a group of staged values
}

fn nine_parameters() {
    type N = Rep<u32>;
    let f = function("f", |a: N, b: N, c: N, d: N, e: N, f: N, g: N, h: N, i: N| a); //~ E0277: it has eight parameters at most
}

fn an_argument_too_many() {
    let f = function("f", |x: Rep<f64>| x).unwrap().compile().unwrap();
    f.call(1.0, 2.0).unwrap(); //~ E0061: this method takes 1 argument but 2 arguments were supplied
}

fn a_call_with_the_wrong_type(x: Rep<u32>) {
    let f = func("f", |x: Rep<f64>| x);
    f.call(x); //~ E0277: `as_` converts numbers
}

fn a_key_of_the_program(x: Rep<u32>) -> Rep<u32> {
    specialized("f", x, (x,), |_, (x,): (Rep<u32>,)| x) //~ E0277: the trait bound `planish::stage::Rep<u32>: Hash` is not satisfied //~ E0277: the trait bound `planish::stage::Rep<u32>: Eq` is not satisfied
}

fn a_function_of_the_host_on_slices() {
    let f: Host<(Rep<f64>,), Rep<f64>> = host("f", Effect::Pure, |x: &[f64]| x[0]); //~ E0277: it is a closure of numbers
}

// Sequences, groups and grids.

fn a_key_of_floats(x: In<[f64]>) {
    let groups = x.iter().stream().group_by(|x| x).count(); //~ E0277: `bitcast` makes an integer of a float //~ E0599: the method `count` exists for struct `GroupBy<'_, planish::stage::Rep<f64>, planish::stage::Rep<f64>>`, but its trait bounds were not satisfied
}

fn different_elements_of_floats(x: In<[f64]>) {
    let all = x.iter().stream().distinct(); //~ E0277: `bitcast` makes an integer of a float
}

fn an_order_of_booleans(list: List<Rep<bool>>) {
    let sorted = list.sorted(); //~ E0599: the method `sorted` exists for struct `planish::stage::List<planish::stage::Rep<bool>>`, but its trait bounds were not satisfied
}

fn a_condition_of_numbers(x: In<[u32]>) {
    let some = x.iter().filter(|x| x & 1); //~ E0277: `as_` converts numbers
}

fn a_condition_of_rust(x: In<[u32]>) {
    let some = x.iter().filter(|x| x > 3); //~ E0369: binary operation `>` cannot be applied to type `planish::stage::Rep<u32>`
}

fn a_sum_of_pairs(x: In<[f64]>) {
    let sum = x.iter().zip(x.iter()).sum(); //~ E0599: `Seq<'_, (planish::stage::Rep<f64>, planish::stage::Rep<f64>)>` is not an iterator
}

fn elements_of_another_type(x: In<[f64]>, y: Out<[f32]>) {
    x.iter().write_to(y); //~ E0271: expected `Rep<f64>`, found `Rep<f32>`
}

fn a_length_of_the_program_in_a_type(x: In<[f64]>) {
    let windows = x.iter().windows::<{ x.len() }>(); //~ E0435: attempt to use a non-constant value in a constant
}

fn a_step_of_the_program(x: In<[f64]>, n: Rep<u32>) {
    let some = x.iter().step_by(n); //~ E0308: expected `u32`, found `Rep<u32>`
}

fn a_shape_of_another_rank(x: In<[f64]>, n: Rep<u32>) -> Grid<'static, Rep<f64>, 3> {
    x.iter().grid([n, n]) //~ E0308: expected `3`, found `2`
}

fn an_index_of_another_rank(x: Grid<'static, Rep<f64>, 2>, i: Rep<u32>) -> Rep<f64> {
    x.at([i, i, i]) //~ E0277: `as_` converts numbers
}

fn rows_of_three_dimensions(x: Grid<'static, Rep<f64>, 3>) {
    let rows = x.rows(); //~ E0599: no method named `rows` found for struct `planish::stage::Grid<'static, planish::stage::Rep<f64>, 3>` in the current scope
}

fn a_product_of_other_numbers(x: Grid<'static, Rep<f64>, 2>, y: Grid<'static, Rep<f32>, 2>) {
    let product = matmul(x, y); //~ E0308: expected `Grid<'_, Rep<f64>, 2>`, found `Grid<'_, Rep<f32>, 2>`
}

fn an_offset_of_the_program(x: Grid<'static, Rep<f64>, 2>, i: Rep<i32>) {
    let near = x.stencil(Boundary::Clamp, [1, 1], |near| near.at([i, i])); //~ E0308: expected `i32`, found `Rep<i32>`
}

fn a_boundary_of_rust(x: Grid<'static, Rep<f64>, 2>) {
    let near = x.stencil(Boundary::Constant(0.0), [1, 1], |near| near.at([0, 1])); //~ E0308: expected `Rep<f64>`, found floating-point number
}

// Rust's control flow.

#[stage] //~ E0308: expected `Given<Rep<f64>>`, found `Given<Rep<u32>>`
fn arms_of_two_types(c: Rep<bool>, x: Rep<f64>, y: Rep<u32>) -> Rep<f64> {
    if c { x } else { y }
}

#[stage] //~ E0308: expected `Given<Rep<f64>>`, found `Given<()>`
fn an_arm_without_a_value(c: Rep<bool>, x: Rep<f64>) -> Rep<f64> {
    if c { x }
}

#[stage]
fn a_bound_that_is_no_integer(n: Rep<f64>) {
    for i in 0..n {} //~ E0277: integers of one type: `as_` converts others //~ E0277: integers of one type: `as_` converts others
}

#[stage] //~ E0277: `as_` converts numbers
fn a_break_of_another_type(n: Rep<u32>) -> Rep<u32> { //~ E0277: `as_` converts numbers
    'outer: loop {
        if n > 3 {
            break 'outer 1.5;
        }
        break n;
    }
}

#[stage] //~ E0277: `as_` converts numbers //~ E0308: expected `Rep<f64>`, found `Rep<u32>`
fn a_return_of_another_type(x: Rep<f64>) -> Rep<f64> {
    if x > 0.0 {
        return 1u32;
    }
    x
}

#[stage]
fn a_question_mark_of_the_program(x: Rep<f64>) -> Rep<f64> {
    x? //~ E0277: the `?` operator can only be applied to values that implement `Try` //~ E0277: the `?` operator can only be used in a function that returns `Result` or `Option` (or another type that implements `FromResidual`)
}

#[stage]
fn a_comparison_of_two_types(x: Rep<f64>, y: Rep<u32>) -> Rep<bool> {
    x < y //~ E0599: the method `lt` exists for reference `&&planish::stage::constructs::Compare<'_, planish::stage::Rep<f64>, planish::stage::Rep<u32>>`, but its trait bounds were not satisfied
}

#[stage]
fn a_variant_of_another_enum(e: Enum<Option<Rep<u32>>>) -> Rep<u32> {
    match e {
        Ok(x) => x, //~ E0308: expected `Option<Rep<u32>>`, found `Result<_, _>`
        _ => Rep::new(0),
    }
}

#[stage]
fn a_variant_that_holds_something_else(x: Rep<f64>) -> Enum<Option<Rep<u32>>> { //~ E0277: `as_` converts numbers
    Enum::new(Some(x))
}

#[stage]
fn an_index_of_the_program(list: Vec<u32>, i: Rep<u32>) -> u32 {
    list[i] //~ E0277: the type `[u32]` cannot be indexed by `planish::stage::Rep<u32>`
}

#[stage]
#[specialize]
fn known(n: u32, x: Rep<u32>) -> Rep<u32> {
    x + n
}

fn a_known_argument_of_the_program(x: Rep<u32>) {
    known(x, x); //~ E0308: expected `u32`, found `Rep<u32>`
}
