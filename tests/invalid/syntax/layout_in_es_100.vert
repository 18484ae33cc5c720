// ERROR: E0205 2:1
layout(location = 0) attribute vec3 position;
void main() {
    gl_Position = vec4(position, 1.0);
}
