// ERROR: E0104 2:1
#defin PI 3.14159
precision mediump float;
void main() {
    gl_FragColor = vec4(3.14159);
}
