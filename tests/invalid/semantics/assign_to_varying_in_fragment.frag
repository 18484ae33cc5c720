// ERROR: E0308 5:5
precision mediump float;
varying vec2 uv;
void main() {
    uv = vec2(0.0);
    gl_FragColor = uv.xyxy;
}
