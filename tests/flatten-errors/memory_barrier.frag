// error: E1103 8
// Waiting for memory.
#version 310 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    memoryBarrier();
    color = gl_FragCoord / 256.0;
}
