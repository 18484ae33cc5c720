// ERROR: E0315 6:13
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    switch (1.0) {
        case 1:
            break;
    }
    color = vec4(1.0);
}
