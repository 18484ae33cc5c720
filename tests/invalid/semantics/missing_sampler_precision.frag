// ERROR: E0403 4:19
#version 300 es
precision mediump float;
uniform sampler3D t;
out vec4 color;
void main() {
    color = texture(t, vec3(0.0));
}
