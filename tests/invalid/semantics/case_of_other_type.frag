// ERROR: E0302 7:14
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    switch (1) {
        case 1u:
            break;
    }
    color = vec4(1.0);
}
