// ERROR: E0307 6:28
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = vec4(vec2(1.0).xyxyx);
}
