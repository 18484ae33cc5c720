// ERROR: E0201 5:13
precision mediump float;
varying vec2 uv;
void main() {
    int i = (int)uv.x;
    gl_FragColor = vec4(float(i));
}
