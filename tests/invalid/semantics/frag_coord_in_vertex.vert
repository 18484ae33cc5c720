// ERROR: E0301 4:19
#version 300 es
void main() {
    gl_Position = gl_FragCoord;
}
