// ERROR: E0107 4:1
precision mediump float;
#ifndef QUALITY
#error define QUALITY before you use this shader
#endif
void main() {
    gl_FragColor = vec4(1.0);
}
