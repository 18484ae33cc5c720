#version 300 es
// A striped rug where one name weaves with four signatures: overloads call each other, which is no recursion.
// `inout` of elements at dynamic index, `f().x`, columns of a matrix written.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float weave(float x) {
    return 0.5 + 0.5 * sin(x);
}

float weave(vec2 p) {
    return weave(p.x) * weave(p.y + 0.5 * weave(p.x));
}

vec3 weave(vec3 dye, vec2 p) {
    return dye * (0.72 + 0.4 * weave(p));
}

void weave(inout vec3 dye, float amount) {
    dye = weave(dye, vec2(amount, 2.0 * amount));
    dye.g += 0.05 * weave(amount);
}

void exchange(inout vec3 a, inout vec3 b) {
    vec3 kept = a;
    a = b;
    b = kept;
}

int taken = 0;

int next(int among) {
    taken += 3;
    return taken % among;
}

mat4 fringe(float x) {
    mat4 m = mat4(0.0);
    for (int i = 0; i < 4; ++i) {
        m[i] = vec4(weave(x + float(i)));
        m[i].w = 1.0 - m[i].x;
        m[3 - i][i] += 0.25;
    }
    return m;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution;
    int band = int(p.y * 12.0);
    vec3 dyes[5] = vec3[5](vec3(0.68, 0.16, 0.14), vec3(0.92, 0.72, 0.34), vec3(0.14, 0.28, 0.36), vec3(0.90, 0.86, 0.76), vec3(0.36, 0.46, 0.28));
    exchange(dyes[band % 5], dyes[(band + 2) % 5]);
    weave(dyes[band % 5], 3.0 * p.x + time);
    dyes[next(5)] *= 0.9;
    dyes[next(5)] += 0.06 * weave(vec2(9.0 * p.x, 4.0));
    float zigzag = abs(fract(p.x * 8.0) - 0.5) * 2.0;
    float inside = fract(p.y * 12.0);
    int chosen = band % 3 == 1 && inside < 0.2 + 0.6 * zigzag ? next(5) : band % 5;
    if (band % 4 == 2 && abs(inside - 0.5) + abs(fract(p.x * 12.0) - 0.5) < 0.36) {
        chosen = (chosen + next(4)) % 5;
    }
    vec3 c = weave(dyes[chosen], 240.0 * p).rgb;
    c *= 0.90 + 0.15 * weave(vec3(1.0, 0.8, 0.6), 700.0 * p.xx).yzx.x;
    float edge = min(p.x, 1.0 - p.x);
    if (edge < 0.06) {
        mat4 threads = fringe(400.0 * p.y);
        c = mix(vec3(0.24, 0.19, 0.17), vec3(0.86, 0.80, 0.66), clamp((threads * vec4(0.4, 0.3, 0.2, 0.4)).y - 0.2, 0.0, 1.0));
    }
    color = vec4(c, 1.0);
}
