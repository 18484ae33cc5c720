// ERROR: E0201 5:22
precision mediump float;
varying vec2 uv;
void main() {
    float a = uv.x + / uv.y;
    gl_FragColor = vec4(a);
}
