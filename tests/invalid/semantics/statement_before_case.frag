// ERROR: E0315 7:9
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    switch (1) {
        color = vec4(1.0);
        case 1:
            break;
    }
}
