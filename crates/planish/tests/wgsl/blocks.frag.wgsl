struct Part {
    a: f32,
    b: vec3f,
    c: array<vec4f, 2>,
    d: array<vec4f, 2>,
}

struct Things_1 {
    first: f32,
    second: vec3f,
    third: u32,
    fourth: array<vec4f, 2>,
    fifth: array<vec3f, 3>,
    sixth: array<vec4f, 3>,
    seventh: array<vec4f, 2>,
    parts: array<Part, 2>,
    eighth: array<vec4f, 3>,
    single: Part,
    ninth: vec2f,
    tenth: f32,
}

struct Other {
    m: array<vec4f, 4>,
    n: array<vec3f, 2>,
    o: array<vec4f, 3>,
    p: array<vec3i, 2>,
}

struct Part_1 {
    a: f32,
    b: vec3f,
    c: array<f32, 2>,
    d: mat2x2f,
}

@group(0) @binding(0) var<uniform> Things: Things_1;
@group(0) @binding(1) var<uniform> other: Other;

@fragment
fn main(@builtin(position) frag_coord: vec4f) -> @location(0) vec4f {
    let i = i32(frag_coord.x) % 2;
    let j = i32(frag_coord.y) % 3;
    let i_was = i;
    let j_was = j;
    let j_was_1 = j;
    let t = Things.first + Things.second.z + select(20.0, 10.0, Things.third != 0u) + Things.fourth[i_was].x + Things.fifth[1][j_was] + Things.fifth[j_was_1][0];
    var r = t + Things.sixth[j].x + Things.seventh[i].y;
    let p = Part_1(Things.parts[i].a, Things.parts[i].b, array<f32, 2>(Things.parts[i].c[0].x, Things.parts[i].c[1].x), mat2x2f(Things.parts[i].d[0].xy, Things.parts[i].d[1].xy));
    r += p.a + p.b.y + p.c[i] + p.d[1][i];
    let i_was_1 = i;
    let i_was_2 = i;
    let j_was_2 = j;
    let t_1 = Things.parts[1].d[i_was_1].x + Things.parts[i].b[j] + Things.single.c[1].x + Things.ninth.y + Things.tenth + Things.eighth[2][i_was_2];
    var s = t_1 + Things.eighth[j_was_2][1];
    let t_2 = dot(Things.second.zy, Things.ninth.yx) + (transpose(mat3x3f(Things.fifth[0], Things.fifth[1], Things.fifth[2])) * Things.second).x + (Things.second * transpose(mat3x3f(Things.fifth[0], Things.fifth[1], Things.fifth[2]))).y;
    s += t_2;
    let j_was_3 = j;
    let j_was_4 = j;
    let j_was_5 = j;
    let j_was_6 = j;
    var t_3 = transpose(mat4x4f(other.m[0], other.m[1], other.m[2], other.m[3])) * vec4f(1.0, 2.0, 3.0, 4.0);
    var t_4 = other.m[3][j_was_3] + other.m[j_was_4][1] + other.n[0][j_was_5] + other.o[j_was_6].y + t_3[j];
    t_4 += f32(other.p[i].z + other.p[1][j]);
    return vec4f(r, s, t_4, 1.0);
}
