var<private> color: vec4<f32>;
var<private> table: array<vec2<f32>, 4> = array<vec2<f32>, 4>(vec2<f32>(0f, 0f), vec2<f32>(1f, 0f), vec2<f32>(0f, 2f), vec2<f32>(3f, 1f));

fn main_1() {
    var local: i32;
    var local_1: f32;

    local = 0i;
    local_1 = 0f;
    loop {
        let _e5 = local;
        let _e7 = local;
        let _e10 = local;
        if !((_e10 < 3i)) {
            break;
        }
        continuing {
            let _e14 = local;
            let _e17 = table[_e14].y;
            let _e18 = local_1;
            let _e20 = local;
            local = (_e20 + 1i);
            local_1 = (_e18 + _e17);
        }
    }
    let _e23 = local;
    let _e26 = local_1;
    table[_e23].y = _e26;
    let _e27 = local;
    let _e29 = table[_e27];
    let _e30 = local_1;
    color = vec4<f32>(_e29, _e30, 1f);
    return;
}

@fragment 
fn main() -> @location(0) vec4<f32> {
    main_1();
    let _e1 = color;
    return _e1;
}
