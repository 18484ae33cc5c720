#version 300 es
// A cube turned by a quaternion, hit by a ray in closed form; pips on its faces make it a die.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec4 quaternion(vec3 axis, float angle) {
    return vec4(normalize(axis) * sin(0.5 * angle), cos(0.5 * angle));
}

vec4 times(vec4 a, vec4 b) {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

vec3 rotate(vec4 q, vec3 v) {
    vec3 t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

// Which pips a number has: bits of a grid of three by three.
const int PIPS[6] = int[6](0x010, 0x044, 0x054, 0x145, 0x155, 0x16d);

bool on_pip(vec2 f, int number) {
    vec2 grid = (f * 0.5 + 0.5) * 3.0;
    ivec2 cell = ivec2(clamp(floor(grid), 0.0, 2.0));
    return (PIPS[number - 1] >> (cell.x + 3 * cell.y) & 1) == 1 && length(fract(grid) - 0.5) < 0.33;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec4 turn = times(quaternion(vec3(0.0, 1.0, 0.0), 0.7 + 0.4 * time), quaternion(vec3(1.0, 0.0, 0.3), 0.6));
    vec4 back = vec4(-turn.xyz, turn.w);
    vec3 eye = rotate(back, vec3(0.0, 0.0, 6.0));
    vec3 dir = rotate(back, normalize(vec3(p * 0.38, -1.0)));
    vec3 inverse = 1.0 / dir;
    vec3 k = abs(inverse);
    vec3 near = -inverse * eye - k;
    vec3 far = -inverse * eye + k;
    float enter = max(max(near.x, near.y), near.z);
    float leave = min(min(far.x, far.y), far.z);
    vec3 paint = mix(vec3(0.10, 0.30, 0.22), vec3(0.05, 0.16, 0.12), length(p) * 0.7);
    if (enter < leave) {
        vec3 at = eye + enter * dir;
        vec3 n;
        vec2 face;
        int number;
        if (near.x > near.y && near.x > near.z) {
            n = vec3(-sign(dir.x), 0.0, 0.0);
            face = at.yz;
            number = dir.x < 0.0 ? 1 : 6;
        } else if (near.y > near.z) {
            n = vec3(0.0, -sign(dir.y), 0.0);
            face = at.zx;
            number = dir.y < 0.0 ? 2 : 5;
        } else {
            n = vec3(0.0, 0.0, -sign(dir.z));
            face = at.xy;
            number = dir.z < 0.0 ? 3 : 4;
        }
        vec3 world = rotate(turn, n);
        float light = 0.35 + 0.65 * max(dot(world, normalize(vec3(0.4, 0.8, 0.6))), 0.0);
        vec3 base = on_pip(face, number) ? vec3(0.12, 0.10, 0.12) : vec3(0.95, 0.92, 0.86);
        float rim = max(abs(face.x), abs(face.y));
        paint = base * light * (1.0 - 0.25 * smoothstep(0.88, 1.0, rim));
    }
    color = vec4(paint, 1.0);
}
