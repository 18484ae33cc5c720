// ERROR: E0203 3:1
#version 300 es
attribute vec3 position;
void main() {
    gl_Position = vec4(position, 1.0);
}
