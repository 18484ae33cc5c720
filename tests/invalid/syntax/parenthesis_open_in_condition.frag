// ERROR: E0202 5:31
precision mediump float;
varying vec2 uv;
void main() {
    if (max(uv.x, uv.y) > (0.5 {
        discard;
    }
    gl_FragColor = vec4(1.0);
}
