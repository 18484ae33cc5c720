struct Box {
    low: vec4f,
    turn: mat3x3f,
    counts: array<i32, 3>,
}

var<private> global_box: Box;
var<private> state: array<f32, 3>;
const table = array<f32, 4>(1.0, 4.0, 9.0, 16.0);

@fragment
fn main(@builtin(position) frag_coord: vec4f) -> @location(0) vec4f {
    let p = frag_coord.xy;
    let i = i32(p.x) & 3;
    let j = i32(p.y) % 3;
    var v = vec4f(p, p.yx);
    let t = v.xy;
    v.w = t.x;
    v.x = t.y;
    let t_1 = v.zy + vec2f(1.0, 2.0);
    v.z = t_1.x;
    v.y = t_1.y;
    v[i] *= 3.0;
    v[vec3u(1u, 2u, 3u)[min(u32(j), 2u)]] -= 4.0;
    v = v.wzyx;
    let t_2 = v.y;
    v.y = t_2 + 1.0;
    let t_3 = v.x + 1.0;
    v.x = t_3;
    let a = t_2 + t_3;
    var boxes: array<Box, 2>;
    boxes[0] = Box(vec4f(1.0, 2.0, 3.0, 4.0), mat3x3f(vec3f(2.0, 0.0, 0.0), vec3f(0.0, 2.0, 0.0), vec3f(0.0, 0.0, 2.0)), array<i32, 3>(7, 8, 9));
    boxes[1].low = v;
    let index = i & 1;
    let t_4 = p;
    boxes[index].turn[j].z = t_4.x;
    boxes[index].turn[j].x = t_4.y;
    boxes[i & 1].turn[j].y = 5.0;
    boxes[1].counts[j] += 3;
    boxes[0].counts[j]--;
    global_box = boxes[1];
    let t_5 = v.yz;
    global_box.low.x = t_5.x;
    global_box.low.w = t_5.y;
    state[j] = p.x;
    var n = vec3i(boxes[0].counts[0], boxes[0].counts[1], boxes[0].counts[2]);
    let t_6 = n.zx ^ vec2i(5, 3);
    n.z = t_6.x;
    n.x = t_6.y;
    n = n << vec3u(1u);
    var b = vec2<bool>(p.x > 3.0, p.y > 5.0);
    let t_7 = b;
    b.y = t_7.x;
    b.x = t_7.y;
    let t_8 = f32(n.x + n.y * 2 + n.z * 3) + state[0] + state[1] * 2.0 + state[2] * 3.0;
    return vec4f(a + v.x + v.y * 2.0, global_box.low.w + global_box.turn[j].x + boxes[0].turn[1].y + table[i], t_8, v.z + v.w + f32(b.x) + 2.0 * f32(b.y));
}
