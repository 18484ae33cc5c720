// Loops in continuing blocks, and values that cross two of them.

// expect: 18 3
fn loop_in_continuing() -> vec2<i32> {
    var n = 0; var sum = 0;
    loop {
        if n >= 3 { break; }
        let factor = n + 2;
        continuing { for (var i = 0; i < factor; i++) { sum += 2; } n++; }
    }
    return vec2<i32>(sum, n);
}

// expect: 12
fn inner_and_outer() -> i32 {
    var a = 0; var total = 0;
    loop {
        let outer = a + 1;
        var b = 0;
        loop {
            let inner = outer * 2;
            b++;
            continuing { total += inner; break if b >= 2 || total > 100; }
        }
        continuing { a = outer; break if outer >= 2; }
    }
    return total;
}

// expect: 7
fn continue_before_the_end_of_the_body() -> i32 {
    var i = 0; var sum = 0;
    loop {
        i++;
        if i == 2 { continue; }
        sum += i;
        continuing { sum += 1; break if i >= 3; }
    }
    return sum;
}
