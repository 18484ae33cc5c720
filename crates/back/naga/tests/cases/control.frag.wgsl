var<private> colour: vec4<f32>;
var<private> gl_FragCoord_1: vec4<f32>;

fn logic(n: i32) -> i32 {
    var calls: i32 = 0i;
    var local: bool;
    var a: bool;
    var local_1: bool;
    var b: bool;
    var local_2: i32;
    var c: i32;
    var d: bool;

    if (n > 3i) {
        let _e5 = calls;
        calls = (_e5 + 1i);
        local = (n < 9i);
    } else {
        local = false;
    }
    let _e12 = local;
    a = _e12;
    if (n < 2i) {
        local_1 = true;
    } else {
        let _e18 = calls;
        calls = (_e18 + 1i);
        local_1 = (n == 5i);
    }
    let _e22 = local_1;
    b = _e22;
    let _e24 = a;
    if _e24 {
        let _e25 = b;
        local_2 = select(2i, 1i, _e25);
    } else {
        let _e28 = b;
        local_2 = select(4i, 3i, _e28);
    }
    let _e31 = local_2;
    c = _e31;
    let _e34 = b;
    let _e35 = a;
    d = (_e35 != _e34);
    let _e37 = calls;
    let _e40 = c;
    let _e44 = d;
    return (((_e37 * 100i) + (_e40 * 10i)) + select(0i, 1i, _e44));
}

fn shadowed(n_1: i32) -> i32 {
    var s: i32 = 0i;
    var i: i32 = 0i;
    var k: i32;
    var z: i32;
    var z_1: i32;

    loop {
        let _e4 = i;
        if !((_e4 < n_1)) {
            break;
        }
        z = 2i;
        z_1 = 5i;
        let _e12 = i;
        let _e13 = z;
        z = (_e13 + _e12);
        let _e15 = z;
        let _e16 = s;
        s = (_e16 + _e15);
        let _e18 = z_1;
        let _e19 = s;
        s = (_e19 + _e18);
        let _e21 = i;
        if (_e21 == 4i) {
            let _e24 = s;
            return -(_e24);
        }
        continuing {
            let _e26 = i;
            i = (_e26 + 1i);
        }
    }
    let _e29 = s;
    return _e29;
}

fn do_loops(n_2: i32) -> i32 {
    var i_1: i32 = 0i;
    var sum: i32 = 0i;

    loop {
        let _e4 = i_1;
        i_1 = (_e4 + 1i);
        let _e7 = i_1;
        if (_e7 == 3i) {
            continue;
        }
        let _e10 = i_1;
        if (_e10 == 8i) {
            break;
        }
        let _e13 = i_1;
        let _e14 = sum;
        sum = (_e14 + _e13);
        continuing {
            let _e16 = i_1;
            break if !((_e16 < n_2));
        }
    }
    loop {
        let _e19 = sum;
        if (_e19 > 20i) {
            break;
        }
        let _e22 = sum;
        sum = (_e22 + 6i);
    }
    let _e25 = sum;
    return _e25;
}

fn inner_loops(n_3: i32) -> i32 {
    var total: i32 = 0i;
    var i_2: i32 = 0i;
    var j: i32;

    loop {
        let _e4 = i_2;
        if !((_e4 < 6i)) {
            break;
        }
        let _e9 = i_2;
        switch (_e9 % 3i) {
            case 0: {
                continue;
            }
            case 1: {
                let _e12 = i_2;
                let _e13 = total;
                total = (_e13 + _e12);
            }
            default: {
                let _e15 = i_2;
                if (_e15 > n_3) {
                    let _e17 = total;
                    return (_e17 + 1000i);
                }
                j = 0i;
                loop {
                    let _e20 = j;
                    if (_e20 == n_3) {
                        break;
                    }
                    let _e22 = j;
                    if (_e22 > 3i) {
                        let _e24 = total;
                        total = (_e24 + 2i);
                        break;
                    }
                    let _e27 = j;
                    if ((_e27 & 1i) == 0i) {
                        continue;
                    }
                    let _e31 = total;
                    total = (_e31 + 5i);
                    continuing {
                        let _e34 = j;
                        j = (_e34 + 1i);
                    }
                }
            }
        }
        let _e36 = total;
        total = (_e36 + 1i);
        continuing {
            let _e38 = i_2;
            i_2 = (_e38 + 1i);
        }
    }
    let _e40 = total;
    return _e40;
}

fn fall(n_4: i32) -> i32 {
    var r: i32 = 0i;
    var case_number: u32;

    switch n_4 {
        case 0: {
            case_number = 0u;
        }
        case 1, 2: {
            case_number = 1u;
        }
        case 3: {
            case_number = 2u;
        }
        default: {
            case_number = 3u;
        }
        case 9: {
            case_number = 4u;
        }
    }
    switch 0i {
        default: {
            let _e9 = case_number;
            if (_e9 == 0u) {
                let _e11 = r;
                r = (_e11 + 1i);
                case_number = 1u;
            }
            let _e14 = case_number;
            if (_e14 == 1u) {
                let _e16 = r;
                r = (_e16 + 10i);
                if (n_4 == 2i) {
                    break;
                }
                let _e21 = r;
                r = (_e21 + 100i);
                case_number = 2u;
            }
            let _e24 = case_number;
            if (_e24 == 2u) {
                let _e26 = r;
                r = (_e26 + 1000i);
                break;
            }
            let _e29 = case_number;
            if (_e29 == 3u) {
                let _e31 = r;
                r = (_e31 + 7i);
                case_number = 4u;
            }
            let _e34 = case_number;
            if (_e34 == 4u) {
                let _e36 = r;
                r = (_e36 + 10000i);
                break;
            }
        }
    }
    let _e39 = r;
    return _e39;
}

fn main_1() {
    var n_5: i32;
    var m: i32;

    let _e4 = gl_FragCoord_1.x;
    n_5 = i32(_e4);
    let _e7 = gl_FragCoord_1.y;
    m = i32(_e7);
    let _e9 = n_5;
    let _e12 = m;
    if ((_e9 == 15i) && (_e12 == 15i)) {
        discard;
    }
    let _e15 = n_5;
    let _e16 = fall(_e15);
    let _e17 = m;
    let _e18 = n_5;
    let _e20 = inner_loops((_e18 + _e17));
    let _e21 = n_5;
    let _e22 = do_loops(_e21);
    let _e23 = m;
    let _e24 = logic(_e23);
    let _e26 = n_5;
    let _e27 = shadowed(_e26);
    let _e28 = n_5;
    let _e29 = logic(_e28);
    colour = vec4<f32>(f32(_e16), f32(_e20), f32((_e22 + _e24)), f32((_e27 + _e29)));
    return;
}

@fragment 
fn main(@builtin(position) gl_FragCoord: vec4<f32>) -> @location(0) vec4<f32> {
    gl_FragCoord_1 = gl_FragCoord;
    main_1();
    let _e3 = colour;
    return _e3;
}
