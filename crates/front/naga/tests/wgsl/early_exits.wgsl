// Code that nothing reaches, and functions that always leave from inside.
// expect: 3
fn leaves_from_the_loop() -> i32 { var i = 0; loop { i++; if i == 3 { return i; } } }
// expect: 5
fn both_arms_return() -> i32 { var yes = true; if yes { return 5; } else { return 6; } }
// expect: 1
fn breaks_at_once() -> i32 { var i = 0; loop { i++; break; } return i; }
fn nothing() { return; }
// expect: 2
fn calls_nothing() -> i32 { nothing(); var x = 1; nothing(); x++; return x; }
// expect: 4
fn leaves_from_a_switch_in_a_loop() -> i32 {
    var i = 0;
    if i == 0 { loop { i++; switch i { case 4: { return i; } default: { break; } } } } else { return 0; }
}
