struct Light {
    color: vec4<f32>,
    turn: array<vec4<f32>, 2>,
}

struct U {
    base: vec4<f32>,
    lights: array<Light, 2>,
}

struct B {
    n: atomic<u32>,
    v: vec3<f32>,
    a: array<f32>,
}

struct C {
    hits: atomic<u32>,
}

struct Light_1 {
    color: vec4<f32>,
    turn: mat2x2<f32>,
}

@group(0) @binding(0) 
var<uniform> u_0_: U;
@group(0) @binding(1) 
var<uniform> u_1_: U;
@group(0) @binding(2) 
var<uniform> u_2_: U;
@group(0) @binding(4) 
var<storage, read_write> b_0_: B;
@group(0) @binding(3) 
var<storage, read_write> b_1_: B;
@group(0) @binding(8) 
var<storage, read_write> c_0_0_: C;
@group(0) @binding(5) 
var<storage, read_write> c_0_1_: C;
@group(0) @binding(6) 
var<storage, read_write> c_1_0_: C;
@group(0) @binding(7) 
var<storage, read_write> c_1_1_: C;
var<private> gl_WorkGroupID_1: vec3<u32>;
var<private> gl_LocalInvocationID_1: vec3<u32>;

fn twice(x: ptr<function, f32>) {
    let _e1 = (*x);
    (*x) = (_e1 * 2f);
    return;
}

