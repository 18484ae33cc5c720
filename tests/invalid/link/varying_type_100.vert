varying vec2 v;
void main() { gl_Position = vec4(1.0); v = vec2(1.0); }
