// ERROR: E0411 5:7
#version 120
float steps[];
void third() { steps[2] = 1.0; }
float steps[2];
void main() { third(); gl_Position = vec4(steps[0]); }
