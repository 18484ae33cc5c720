// ERROR: E0302 6:14
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    vec3 v = color;
    color = v.xyzz;
}
