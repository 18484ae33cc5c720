// ERROR: E0505 6:5
precision mediump float;
uniform int n;
void main() {
    float a = 0.0;
    for (int i = 0; i < n; i++) a += 1.0;
    gl_FragColor = vec4(a);
}
