struct Part {
    a: f32,
    b: vec3<f32>,
    c: array<vec4<f32>, 2>,
    d: array<vec4<f32>, 2>,
}

struct Things {
    first: f32,
    second: vec3<f32>,
    third: u32,
    fourth: array<vec4<f32>, 2>,
    fifth: array<vec3<f32>, 3>,
    sixth: array<vec4<f32>, 3>,
    seventh: array<vec4<f32>, 2>,
    parts: array<Part, 2>,
    eighth: array<vec4<f32>, 3>,
    single: Part,
    ninth: vec2<f32>,
    tenth: f32,
}

struct Other {
    m: array<vec4<f32>, 4>,
    n: array<vec3<f32>, 2>,
    o: array<vec4<f32>, 3>,
    p: array<vec3<i32>, 2>,
}

struct Part_1 {
    a: f32,
    b: vec3<f32>,
    c: array<f32, 2>,
    d: mat2x2<f32>,
}

var<private> colour: vec4<f32>;
@group(0) @binding(0) 
var<uniform> Things_1: Things;
@group(0) @binding(1) 
var<uniform> other: Other;
var<private> gl_FragCoord_1: vec4<f32>;

fn main_1() {
    var i: i32;
    var j: i32;
    var r: f32;
    var p: Part_1;
    var s: f32;
    var t: f32;

    let _e4 = gl_FragCoord_1.x;
    i = (i32(_e4) % 2i);
    let _e9 = gl_FragCoord_1.y;
    j = (i32(_e9) % 3i);
    let _e17 = Things_1.second.z;
    let _e18 = Things_1.first;
    let _e21 = Things_1.third;
    let _e33 = i;
    let _e36 = Things_1.fourth[_e33].x;
    let _e39 = j;
    let _e42 = Things_1.fifth[1][_e39];
    let _e45 = j;
    let _e48 = Things_1.fifth[_e45].x;
    let _e51 = j;
    let _e54 = Things_1.sixth[_e51].x;
    let _e57 = i;
    let _e60 = Things_1.seventh[_e57].y;
    r = (((((((_e18 + _e17) + select(20f, 10f, (_e21 != 0u))) + _e36) + _e42) + _e48) + _e54) + _e60);
    let _e63 = i;
    let _e66 = Things_1.parts[_e63].a;
    let _e68 = Things_1.parts[_e63].b;
    let _e72 = Things_1.parts[_e63].c[0].x;
    let _e75 = Things_1.parts[_e63].c[1].x;
    let _e79 = Things_1.parts[_e63].d[0];
    let _e82 = Things_1.parts[_e63].d[1];
    p = Part_1(_e66, _e68, array<f32, 2>(_e72, _e75), mat2x2<f32>(_e79.xy, _e82.xy));
    let _e89 = p.b.y;
    let _e90 = p.a;
    let _e93 = i;
    let _e95 = p.c[_e93];
    let _e99 = i;
    let _e101 = p.d[1][_e99];
    let _e103 = r;
    r = (_e103 + (((_e90 + _e89) + _e95) + _e101));
    let _e108 = i;
    let _e111 = i;
    let _e114 = j;
    let _e116 = Things_1.parts[_e111].b[_e114];
    let _e118 = Things_1.parts[1].d[_e108].x;
    let _e124 = Things_1.single.c[1].x;
    let _e128 = Things_1.ninth.y;
    let _e131 = Things_1.tenth;
    let _e134 = i;
    let _e137 = Things_1.eighth[2][_e134];
    let _e140 = j;
    let _e143 = Things_1.eighth[_e140].y;
    s = ((((((_e118 + _e116) + _e124) + _e128) + _e131) + _e137) + _e143);
    let _e147 = Things_1.second;
    let _e149 = Things_1.ninth;
    let _e154 = Things_1.second;
    let _e156 = Things_1.fifth[0];
    let _e158 = Things_1.fifth[1];
    let _e160 = Things_1.fifth[2];
    let _e169 = Things_1.fifth[0];
    let _e171 = Things_1.fifth[1];
    let _e173 = Things_1.fifth[2];
    let _e176 = Things_1.second;
    let _e180 = s;
    s = (_e180 + ((dot(_e147.zy, _e149.yx) + (transpose(mat3x3<f32>(_e156, _e158, _e160)) * _e154).x) + (_e176 * transpose(mat3x3<f32>(_e169, _e171, _e173))).y));
    let _e184 = j;
    let _e188 = j;
    let _e191 = other.m[_e188].y;
    let _e192 = other.m[3][_e184];
    let _e195 = j;
    let _e198 = other.n[0][_e195];
    let _e201 = j;
    let _e204 = other.o[_e201].y;
    let _e208 = other.m[0];
    let _e210 = other.m[1];
    let _e212 = other.m[2];
    let _e214 = other.m[3];
    let _e219 = j;
    t = ((((_e192 + _e191) + _e198) + _e204) + (transpose(mat4x4<f32>(_e208, _e210, _e212, _e214)) * vec4<f32>(1f, 2f, 3f, 4f))[_e219]);
    let _e223 = i;
    let _e228 = j;
    let _e230 = other.p[1][_e228];
    let _e231 = other.p[_e223].z;
    let _e234 = t;
    t = (_e234 + f32((_e231 + _e230)));
    let _e236 = r;
    let _e237 = s;
    let _e238 = t;
    colour = vec4<f32>(_e236, _e237, _e238, 1f);
    return;
}

@fragment 
fn main(@builtin(position) gl_FragCoord: vec4<f32>) -> @location(0) vec4<f32> {
    gl_FragCoord_1 = gl_FragCoord;
    main_1();
    let _e3 = colour;
    return _e3;
}
