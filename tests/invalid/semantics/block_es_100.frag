// ERROR: E0205 3:9
precision mediump float;
uniform B { float x; };
void main() {
    gl_FragColor = vec4(x);
}
