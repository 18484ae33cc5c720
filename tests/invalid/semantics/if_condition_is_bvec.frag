// ERROR: E0310 6:9
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    if (lessThan(vec2(0.0), vec2(1.0))) color = vec4(1.0);
}
