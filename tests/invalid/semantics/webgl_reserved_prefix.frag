// ERROR: E0412 3:15
precision mediump float;
uniform float webgl_x;
void main() {
    gl_FragColor = vec4(webgl_x);
}
