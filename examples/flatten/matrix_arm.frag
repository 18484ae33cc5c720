#version 300 es
// A robot's arms from a stack of matrices: push, turn, move, draw, pop.
// An array of matrices with a global stack pointer, columns written, helpers of helpers.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

mat3 stack[4];
int top = 0;
vec3 canvas = vec3(0.0);

void push() {
    stack[top + 1] = stack[top];
    ++top;
}

void pop() {
    --top;
}

void move(vec2 by) {
    stack[top][2].xy += stack[top][0].xy * by.x + stack[top][1].xy * by.y;
}

void turn(float angle) {
    float c = cos(angle);
    float s = sin(angle);
    mat3 m = mat3(1.0);
    m[0] = vec3(c, s, 0.0);
    m[1] = vec3(-s, c, 0.0);
    stack[top] = stack[top] * m;
}

vec2 local(vec2 p) {
    vec2 d = p - stack[top][2].xy;
    return vec2(dot(d, stack[top][0].xy), dot(d, stack[top][1].xy));
}

void bone(vec2 p, float reach, float width, vec3 paint) {
    vec2 q = local(p);
    float along = clamp(q.x / reach, 0.0, 1.0);
    float d = length(q - vec2(along * reach, 0.0)) - width * (1.0 - 0.35 * along);
    vec3 lit = paint * (0.75 + 0.35 * clamp(q.y / width, -1.0, 1.0));
    if (d > -0.018) lit = vec3(0.08, 0.09, 0.12);
    canvas = mix(canvas, lit, smoothstep(0.006, -0.006, d));
    float joint = length(q) - 0.45 * width;
    canvas = mix(canvas, vec3(0.95, 0.90, 0.80), smoothstep(0.006, -0.006, joint));
}

void arm(vec2 p, float bend, vec3 paint) {
    push();
    turn(bend);
    bone(p, 0.55, 0.10, paint);
    push();
    move(vec2(0.55, 0.0));
    turn(-1.5 * bend + 0.4);
    bone(p, 0.42, 0.075, paint * 1.1);
    push();
    move(vec2(0.42, 0.0));
    for (int finger = -1; finger <= 1; finger += 2) {
        turn(float(finger) * 0.7);
        bone(p, 0.17, 0.035, vec3(0.85, 0.80, 0.72));
    }
    pop();
    pop();
    pop();
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    canvas = mix(vec3(0.86, 0.88, 0.84), vec3(0.62, 0.74, 0.80), 0.5 + 0.5 * p.y);
    if (p.y < -0.7) canvas = vec3(0.40, 0.38, 0.40) + 0.08 * step(0.5, fract(4.0 * (p.x - p.y)));
    stack[0] = mat3(1.0);
    stack[0][2].xy = vec2(-0.05, -0.62);
    for (int i = 0; i < 3; ++i) {
        float swing = 0.5 * sin(1.3 * time + 2.0 * float(i));
        vec3 paint = i == 0 ? vec3(0.88, 0.50, 0.16) : i == 1 ? vec3(0.20, 0.52, 0.55) : vec3(0.72, 0.25, 0.28);
        push();
        move(vec2(0.45 * float(i) - 0.45, 0.0));
        arm(p, 1.1 + swing + 0.35 * float(i), paint);
        pop();
    }
    color = vec4(canvas, 1.0);
}
