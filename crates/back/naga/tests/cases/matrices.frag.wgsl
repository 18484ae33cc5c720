var<private> colour: vec4<f32>;
var<private> gl_FragCoord_1: vec4<f32>;

fn sum(m: mat2x2<f32>) -> f32 {
    return (((m[0].x + (m[0].y * 2f)) + (m[1].x * 3f)) + (m[1].y * 5f));
}

fn sum_1(m_1: mat4x4<f32>) -> f32 {
    var w: vec4<f32> = vec4<f32>(1f, 2f, 3f, 5f);

    let _e3 = w;
    let _e5 = w;
    return dot((m_1 * _e3), _e5.wzyx);
}

fn sum_2(m_2: mat3x3<f32>) -> f32 {
    var w_1: vec3<f32> = vec3<f32>(1f, 2f, 3f);

    let _e4 = w_1;
    let _e7 = w_1;
    let _e13 = w_1;
    return ((dot(m_2[0], _e4) + (dot(m_2[1], _e7) * 2f)) + (dot(m_2[2], _e13) * 3f));
}

fn inverse_2x2_(m_3: mat2x2<f32>) -> mat2x2<f32> {
    let _e9 = (1f / determinant(m_3));
    return mat2x2<f32>((vec2<f32>(m_3[1].y, -(m_3[0].y)) * _e9), (vec2<f32>(-(m_3[1].x), m_3[0].x) * _e9));
}

fn inverse_3x3_(m_4: mat3x3<f32>) -> mat3x3<f32> {
    let _e15 = (1f / determinant(m_4));
    return mat3x3<f32>((vec3<f32>(((m_4[1].y * m_4[2].z) - (m_4[2].y * m_4[1].z)), -(((m_4[0].y * m_4[2].z) - (m_4[2].y * m_4[0].z))), ((m_4[0].y * m_4[1].z) - (m_4[1].y * m_4[0].z))) * _e15), (vec3<f32>(-(((m_4[1].x * m_4[2].z) - (m_4[2].x * m_4[1].z))), ((m_4[0].x * m_4[2].z) - (m_4[2].x * m_4[0].z)), -(((m_4[0].x * m_4[1].z) - (m_4[1].x * m_4[0].z)))) * _e15), (vec3<f32>(((m_4[1].x * m_4[2].y) - (m_4[2].x * m_4[1].y)), -(((m_4[0].x * m_4[2].y) - (m_4[2].x * m_4[0].y))), ((m_4[0].x * m_4[1].y) - (m_4[1].x * m_4[0].y))) * _e15));
}

