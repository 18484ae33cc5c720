// ERROR: E0309 8:14
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    int n = 1;
    switch (n) {
        case n:
            break;
    }
    color = vec4(1.0);
}
