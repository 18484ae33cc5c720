// ERROR: E0505 5:5
precision mediump float;
void main() {
    int i = 0;
    while (i < 3) i++;
    gl_FragColor = vec4(float(i));
}
