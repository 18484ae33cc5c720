// ERROR: E0202 5:31
precision mediump float;
varying vec2 uv;
void main() {
    float d = sqrt(dot(uv, uv);
    gl_FragColor = vec4(d);
}
