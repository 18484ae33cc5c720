// ERROR: E0201 3:1
precision mediump float;
function shade(x) { return x; }
void main() {
    gl_FragColor = vec4(1.0);
}
