#version 450
layout(location = 0) out vec4 color;
void main() {
    float x = 0.0;
    switch (int(gl_FragCoord.x) & 3) {
    case 0: x += 0.25;
    case 2: x += 0.5; break;
    default: x = 0.1;
    }
    color = vec4(x);
}
