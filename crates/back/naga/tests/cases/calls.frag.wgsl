struct Ray {
    origin: vec3<f32>,
    way: vec3<f32>,
    far: f32,
}

struct Hit {
    yes: bool,
    at: f32,
    ray: Ray,
    table: array<f32, 3>,
}

var<private> colour: vec4<f32>;
var<private> counter: i32 = 0i;
var<private> gl_FragCoord_1: vec4<f32>;

fn order(a: i32, b: i32, c: i32) -> f32 {
    return f32(((a + (b * 10i)) + (c * 100i)));
}

fn next() -> i32 {
    let _e1 = counter;
    let _e3 = (_e1 + 1i);
    counter = _e3;
    return _e3;
}

fn same(a_1: ptr<function, f32>, b_1: ptr<function, f32>) {
    let _e2 = (*a_1);
    (*a_1) = (_e2 + 1f);
    let _e5 = (*b_1);
    (*b_1) = (_e5 * 2f);
    return;
}

fn swap(v: vec4<f32>, i: i32) -> f32 {
    var v_1: vec4<f32>;
    var array_: array<f32, 4>;
    var local: f32;
    var local_1: f32;
    var local_2: f32;
    var local_3: f32;

    v_1 = v;
    let _e12 = v_1.x;
    let _e13 = v_1.y;
    let _e14 = v_1.z;
    let _e15 = v_1.w;
    array_ = array<f32, 4>(_e12, _e13, _e14, _e15);
    let _e21 = array_[i];
    local = _e21;
    let _e22 = array_[(3i - i)];
    local_1 = _e22;
    same((&local), (&local_1));
    let _e23 = local;
    array_[i] = _e23;
    let _e24 = local_1;
    array_[(3i - i)] = _e24;
    let _e27 = v_1.x;
    local_2 = _e27;
    let _e28 = v_1.w;
    local_3 = _e28;
    same((&local_2), (&local_3));
    let _e29 = local_2;
    v_1.x = _e29;
    let _e30 = local_3;
    v_1.w = _e30;
    let _e33 = array_[1];
    let _e36 = array_[0];
    let _e39 = v_1.x;
    let _e42 = v_1.w;
    return (((_e36 + (_e33 * 2f)) + _e39) + (_e42 * 3f));
}

fn late(x: f32, y: ptr<function, f32>) {
    (*y) = x;
    let _e2 = (*y);
    (*y) = (_e2 * x);
    return;
}

fn two(a_2: ptr<function, f32>, b_2: ptr<function, vec3<f32>>) {
    let _e3 = (*b_2).x;
    (*a_2) = _e3;
    let _e4 = (*b_2);
    (*b_2) = _e4.zyx;
    let _e7 = (*a_2);
    let _e8 = (*b_2).y;
    (*b_2).y = (_e8 + _e7);
    return;
}

fn turn(m: mat2x2<f32>) -> mat2x2<f32> {
    var m_1: mat2x2<f32>;

    m_1 = m;
    let _e4 = m_1[0];
    m_1[0] = _e4.yx;
    let _e6 = m_1;
    return _e6;
}

fn trace(r: Ray, table: array<f32, 3>) -> Hit {
    var h: Hit;

    h.yes = (r.far > 1f);
    h.at = dot(r.origin, r.way);
    h.ray = r;
    let _e14 = h.ray.origin;
    let _e17 = (_e14.xz + vec2<f32>(1f, 1f));
    h.ray.origin.x = _e17.x;
    h.ray.origin.z = _e17.y;
    h.table = table;
    h.table[1] = 9f;
    let _e26 = h;
    return _e26;
}

fn main_1() {
    var p: vec2<f32>;
    var first: f32;
    var second: vec3<f32>;
    var ray: Ray;
    var hit: Hit;
    var other: Hit;
    var equal: f32;
    var m_2: mat2x2<f32>;
    var v_2: vec4<f32>;
    var local_4: f32;
    var local_5: vec3<f32>;
    var i_1: i32;
    var z: f32 = 3f;
    var local_6: f32;

    let _e7 = gl_FragCoord_1;
    p = _e7.xy;
    let _e9 = p;
    second = vec3<f32>(_e9, 3f);
    two((&first), (&second));
    let _e12 = p;
    let _e16 = p.x;
    let _e21 = p.y;
    ray = Ray(vec3<f32>(_e12, 1f), normalize(vec3<f32>(1f, 2f, _e16)), _e21);
    let _e24 = p.x;
    let _e26 = ray;
    let _e27 = trace(_e26, array<f32, 3>(1f, _e24, 3f));
    hit = _e27;
    let _e28 = hit;
    other = _e28;
    let _e32 = p.y;
    other.table[2] = _e32;
    let _e33 = other;
    let _e34 = hit;
    equal = select(0f, 1f, ((((_e34.yes == _e33.yes) && (_e34.at == _e33.at)) && ((all((_e34.ray.origin == _e33.ray.origin)) && all((_e34.ray.way == _e33.ray.way))) && (_e34.ray.far == _e33.ray.far))) && (((_e34.table[0] == _e33.table[0]) && (_e34.table[1] == _e33.table[1])) && (_e34.table[2] == _e33.table[2]))));
    let _e82 = p;
    let _e83 = p;
    let _e86 = turn(mat2x2<f32>(_e82, _e83.yx));
    m_2 = _e86;
    let _e87 = p;
    v_2 = vec4<f32>(_e87, 1f, 2f);
    let _e90 = v_2;
    local_5 = _e90.xyz;
    two((&local_4), (&local_5));
    let _e92 = local_4;
    v_2.w = _e92;
    let _e93 = local_5;
    v_2.x = _e93.x;
    v_2.y = _e93.y;
    v_2.z = _e93.z;
    let _e101 = p.x;
    i_1 = (i32(_e101) & 3i);
    let _e105 = z;
    late(_e105, (&local_6));
    let _e106 = local_6;
    z = _e106;
    let _e108 = second.y;
    let _e109 = first;
    let _e115 = hit.ray.origin.z;
    let _e116 = hit.at;
    let _e120 = p.x;
    let _e124 = hit.table[(i32(_e120) % 3i)];
    let _e126 = equal;
    let _e128 = z;
    let _e134 = m_2[1][1];
    let _e135 = m_2[0][0];
    let _e138 = v_2.w;
    let _e141 = v_2.y;
    let _e143 = v_2;
    let _e144 = i_1;
    let _e145 = swap(_e143, _e144);
    let _e146 = next();
    let _e147 = next();
    let _e148 = next();
    let _e149 = order(_e146, _e147, _e148);
    colour = vec4<f32>((_e109 + _e108), ((((_e116 + _e115) + _e124) + _e126) + _e128), (((_e135 + _e134) + _e138) + _e141), (_e145 + _e149));
    return;
}

@fragment 
fn main(@builtin(position) gl_FragCoord: vec4<f32>) -> @location(0) vec4<f32> {
    gl_FragCoord_1 = gl_FragCoord;
    main_1();
    let _e3 = colour;
    return _e3;
}
