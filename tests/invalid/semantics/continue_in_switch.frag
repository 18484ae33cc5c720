// ERROR: E0314 8:13
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    switch (1) {
        case 1:
            continue;
    }
    color = vec4(1.0);
}
