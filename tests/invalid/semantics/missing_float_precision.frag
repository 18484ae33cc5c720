// ERROR: E0403 2:14
varying vec2 uv;
void main() {
    gl_FragColor = uv.xyxy;
}
