// ERROR: E0401 3:1
#version 300 es
#pragma STDGL invariant(all)
precision mediump float;
out vec4 color;
void main() { color = vec4(1.0); }
