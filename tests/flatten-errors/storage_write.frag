// error: E1103 9
// A fragment that writes into a buffer.
#version 310 es
precision highp float;
precision highp int;
layout(std430, binding = 0) buffer Sums { float sums[]; };
out vec4 color;
void main() {
    sums[int(gl_FragCoord.x)] = gl_FragCoord.y;
    color = vec4(1.0);
}
