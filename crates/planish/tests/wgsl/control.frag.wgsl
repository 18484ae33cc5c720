fn fall(n: i32) -> i32 {
    let selector = n;
    var r = 0;
    loop {
        var fell = false;
        if selector == 0 {
            r++;
            fell = true;
        }
        if fell || (selector == 1 || selector == 2) {
            r += 10;
            if n == 2 {
                break;
            }
            r += 100;
            fell = true;
        }
        if fell || selector == 3 {
            r += 1000;
            break;
        }
        if fell || (selector != 0 && selector != 1 && (selector != 2 && selector != 3) && selector != 9) {
            r += 7;
            fell = true;
        }
        if fell || selector == 9 {
            r += 10000;
            break;
        }
        break;
    }
    return r;
}

fn inner_loops(n: i32) -> i32 {
    var total = 0;
    for (var i = 0; i < 6; i++) {
        var j: i32;
        switch i % 3 {
            case 0 {
                continue;
            }
            case 1 {
                total += i;
            }
            default {
                if i > n {
                    return total + 1000;
                }
                for (j = 0;; j++) {
                    if j == n {
                        break;
                    }
                    if j > 3 {
                        total += 2;
                        break;
                    }
                    if (j & 1) == 0 {
                        continue;
                    }
                    total += 5;
                }
            }
        }
        total++;
    }
    return total;
}

fn do_loops(n: i32) -> i32 {
    var i = 0;
    var sum = 0;
    loop {
        i++;
        if i == 3 {
            continue;
        }
        if i == 8 {
            break;
        }
        sum += i;
        continuing {
            break if i >= n;
        }
    }
    loop {
        if sum > 20 {
            break;
        }
        sum += 6;
    }
    return sum;
}

fn logic(n: i32) -> i32 {
    var calls = 0;
    var t: bool;
    if n > 3 {
        calls++;
        t = n < 9;
    } else {
        t = false;
    }
    let a = t;
    var t_1: bool;
    if n < 2 {
        t_1 = true;
    } else {
        calls++;
        t_1 = n == 5;
    }
    let b = t_1;
    let c = select(select(4, 3, b), select(2, 1, b), a);
    let d = a != b;
    return calls * 100 + c * 10 + select(0, 1, d);
}

fn shadowed(n: i32) -> i32 {
    var s = 0;
    for (var i = 0; i < n; i++) {
        var z = 2;
        z += i;
        s += z;
        var z_1 = 5;
        s += z_1;
        if i == 4 {
            return -s;
        }
    }
    return s;
}

@fragment
fn main(@builtin(position) frag_coord: vec4f) -> @location(0) vec4f {
    let n = i32(frag_coord.x);
    let m = i32(frag_coord.y);
    if n == 15 && m == 15 {
        discard;
        return vec4f();
    }
    return vec4f(f32(fall(n)), f32(inner_loops(n + m)), f32(do_loops(n) + logic(m)), f32(shadowed(n) + logic(n)));
}
