// ERROR: E0201 9:9
#version 300 es
precision mediump float;
uniform int mode;
out vec4 colour;
void main() {
    colour = vec4(0.0);
    switch (mode)
        case 0: colour = vec4(1.0);
}
