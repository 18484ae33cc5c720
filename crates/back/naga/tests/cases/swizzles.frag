#version 300 es
precision highp float;
precision highp int;
out vec4 colour;
struct Box { vec4 low; mat3 turn; int counts[3]; };
Box global_box;
const float table[4] = float[4](1.0, 4.0, 9.0, 16.0);
const Box fixed_box = Box(vec4(1.0, 2.0, 3.0, 4.0), mat3(2.0), int[3](7, 8, 9));
float state[3];

void main() {
    vec2 p = gl_FragCoord.xy;
    int i = int(p.x) & 3;
    int j = int(p.y) % 3;
    vec4 v = vec4(p, p.yx);
    v.wx = v.xy;
    v.zy += vec2(1.0, 2.0);
    v[i] *= 3.0;
    v.yzw[j] -= 4.0;
    v = v.wzyx;
    float a = v.zyx.y++ + ++v.x;
    Box boxes[2];
    boxes[0] = fixed_box;
    boxes[1].low = v;
    boxes[i & 1].turn[j].zx = p;
    boxes[i & 1].turn[j][1] = 5.0;
    boxes[1].counts[j] += 3;
    boxes[0].counts[j]--;
    global_box = boxes[1];
    global_box.low.xw = v.yz;
    state[j] = p.x;
    ivec3 n = ivec3(boxes[0].counts[0], boxes[0].counts[1], boxes[0].counts[2]);
    n.zx ^= ivec2(5, 3);
    n <<= 1;
    bvec2 b = bvec2(p.x > 3.0, p.y > 5.0);
    b.yx = b;
    colour = vec4(a + v.x + v.y * 2.0, global_box.low.w + global_box.turn[j].x + boxes[0].turn[1][1] + table[i],
        float(n.x + n.y * 2 + n.z * 3) + state[0] + state[1] * 2.0 + state[2] * 3.0, v.z + v.w + float(b.x) + 2.0 * float(b.y));
}
