// ERROR: E0401 3:1
#version 300 es
flat in int i;
void main() {
    gl_Position = vec4(float(i));
}
