// ERROR: E0502 7:2
#version 300 es
precision mediump float;
out vec4 color;
void Main() {
    color = vec4(1.0);
}
