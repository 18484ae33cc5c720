// ERROR: E0302 9:15
// ERROR: E0301 10:15
// ERROR: E0302 11:14
// ERROR: E0301 12:29
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a = 1;
    float b = undefined_name;
    vec3 c = vec2(a);
    color = vec4(a, b, c.x, missing(1.0));
}
