#version 320 es
precision highp float;
layout(isolines, equal_spacing) in;
in vec4 c[];
patch in vec2 p;
out vec4 d;
void main() {
    d = c[0] * gl_TessCoord.x + vec4(p, 0.0, 1.0);
    gl_Position = gl_in[1].gl_Position;
}
