// error: E1103 10
// The write stands in a helper, under a condition.
#version 310 es
precision highp float;
precision highp int;
layout(std430, binding = 0) buffer Log { uint count; float entries[]; };
out vec4 color;
float note(float x) {
    if (x > 0.5) {
        entries[0] = x;
        return 1.0;
    }
    return x;
}
void main() {
    color = vec4(note(fract(gl_FragCoord.x)));
}
