// ERROR: E0205 3:9
attribute vec3 position;
uniform Camera { mat4 view; };
void main() {
    gl_Position = view * vec4(position, 1.0);
}
