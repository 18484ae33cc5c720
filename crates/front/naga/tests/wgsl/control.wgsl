// Loops, switches, early exits, with what they give.

// expect: 45
fn for_loop() -> i32 { var sum = 0; for (var i = 0; i < 10; i++) { sum += i; } return sum; }

// expect: 25
fn for_with_continue() -> i32 {
    var sum = 0;
    for (var i = 0; i < 10; i++) { if i % 2 == 0 { continue; } sum += i; }
    return sum;
}

// expect: 8
fn while_loop() -> i32 { var x = 1; while x < 7 { x *= 2; } return x; }

// expect: 6
fn loop_with_break() -> i32 { var i = 0; loop { if i > 5 { break; } i++; } return i; }

// expect: 10
fn continuing_block() -> i32 {
    var i = 0; var sum = 0;
    loop {
        if i >= 5 { break; }
        if i == 100 { continue; }
        sum += i;
        continuing { i++; }
    }
    return sum;
}

// expect: 4 3
fn break_if_runs_once() -> vec2<i32> {
    var i = 0; var rounds = 0;
    loop { rounds++; continuing { i += 4; break if i >= 4 || rounds > 3; } }
    return vec2<i32>(i, rounds + 2);
}

// expect: 5 2
fn continuing_uses_values_of_the_body() -> vec2<i32> {
    var i = 0; var n = 0;
    loop {
        n++;
        let step = i + n;
        continuing { i += step + 1; break if step > 3; }
    }
    return vec2<i32>(i - 2, n);
}

// expect: 6
fn continuing_uses_addresses_of_the_body() -> i32 {
    var a = array<i32, 3>(1, 2, 3);
    var sum = 0; var i = 0;
    loop {
        if i >= 3 { break; }
        let p = &a[i];
        continuing { sum += *p; i++; }
    }
    return sum;
}

// expect: 10 20 30 30 99
fn switches() -> array<i32, 5> {
    var out: array<i32, 5>;
    for (var i = 0; i < 5; i++) {
        switch i {
            case 0: { out[i] = 10; }
            case 1: { out[i] = 20; break; }
            case 2, 3: { out[i] = 30; }
            default: { out[i] = 99; }
        }
    }
    return out;
}

// expect: 5
fn default_in_the_middle() -> i32 {
    var x = 2; var out = 0;
    switch x { case 1: { out = 1; } case 2, default: { out = 5; } case 3: { out = 3; } }
    return out;
}

// expect: 12
fn continue_in_a_switch() -> i32 {
    var sum = 0;
    for (var i = 0; i < 6; i++) {
        switch i { case 1: { continue; } case 2: { continue; } default: {} }
        sum += i;
    }
    return sum;
}

// expect: 3
fn returns_from_a_loop() -> i32 {
    for (var i = 0; i < 10; i++) { for (var j = 0; j < 10; j++) { if i * j == 6 && i > 2 { return i; } } }
    return -1;
}

// expect: 2
fn short_circuit() -> i32 {
    var calls = 0;
    if touch(&calls, false) && touch(&calls, true) { return -1; }
    if touch(&calls, true) || touch(&calls, true) { return calls; }
    return -2;
}
fn touch(counter: ptr<function, i32>, result: bool) -> bool { *counter += 1; return result; }

// expect: 0 0 0
fn variables_in_loops_are_new() -> vec3<i32> {
    var out: vec3<i32>;
    for (var i = 0; i < 3; i++) { var x: i32; out[i] = x; x = 7; }
    return out;
}

// expect: 21
fn nested() -> i32 {
    var n = 0;
    for (var i = 0; i < 6; i++) {
        var j = 0;
        while true { if j > i { break; } j++; n++; }
    }
    return n;
}

// expect: 1
fn else_ifs() -> i32 {
    var x = 5;
    if x < 0 { return 0; } else if x < 10 { return 1; } else { return 2; }
}

// expect: 55
fn call_in_a_condition() -> i32 {
    var i = 0; var sum = 0;
    while below(i, 11) { sum += i; i++; }
    return sum;
}
fn below(a: i32, b: i32) -> bool { return a < b; }
