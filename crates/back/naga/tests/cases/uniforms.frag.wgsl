struct Light {
    colour: vec3<f32>,
    on: u32,
    power: f32,
    turn: array<vec4<f32>, 2>,
    falloff: array<vec4<f32>, 2>,
}

struct PlanishUniforms {
    scale: f32,
    enabled: u32,
    flags: vec3<u32>,
    counts: array<vec4<i32>, 3>,
    weights: array<vec4<f32>, 5>,
    corners: array<vec4<f32>, 3>,
    points: array<vec3<f32>, 2>,
    small: array<vec4<f32>, 2>,
    middle: mat3x3<f32>,
    tall: mat2x3<f32>,
    wide: array<vec4<f32>, 3>,
    large: mat4x4<f32>,
    bones: array<mat3x3<f32>, 2>,
    lights: array<Light, 2>,
    sun: Light,
    switches: array<vec4<u32>, 3>,
}

struct Light_1 {
    colour: vec3<f32>,
    on: bool,
    power: f32,
    turn: mat2x2<f32>,
    falloff: array<f32, 2>,
}

@group(1) @binding(0) 
var<uniform> planish_uniforms: PlanishUniforms;
var<private> colour: vec4<f32>;
var<private> gl_FragCoord_1: vec4<f32>;

fn shine(l: Light_1) -> f32 {
    var l_1: Light_1;
    var local: f32;

    l_1 = l;
    let _e3 = l_1.on;
    if _e3 {
        let _e7 = l_1.colour.y;
        let _e8 = l_1.power;
        let _e13 = l_1.turn[1][0];
        let _e17 = l_1.falloff[1];
        local = (((_e8 * _e7) + _e13) + _e17);
    } else {
        let _e23 = l_1.turn[0][1];
        local = _e23;
    }
    let _e24 = local;
    return _e24;
}

