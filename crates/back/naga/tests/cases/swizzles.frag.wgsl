struct Box {
    low: vec4<f32>,
    turn: mat3x3<f32>,
    counts: array<i32, 3>,
}

const constant: Box = Box(vec4<f32>(1f, 2f, 3f, 4f), mat3x3<f32>(vec3<f32>(2f, 0f, 0f), vec3<f32>(0f, 2f, 0f), vec3<f32>(0f, 0f, 2f)), array<i32, 3>(7i, 8i, 9i));

var<private> colour: vec4<f32>;
var<private> global_box: Box;
var<private> state: array<f32, 3>;
var<private> gl_FragCoord_1: vec4<f32>;
var<private> table: array<f32, 4> = array<f32, 4>(1f, 4f, 9f, 16f);

fn main_1() {
    var p: vec2<f32>;
    var i: i32;
    var j: i32;
    var v: vec4<f32>;
    var a: f32;
    var boxes: array<Box, 2>;
    var n: vec3<i32>;
    var b: vec2<bool>;

    let _e9 = gl_FragCoord_1;
    p = _e9.xy;
    let _e12 = p.x;
    i = (i32(_e12) & 3i);
    let _e17 = p.y;
    j = (i32(_e17) % 3i);
    let _e20 = p;
    let _e21 = p;
    v = vec4<f32>(_e20, _e21.yx);
    let _e24 = v;
    let _e25 = _e24.xy;
    v.w = _e25.x;
    v.x = _e25.y;
    let _e30 = v;
    let _e33 = (_e30.zy + vec2<f32>(1f, 2f));
    v.z = _e33.x;
    v.y = _e33.y;
    let _e38 = i;
    let _e40 = v[_e38];
    v[_e38] = (_e40 * 3f);
    let _e43 = j;
    let _e52 = v[vec3<u32>(1u, 2u, 3u)[min(u32(_e43), 2u)]];
    v[vec3<u32>(1u, 2u, 3u)[min(u32(_e43), 2u)]] = (_e52 - 4f);
    let _e55 = v;
    v = _e55.wzyx;
    let _e58 = v.y;
    v.y = (_e58 + 1f);
    let _e63 = v.x;
    let _e64 = (_e63 + 1f);
    v.x = _e64;
    a = (_e58 + _e64);
    boxes[0] = constant;
    let _e70 = v;
    boxes[1].low = _e70;
    let _e71 = i;
    let _e76 = j;
    let _e78 = p;
    boxes[(_e71 & 1i)].turn[_e76][2] = _e78.x;
    boxes[(_e71 & 1i)].turn[_e76][0] = _e78.y;
    let _e83 = i;
    let _e87 = j;
    boxes[(_e83 & 1i)].turn[_e87][1] = 5f;
    let _e93 = j;
    let _e95 = boxes[1].counts[_e93];
    boxes[1].counts[_e93] = (_e95 + 3i);
    let _e99 = j;
    let _e101 = boxes[0].counts[_e99];
    boxes[0].counts[_e99] = (_e101 - 1i);
    let _e104 = boxes[1];
    global_box = _e104;
    let _e107 = v;
    let _e108 = _e107.yz;
    global_box.low.x = _e108.x;
    global_box.low.w = _e108.y;
    let _e113 = j;
    let _e117 = p.x;
    state[_e113] = _e117;
    let _e127 = boxes[0].counts[0];
    let _e128 = boxes[0].counts[1];
    let _e129 = boxes[0].counts[2];
    n = vec3<i32>(_e127, _e128, _e129);
    let _e131 = n;
    let _e134 = (_e131.zx ^ vec2<i32>(5i, 3i));
    n.z = _e134.x;
    n.x = _e134.y;
    let _e139 = n;
    n = (_e139 << vec3<u32>(1u, 1u, 1u));
    let _e144 = p.x;
    let _e147 = p.y;
    b = vec2<bool>((_e144 > 3f), (_e147 > 5f));
    let _e150 = b;
    b.y = _e150.x;
    b.x = _e150.y;
    let _e156 = v.x;
    let _e157 = a;
    let _e160 = v.y;
    let _e167 = j;
    let _e170 = global_box.turn[_e167][0];
    let _e171 = global_box.low.w;
    let _e177 = boxes[0].turn[1][1];
    let _e179 = i;
    let _e182 = table[_e179];
    let _e186 = n.y;
    let _e189 = n.x;
    let _e192 = n.z;
    let _e197 = state[0];
    let _e200 = state[1];
    let _e204 = state[2];
    let _e209 = v.w;
    let _e210 = v.z;
    let _e213 = b.x;
    let _e217 = b.y;
    colour = vec4<f32>(((_e157 + _e156) + (_e160 * 2f)), (((_e171 + _e170) + _e177) + _e182), (((f32(((_e189 + (_e186 * 2i)) + (_e192 * 3i))) + _e197) + (_e200 * 2f)) + (_e204 * 3f)), (((_e210 + _e209) + f32(_e213)) + (2f * f32(_e217))));
    return;
}

@fragment 
fn main(@builtin(position) gl_FragCoord: vec4<f32>) -> @location(0) vec4<f32> {
    gl_FragCoord_1 = gl_FragCoord;
    main_1();
    let _e3 = colour;
    return _e3;
}
