// ERROR: E0311 7:13
#version 300 es
precision mediump float;
uniform sampler2D t;
out vec4 color;
void main() {
    color = texture2D(t, vec2(0.0));
}
