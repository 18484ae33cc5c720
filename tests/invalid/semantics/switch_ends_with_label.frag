// ERROR: E0315 9:9
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    switch (1) {
        case 1:
            break;
        case 2:
    }
    color = vec4(1.0);
}
