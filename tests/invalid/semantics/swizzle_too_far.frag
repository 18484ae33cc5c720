// ERROR: E0307 7:20
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    vec2 v = vec2(1.0);
    color = vec4(v.z);
}
