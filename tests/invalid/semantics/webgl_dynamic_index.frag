// ERROR: E0505 7:27
precision mediump float;
uniform int n;
void main() {
    float a[3];
    a[0] = 1.0;
    gl_FragColor = vec4(a[n]);
}