fn main_1() {
    var i: i32;
    var j: i32;
    var r: f32;
    var s: f32;
    var t: f32;
    var copy: Light_1;
    var all_weights: array<f32, 5>;

    let _e5 = gl_FragCoord_1.x;
    i = (i32(_e5) % 2i);
    let _e10 = gl_FragCoord_1.y;
    j = (i32(_e10) % 3i);
    let _e14 = i;
    let _e19 = planish_uniforms.weights[_e14].x;
    let _e21 = planish_uniforms.scale;
    let _e23 = j;
    let _e29 = planish_uniforms.weights[(_e23 + 1i)].x;
    let _e31 = j;
    let _e35 = planish_uniforms.corners[_e31].y;
    let _e37 = i;
    let _e41 = planish_uniforms.points[_e37].z;
    let _e43 = j;
    let _e47 = planish_uniforms.counts[_e43].x;
    r = (((((_e21 + _e19) + _e29) + _e35) + _e41) + f32(_e47));
    let _e51 = planish_uniforms.enabled;
    if (_e51 != 0u) {
        let _e54 = r;
        r = (_e54 + 100f);
    }
    let _e58 = planish_uniforms.flags;
    if all((_e58 != vec3(0u))) {
        let _e62 = r;
        r = (_e62 + 200f);
    }
    let _e67 = planish_uniforms.flags.y;
    if (_e67 != 0u) {
        let _e69 = r;
        r = (_e69 + 300f);
    }
    let _e72 = j;
    let _e78 = planish_uniforms.flags[min(u32(_e72), 2u)];
    if (_e78 != 0u) {
        let _e80 = r;
        r = (_e80 + 400f);
    }
    let _e83 = j;
    let _e87 = planish_uniforms.switches[_e83].x;
    if (_e87 != 0u) {
        let _e89 = r;
        r = (_e89 + 500f);
    }
    let _e93 = i;
    let _e96 = j;
    let _e100 = planish_uniforms.middle[_e96][0];
    let _e102 = planish_uniforms.small[_e93].y;
    let _e104 = i;
    let _e108 = planish_uniforms.tall[_e104][2];
    let _e110 = j;
    let _e114 = planish_uniforms.wide[_e110].y;
    let _e116 = j;
    let _e119 = i;
    let _e121 = planish_uniforms.large[_e116][_e119];
    let _e123 = i;
    let _e126 = j;
    let _e129 = planish_uniforms.bones[_e123][_e126][1];
    s = (((((_e102 + _e100) + _e108) + _e114) + _e121) + _e129);
    let _e131 = j;
    let _e134 = planish_uniforms.corners[_e131];
    let _e138 = planish_uniforms.small[0];
    let _e141 = planish_uniforms.small[1];
    let _e148 = planish_uniforms.points[1];
    let _e150 = planish_uniforms.middle;
    let _e156 = planish_uniforms.small[0];
    let _e159 = planish_uniforms.tall;
    let _e163 = s;
    s = (_e163 + (((mat2x2<f32>(_e138.xy, _e141.xy) * _e134.xy).x + (_e150 * _e148).y) + (_e159 * _e156.xy).z));
    let _e165 = i;
    let _e169 = planish_uniforms.lights[_e165].colour;
    let _e171 = planish_uniforms.lights[_e165].on;
    let _e174 = planish_uniforms.lights[_e165].power;
    let _e177 = planish_uniforms.lights[_e165].turn[0];
    let _e180 = planish_uniforms.lights[_e165].turn[1];
    let _e186 = planish_uniforms.lights[_e165].falloff[0].x;
    let _e189 = planish_uniforms.lights[_e165].falloff[1].x;
    let _e192 = shine(Light_1(_e169, (_e171 != 0u), _e174, mat2x2<f32>(_e177.xy, _e180.xy), array<f32, 2>(_e186, _e189)));
    let _e195 = planish_uniforms.sun.colour;
    let _e197 = planish_uniforms.sun.on;
    let _e200 = planish_uniforms.sun.power;
    let _e203 = planish_uniforms.sun.turn[0];
    let _e206 = planish_uniforms.sun.turn[1];
    let _e212 = planish_uniforms.sun.falloff[0].x;
    let _e215 = planish_uniforms.sun.falloff[1].x;
    let _e218 = shine(Light_1(_e195, (_e197 != 0u), _e200, mat2x2<f32>(_e203.xy, _e206.xy), array<f32, 2>(_e212, _e215)));
    let _e224 = planish_uniforms.lights[1].colour.z;
    let _e226 = i;
    let _e230 = planish_uniforms.lights[_e226].on;
    t = (((_e192 + _e218) + _e224) + select(0f, 7f, (_e230 != 0u)));
    let _e239 = i;
    let _e243 = planish_uniforms.lights[_e239].colour;
    let _e245 = planish_uniforms.lights[_e239].on;
    let _e248 = planish_uniforms.lights[_e239].power;
    let _e251 = planish_uniforms.lights[_e239].turn[0];
    let _e254 = planish_uniforms.lights[_e239].turn[1];
    let _e260 = planish_uniforms.lights[_e239].falloff[0].x;
    let _e263 = planish_uniforms.lights[_e239].falloff[1].x;
    copy = Light_1(_e243, (_e245 != 0u), _e248, mat2x2<f32>(_e251.xy, _e254.xy), array<f32, 2>(_e260, _e263));
    let _e267 = copy.power;
    copy.power = (_e267 + 1f);
    let _e273 = planish_uniforms.weights[0].x;
    let _e276 = planish_uniforms.weights[1].x;
    let _e279 = planish_uniforms.weights[2].x;
    let _e282 = planish_uniforms.weights[3].x;
    let _e285 = planish_uniforms.weights[4].x;
    all_weights = array<f32, 5>(_e273, _e276, _e279, _e282, _e285);
    let _e287 = copy;
    let _e288 = shine(_e287);
    let _e289 = j;
    let _e291 = all_weights[_e289];
    let _e293 = t;
    t = (_e293 + (_e288 + _e291));
    let _e295 = r;
    let _e296 = s;
    let _e297 = t;
    colour = vec4<f32>(_e295, _e296, _e297, 1f);
    return;
}

@fragment 
fn main(@builtin(position) gl_FragCoord: vec4<f32>) -> @location(0) vec4<f32> {
    gl_FragCoord_1 = gl_FragCoord;
    main_1();
    let _e3 = colour;
    return _e3;
}
