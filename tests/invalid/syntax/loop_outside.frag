// ERROR: E0201 4:1
precision mediump float;
float table[4];
for (int i = 0; i < 4; i++) { table[i] = 1.0; }
void main() {
    gl_FragColor = vec4(table[0]);
}
