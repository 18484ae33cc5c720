// ERROR: E0303 7:13
#version 300 es
precision mediump float;
uniform sampler2D t;
out vec4 color;
void main() {
    color = texture(t, vec3(0.0));
}
