// ERROR: E0201 5:27
precision mediump float;
varying vec3 v;
void main() {
    gl_FragColor = vec4(v., 1.0);
}