fn inverse_4x4_(m_5: mat4x4<f32>) -> mat4x4<f32> {
    let _e23 = (1f / determinant(m_5));
    return mat4x4<f32>((vec4<f32>((((m_5[1].y * ((m_5[2].z * m_5[3].w) - (m_5[3].z * m_5[2].w))) - (m_5[2].y * ((m_5[1].z * m_5[3].w) - (m_5[3].z * m_5[1].w)))) + (m_5[3].y * ((m_5[1].z * m_5[2].w) - (m_5[2].z * m_5[1].w)))), -((((m_5[0].y * ((m_5[2].z * m_5[3].w) - (m_5[3].z * m_5[2].w))) - (m_5[2].y * ((m_5[0].z * m_5[3].w) - (m_5[3].z * m_5[0].w)))) + (m_5[3].y * ((m_5[0].z * m_5[2].w) - (m_5[2].z * m_5[0].w))))), (((m_5[0].y * ((m_5[1].z * m_5[3].w) - (m_5[3].z * m_5[1].w))) - (m_5[1].y * ((m_5[0].z * m_5[3].w) - (m_5[3].z * m_5[0].w)))) + (m_5[3].y * ((m_5[0].z * m_5[1].w) - (m_5[1].z * m_5[0].w)))), -((((m_5[0].y * ((m_5[1].z * m_5[2].w) - (m_5[2].z * m_5[1].w))) - (m_5[1].y * ((m_5[0].z * m_5[2].w) - (m_5[2].z * m_5[0].w)))) + (m_5[2].y * ((m_5[0].z * m_5[1].w) - (m_5[1].z * m_5[0].w)))))) * _e23), (vec4<f32>(-((((m_5[1].x * ((m_5[2].z * m_5[3].w) - (m_5[3].z * m_5[2].w))) - (m_5[2].x * ((m_5[1].z * m_5[3].w) - (m_5[3].z * m_5[1].w)))) + (m_5[3].x * ((m_5[1].z * m_5[2].w) - (m_5[2].z * m_5[1].w))))), (((m_5[0].x * ((m_5[2].z * m_5[3].w) - (m_5[3].z * m_5[2].w))) - (m_5[2].x * ((m_5[0].z * m_5[3].w) - (m_5[3].z * m_5[0].w)))) + (m_5[3].x * ((m_5[0].z * m_5[2].w) - (m_5[2].z * m_5[0].w)))), -((((m_5[0].x * ((m_5[1].z * m_5[3].w) - (m_5[3].z * m_5[1].w))) - (m_5[1].x * ((m_5[0].z * m_5[3].w) - (m_5[3].z * m_5[0].w)))) + (m_5[3].x * ((m_5[0].z * m_5[1].w) - (m_5[1].z * m_5[0].w))))), (((m_5[0].x * ((m_5[1].z * m_5[2].w) - (m_5[2].z * m_5[1].w))) - (m_5[1].x * ((m_5[0].z * m_5[2].w) - (m_5[2].z * m_5[0].w)))) + (m_5[2].x * ((m_5[0].z * m_5[1].w) - (m_5[1].z * m_5[0].w))))) * _e23), (vec4<f32>((((m_5[1].x * ((m_5[2].y * m_5[3].w) - (m_5[3].y * m_5[2].w))) - (m_5[2].x * ((m_5[1].y * m_5[3].w) - (m_5[3].y * m_5[1].w)))) + (m_5[3].x * ((m_5[1].y * m_5[2].w) - (m_5[2].y * m_5[1].w)))), -((((m_5[0].x * ((m_5[2].y * m_5[3].w) - (m_5[3].y * m_5[2].w))) - (m_5[2].x * ((m_5[0].y * m_5[3].w) - (m_5[3].y * m_5[0].w)))) + (m_5[3].x * ((m_5[0].y * m_5[2].w) - (m_5[2].y * m_5[0].w))))), (((m_5[0].x * ((m_5[1].y * m_5[3].w) - (m_5[3].y * m_5[1].w))) - (m_5[1].x * ((m_5[0].y * m_5[3].w) - (m_5[3].y * m_5[0].w)))) + (m_5[3].x * ((m_5[0].y * m_5[1].w) - (m_5[1].y * m_5[0].w)))), -((((m_5[0].x * ((m_5[1].y * m_5[2].w) - (m_5[2].y * m_5[1].w))) - (m_5[1].x * ((m_5[0].y * m_5[2].w) - (m_5[2].y * m_5[0].w)))) + (m_5[2].x * ((m_5[0].y * m_5[1].w) - (m_5[1].y * m_5[0].w)))))) * _e23), (vec4<f32>(-((((m_5[1].x * ((m_5[2].y * m_5[3].z) - (m_5[3].y * m_5[2].z))) - (m_5[2].x * ((m_5[1].y * m_5[3].z) - (m_5[3].y * m_5[1].z)))) + (m_5[3].x * ((m_5[1].y * m_5[2].z) - (m_5[2].y * m_5[1].z))))), (((m_5[0].x * ((m_5[2].y * m_5[3].z) - (m_5[3].y * m_5[2].z))) - (m_5[2].x * ((m_5[0].y * m_5[3].z) - (m_5[3].y * m_5[0].z)))) + (m_5[3].x * ((m_5[0].y * m_5[2].z) - (m_5[2].y * m_5[0].z)))), -((((m_5[0].x * ((m_5[1].y * m_5[3].z) - (m_5[3].y * m_5[1].z))) - (m_5[1].x * ((m_5[0].y * m_5[3].z) - (m_5[3].y * m_5[0].z)))) + (m_5[3].x * ((m_5[0].y * m_5[1].z) - (m_5[1].y * m_5[0].z))))), (((m_5[0].x * ((m_5[1].y * m_5[2].z) - (m_5[2].y * m_5[1].z))) - (m_5[1].x * ((m_5[0].y * m_5[2].z) - (m_5[2].y * m_5[0].z)))) + (m_5[2].x * ((m_5[0].y * m_5[1].z) - (m_5[1].y * m_5[0].z))))) * _e23));
}

