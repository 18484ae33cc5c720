// ERROR: E0315 9:9
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    switch (1) {
        default:
            break;
        default:
            break;
    }
    color = vec4(1.0);
}