fn main_1() {
    var i: u32;
    var j: i32;
    var light: Light_1;
    var local: f32;
    var before: u32;
    var local_1: Light_1;
    var local_2: u32;
    var local_3: u32;
    var local_4: u32;
    var local_5: u32;
    var local_6: u32;
    var local_7: u32;
    var local_8: u32;
    var local_9: u32;

    let _e7 = gl_WorkGroupID_1.x;
    i = _e7;
    let _e10 = gl_LocalInvocationID_1.x;
    j = i32(_e10);
    let _e12 = i;
    let _e22 = j;
    switch min(u32(_e12), 2u) {
        case 0u: {
            let _e28 = u_0_.lights[_e22].color;
            let _e31 = u_0_.lights[_e22].turn[0];
            let _e34 = u_0_.lights[_e22].turn[1];
            local_1 = Light_1(_e28, mat2x2<f32>(_e31.xy, _e34.xy));
        }
        case 1u: {
            let _e39 = u_1_.lights[_e22].color;
            let _e42 = u_1_.lights[_e22].turn[0];
            let _e45 = u_1_.lights[_e22].turn[1];
            local_1 = Light_1(_e39, mat2x2<f32>(_e42.xy, _e45.xy));
        }
        default: {
            let _e50 = u_2_.lights[_e22].color;
            let _e53 = u_2_.lights[_e22].turn[0];
            let _e56 = u_2_.lights[_e22].turn[1];
            local_1 = Light_1(_e50, mat2x2<f32>(_e53.xy, _e56.xy));
        }
    }
    let _e60 = local_1;
    light = _e60;
    let _e61 = i;
    let _e69 = j;
    let _e71 = min(u32(_e69), 2u);
    let _e76 = j;
    let _e79 = light.turn[_e76][0];
    let _e80 = u_0_.base;
    let _e82 = u_1_.base;
    let _e84 = u_2_.base;
    let _e92 = (select(select(_e84.xyz, _e82.xyz, (_e71 == 1u)), _e80.xyz, (_e71 == 0u)) * vec3(_e79));
    switch min(u32(_e61), 1u) {
        case 0u: {
            b_0_.v = _e92;
        }
        default: {
            b_1_.v = _e92;
        }
    }
    let _e93 = i;
    let _e102 = light.color.w;
    switch min(u32(_e93), 1u) {
        case 0u: {
            b_0_.v.y = _e102;
        }
        default: {
            b_1_.v.y = _e102;
        }
    }
    let _e103 = j;
    let _e105 = min(u32(_e103), 1u);
    let _e108 = i;
    let _e111 = i;
    let _e113 = min(u32(_e111), 2u);
    let _e117 = i;
    let _e127 = j;
    let _e137 = u_0_.lights[_e117].turn[1][min(u32(_e127), 1u)];
    let _e138 = u_1_.lights[_e117].turn[1][min(u32(_e127), 1u)];
    let _e139 = u_2_.lights[_e117].turn[1][min(u32(_e127), 1u)];
    let _e144 = b_0_.a[_e108];
    let _e145 = b_1_.a[_e108];
    let _e148 = (select(_e145, _e144, (_e105 == 0u)) + select(select(_e139, _e138, (_e113 == 1u)), _e137, (_e113 == 0u)));
    switch _e105 {
        case 0u: {
            b_0_.a[_e108] = _e148;
        }
        default: {
            b_1_.a[_e108] = _e148;
        }
    }
    let _e149 = i;
    let _e151 = min(u32(_e149), 1u);
    let _e156 = b_0_.a[3];
    let _e157 = b_1_.a[3];
    local = select(_e157, _e156, (_e151 == 0u));
    twice((&local));
    let _e160 = local;
    switch _e151 {
        case 0u: {
            b_0_.a[3] = _e160;
        }
        default: {
            b_1_.a[3] = _e160;
        }
    }
    let _e161 = i;
    let _e166 = j;
    let _e177 = u32(select(i32(arrayLength((&b_1_.a))), i32(arrayLength((&b_0_.a))), (min(u32(_e166), 1u) == 0u)));
    switch min(u32(_e161), 1u) {
        case 0u: {
            let _e179 = atomicAdd((&b_0_.n), _e177);
            local_2 = _e179;
        }
        default: {
            let _e180 = atomicAdd((&b_1_.n), _e177);
            local_2 = _e180;
        }
    }
    let _e181 = local_2;
    before = _e181;
    let _e182 = i;
    let _e185 = j;
    let _e198 = before;
    switch min(u32(_e182), 1u) {
        case 0u: {
            switch min(u32(_e185), 1u) {
                case 0u: {
                    loop {
                        let _e203 = atomicCompareExchangeWeak((&c_0_0_.hits), _e198, 7u);
                        local_5 = _e203.old_value;
                        if (_e203.exchanged || (_e203.old_value != _e198)) {
                            break;
                        }
                    }
                    let _e208 = local_5;
                    local_4 = _e208;
                }
                default: {
                    loop {
                        let _e210 = atomicCompareExchangeWeak((&c_0_1_.hits), _e198, 7u);
                        local_6 = _e210.old_value;
                        if (_e210.exchanged || (_e210.old_value != _e198)) {
                            break;
                        }
                    }
                    let _e215 = local_6;
                    local_4 = _e215;
                }
            }
            let _e216 = local_4;
            local_3 = _e216;
        }
        default: {
            switch min(u32(_e185), 1u) {
                case 0u: {
                    loop {
                        let _e219 = atomicCompareExchangeWeak((&c_1_0_.hits), _e198, 7u);
                        local_8 = _e219.old_value;
                        if (_e219.exchanged || (_e219.old_value != _e198)) {
                            break;
                        }
                    }
                    let _e224 = local_8;
                    local_7 = _e224;
                }
                default: {
                    loop {
                        let _e226 = atomicCompareExchangeWeak((&c_1_1_.hits), _e198, 7u);
                        local_9 = _e226.old_value;
                        if (_e226.exchanged || (_e226.old_value != _e198)) {
                            break;
                        }
                    }
                    let _e231 = local_9;
                    local_7 = _e231;
                }
            }
            let _e232 = local_7;
            local_3 = _e232;
        }
    }
    let _e234 = i;
    let _e236 = min(u32(_e234), 1u);
    let _e239 = atomicLoad((&c_1_0_.hits));
    let _e240 = atomicLoad((&c_1_1_.hits));
    let _e243 = (select(_e240, _e239, (_e236 == 0u)) + 1u);
    switch _e236 {
        case 0u: {
            atomicStore((&c_1_0_.hits), _e243);
        }
        default: {
            atomicStore((&c_1_1_.hits), _e243);
        }
    }
    return;
}

@compute @workgroup_size(2, 1, 1) 
fn main(@builtin(workgroup_id) gl_WorkGroupID: vec3<u32>, @builtin(local_invocation_id) gl_LocalInvocationID: vec3<u32>) {
    gl_WorkGroupID_1 = gl_WorkGroupID;
    gl_LocalInvocationID_1 = gl_LocalInvocationID;
    main_1();
    return;
}
