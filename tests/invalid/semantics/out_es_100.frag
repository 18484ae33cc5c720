// ERROR: E0401 3:1
precision mediump float;
out vec4 color;
void main() {
    color = vec4(1.0);
}
