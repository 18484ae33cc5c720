#version 300 es
// write: es 300
precision highp float;
uniform float seed;
out vec4 color;
float state;
float next() { state = fract(state * 43.7 + 0.1); return state; }
float pair(float a, float b) { return a - b * 2.0; }
void swap(inout float a, inout float b) { float t = a; a = b; b = t; }
void main() {
    state = seed;
    float a = pair(next(), next());
    float b = state + next();
    float c = next() + state;
    int i = 0;
    float v[3];
    v[i++] = a; v[i++] = b; v[i] = float(i++);
    swap(v[0], v[1]);
    swap(a, b);
    vec4 q = vec4(a, b, c, v[0]);
    swap(q.x, q.y);
    q.zw = q.wz;
    a = b = c;
    color = q + a + (b += 1.0) + v[2];
}
