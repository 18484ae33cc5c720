struct Ray {
    origin: vec3f,
    way: vec3f,
    far: f32,
}

struct Hit {
    yes: bool,
    at: f32,
    ray: Ray,
    table: array<f32, 3>,
}

var<private> counter = 0;

fn next() -> i32 {
    let t = counter + 1;
    counter = t;
    return t;
}

fn two(a: ptr<function, f32>, b: ptr<function, vec3f>) {
    *a = (*b).x;
    *b = (*b).zyx;
    (*b).y += *a;
}

fn same(a: ptr<function, f32>, b: ptr<function, f32>) {
    *a += 1.0;
    *b *= 2.0;
}

fn late(x: f32, y: ptr<function, f32>) {
    *y = x;
    *y *= x;
}

fn trace(r: Ray, table: array<f32, 3>) -> Hit {
    var h: Hit;
    h.yes = r.far > 1.0;
    h.at = dot(r.origin, r.way);
    h.ray = r;
    let t = h.ray.origin.xz + 1.0;
    h.ray.origin.x = t.x;
    h.ray.origin.z = t.y;
    h.table = table;
    h.table[1] = 9.0;
    return h;
}

fn turn(m: mat2x2f) -> mat2x2f {
    var m_1 = m;
    m_1[0] = m_1[0].yx;
    return m_1;
}

fn swap(v: vec4f, i: i32) -> f32 {
    var v_1 = v;
    var array_1 = array<f32, 4>(v_1.x, v_1.y, v_1.z, v_1.w);
    let t = 3 - i;
    var t_1 = array_1[i];
    var t_2 = array_1[t];
    same(&t_1, &t_2);
    array_1[i] = t_1;
    array_1[t] = t_2;
    var t_3 = v_1.x;
    var t_4 = v_1.w;
    same(&t_3, &t_4);
    v_1.x = t_3;
    v_1.w = t_4;
    return array_1[0] + array_1[1] * 2.0 + v_1.x + v_1.w * 3.0;
}

fn order(a: i32, b: i32, c: i32) -> f32 {
    return f32(a + b * 10 + c * 100);
}

@fragment
fn main(@builtin(position) frag_coord: vec4f) -> @location(0) vec4f {
    let p = frag_coord.xy;
    var second = vec3f(p, 3.0);
    var first: f32;
    two(&first, &second);
    let ray = Ray(vec3f(p, 1.0), normalize(vec3f(1.0, 2.0, p.x)), p.y);
    let hit = trace(ray, array<f32, 3>(1.0, p.x, 3.0));
    var other = hit;
    other.table[2] = p.y;
    let other_was = other;
    let hit_was = hit;
    let equal = select(0.0, 1.0, hit_was.yes == other_was.yes && hit_was.at == other_was.at && (all(hit_was.ray.origin == other_was.ray.origin) && all(hit_was.ray.way == other_was.ray.way) && hit_was.ray.far == other_was.ray.far) && (hit_was.table[0] == other_was.table[0] && hit_was.table[1] == other_was.table[1] && hit_was.table[2] == other_was.table[2]));
    let m = turn(mat2x2f(p, p.yx));
    var v = vec4f(p, 1.0, 2.0);
    var t = v.xyz;
    var t_1: f32;
    two(&t_1, &t);
    v.w = t_1;
    let t_2 = t;
    v.x = t_2.x;
    v.y = t_2.y;
    v.z = t_2.z;
    let i = i32(p.x) & 3;
    var z = 3.0;
    late(z, &z);
    let next_result = next();
    let next_result_1 = next();
    return vec4f(first + second.y, hit.at + hit.ray.origin.z + hit.table[i32(p.x) % 3] + equal + z, m[0].x + m[1].y + v.w + v.y, swap(v, i) + order(next_result, next_result_1, next()));
}
