// ERROR: E0302 6:13
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = true ? vec4(1.0) : vec3(1.0);
}
