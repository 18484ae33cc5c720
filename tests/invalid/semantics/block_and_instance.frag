// ERROR: E0304 5:31
// REFUSED BY: glslangValidator
#version 300 es
precision mediump float;
uniform camera { vec4 tint; } camera;
out vec4 color;
void main() { color = camera.tint; }
