// ERROR: E0303 6:18
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = vec4(mix(vec2(0.0), vec3(1.0), 0.5), 1.0);
}
