// ERROR: E0205 3:9
attribute vec3 position;
uniform mat4x3 skin;
void main() {
    gl_Position = vec4(position, 1.0);
}
