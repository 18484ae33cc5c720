// ERROR: E0201 3:9
attribute vec3 position;
uniform scale;
void main() {
    gl_Position = vec4(position, 1.0);
}
