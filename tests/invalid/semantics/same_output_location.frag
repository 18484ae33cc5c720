// ERROR: E0404 5:31
#version 300 es
precision mediump float;
layout(location = 0) out vec4 a;
layout(location = 0) out vec4 b;
void main() {
    a = b = vec4(1.0);
}
