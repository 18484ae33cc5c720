// ERROR: E0202 5:25
precision mediump float;
varying vec2 uv;
void main() {
    float d = length(uv));
    gl_FragColor = vec4(d);
}
