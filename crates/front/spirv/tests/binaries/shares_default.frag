#version 450
layout(location=0) out vec4 c;
void main() { float x = 0.0; switch (int(gl_FragCoord.x) & 3) { case 0: default: x = 0.2; break; case 1: x = 0.9; break; } c = vec4(x, 0, 0, 1); }
