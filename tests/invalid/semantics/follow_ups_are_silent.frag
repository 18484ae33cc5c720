// ERROR: E0301 7:15
// ERROR: E0302 8:15
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a = nothing;
    float b = a + 1;
    vec3 c = a * b * vec3(1.0);
    color = vec4(c, a);
}
