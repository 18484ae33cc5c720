// ERROR: E0105 3:1
precision mediump float;
#version 300 es
void main() {
    gl_FragColor = vec4(1.0);
}
