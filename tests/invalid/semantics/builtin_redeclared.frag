// ERROR: E0408 4:9
#version 300 es
precision mediump float;
in vec3 gl_FragCoord;
out vec4 color;
void main() {
    color = gl_FragCoord;
}