fn main_1() {
    var p: vec2<f32>;
    var i: i32;
    var j: i32;
    var a: mat2x2<f32>;
    var b: mat3x3<f32>;
    var c: mat4x4<f32>;
    var d: mat2x3<f32>;
    var e: mat3x2<f32>;
    var r: f32;
    var s: f32;
    var f: mat2x2<f32>;
    var v: vec3<f32>;
    var g: f32;
    var h: mat4x4<f32>;
    var k: mat2x2<f32>;
    var l: mat3x4<f32>;
    var same: bool;
    var other: bool;

    let _e19 = gl_FragCoord_1;
    p = ((_e19.xy / vec2<f32>(16f, 16f)) + vec2<f32>(0.25f, 0.25f));
    let _e26 = gl_FragCoord_1.x;
    i = (i32(_e26) % 3i);
    let _e31 = gl_FragCoord_1.y;
    j = (i32(_e31) % 3i);
    let _e36 = p.x;
    let _e37 = p.y;
    a = mat2x2<f32>(vec2<f32>(_e36, 2f), vec2<f32>(_e37, 1f));
    let _e45 = p.x;
    let _e46 = p.y;
    b = mat3x3<f32>(vec3<f32>(_e45, 2f, 1f), vec3<f32>(0.5f, _e46, 3f), vec3<f32>(1f, 0f, 2f));
    let _e54 = b;
    c = mat4x4<f32>(vec4<f32>(_e54[0], 0f), vec4<f32>(_e54[1], 0f), vec4<f32>(_e54[2], 0f), vec4<f32>(0f, 0f, 0f, 1f));
    let _e64 = p;
    c[3] = vec4<f32>(_e64, 1f, 4f);
    let _e70 = p.x;
    c[2][3] = _e70;
    let _e71 = p;
    let _e72 = p;
    let _e73 = _e72.yx;
    d = mat2x3<f32>(vec3<f32>(_e71.x, _e71.y, 1f), vec3<f32>(2f, _e73.x, _e73.y));
    let _e81 = d;
    e = transpose(_e81);
    let _e83 = a;
    let _e84 = inverse_2x2_(_e83);
    let _e85 = sum(_e84);
    let _e86 = b;
    let _e87 = inverse_3x3_(_e86);
    let _e88 = sum_2(_e87);
    r = (_e85 + (_e88 * 0.5f));
    let _e91 = c;
    let _e92 = inverse_4x4_(_e91);
    let _e93 = sum_1(_e92);
    let _e94 = b;
    let _e97 = c;
    s = ((_e93 + determinant(_e94)) + determinant(_e97));
    let _e100 = a;
    let _e101 = a;
    let _e109 = sum(mat2x2<f32>((_e100[0] * _e101[0]), (_e100[1] * _e101[1])));
    let _e110 = a;
    let _e112 = (_e110 + mat2x2<f32>(vec2<f32>(2f, 2f), vec2<f32>(2f, 2f)));
    let _e113 = a;
    let _e121 = sum(mat2x2<f32>((_e113[0] / _e112[0]), (_e113[1] / _e112[1])));
    let _e123 = a;
    let _e129 = sum(mat2x2<f32>(-(_e123[0]), -(_e123[1])));
    let _e131 = a;
    let _e134 = sum((_e131 - mat2x2<f32>(vec2<f32>(1f, 1f), vec2<f32>(1f, 1f))));
    let _e136 = a;
    let _e138 = sum((_e136 * 2f));
    let _e140 = a;
    let _e148 = sum(mat2x2<f32>((_e140[0] / mat2x2<f32>(vec2<f32>(2f, 2f), vec2<f32>(2f, 2f))[0]), (_e140[1] / mat2x2<f32>(vec2<f32>(2f, 2f), vec2<f32>(2f, 2f))[1])));
    let _e150 = s;
    s = (_e150 + (((((_e109 + _e121) + _e129) + _e134) + _e138) + _e148));
    let _e152 = a;
    f = _e152;
    let _e153 = f;
    let _e154 = vec2(1f);
    f = (_e153 + mat2x2<f32>(_e154, _e154));
    let _e157 = f;
    let _e158 = vec2(1f);
    f = (_e157 - mat2x2<f32>(_e158, _e158));
    let _e161 = a;
    let _e162 = f;
    f = (_e162 * _e161);
    let _e164 = f;
    f = (_e164 + mat2x2<f32>(vec2<f32>(3f, 0f), vec2<f32>(0f, 3f)));
    let _e167 = f;
    let _e168 = sum(_e167);
    let _e169 = p;
    let _e170 = p;
    let _e171 = _e170.yx;
    let _e177 = sum(mat2x2<f32>((_e169 * _e171.x), (_e169 * _e171.y)));
    let _e179 = e;
    let _e180 = d;
    let _e182 = sum_2((_e180 * _e179));
    let _e184 = d;
    let _e185 = e;
    let _e187 = sum((_e185 * _e184));
    let _e189 = r;
    r = (_e189 + (((_e168 + _e177) + _e182) + _e187));
    let _e191 = i;
    let _e193 = j;
    let _e195 = b[_e191][_e193];
    b[_e191][_e193] = (_e195 + 1f);
    let _e197 = j;
    let _e199 = i;
    let _e201 = b[_e199];
    b[_e197] = _e201.zxy;
    let _e203 = i;
    let _e205 = b[_e203];
    v = _e205;
    let _e206 = j;
    v[_e206] = 7f;
    let _e209 = v;
    let _e210 = _e209.xy;
    v.z = _e210.x;
    v.x = _e210.y;
    let _e215 = b;
    let _e216 = sum_2(_e215);
    let _e217 = j;
    let _e219 = v;
    let _e220 = b[_e217];
    let _e223 = b;
    let _e224 = v;
    let _e228 = v;
    let _e229 = b;
    g = (((_e216 + dot(_e219, _e220)) + (_e224 * _e223).y) + (_e229 * _e228).z);
    let _e233 = p;
    let _e234 = p;
    let _e235 = mat2x2<f32>(_e233, _e234);
    h = mat4x4<f32>(vec4<f32>(_e235[0], 0f, 0f), vec4<f32>(_e235[1], 0f, 0f), vec4<f32>(0f, 0f, 1f, 0f), vec4<f32>(0f, 0f, 0f, 1f));
    let _e243 = c;
    k = mat2x2<f32>(_e243[0].xy, _e243[1].xy);
    let _e249 = k;
    l = mat3x4<f32>(vec4<f32>(_e249[0], 0f, 0f), vec4<f32>(_e249[1], 0f, 0f), vec4<f32>(0f, 0f, 1f, 0f));
    let _e258 = p.x;
    let _e259 = p.y;
    let _e262 = mat2x2<f32>(vec2<f32>(_e258, 2f), vec2<f32>(_e259, 1f));
    let _e263 = a;
    same = (all((_e263[0] == _e262[0])) && all((_e263[1] == _e262[1])));
    let _e273 = k;
    let _e274 = a;
    other = !((all((_e274[0] == _e273[0])) && all((_e274[1] == _e273[1]))));
    let _e285 = r;
    let _e286 = s;
    let _e289 = g;
    let _e290 = h;
    let _e291 = sum_1(_e290);
    let _e293 = k;
    let _e294 = sum(_e293);
    let _e297 = l[2][2];
    let _e299 = same;
    let _e302 = other;
    colour = vec4<f32>(_e285, (_e286 * 0.1f), (_e289 + _e291), (((_e294 + _e297) + f32(_e299)) + (f32(_e302) * 2f)));
    return;
}

@fragment 
fn main(@builtin(position) gl_FragCoord: vec4<f32>) -> @location(0) vec4<f32> {
    gl_FragCoord_1 = gl_FragCoord;
    main_1();
    let _e3 = colour;
    return _e3;
}
