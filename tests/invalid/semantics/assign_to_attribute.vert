// ERROR: E0308 4:5
attribute vec4 p;
void main() {
    p.x = 1.0;
    gl_Position = p;
}
