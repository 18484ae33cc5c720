// ERROR: E0201 5:21
precision mediump float;
varying vec2 uv;
void main() {
    float a = uv.x *;
    gl_FragColor = vec4(a);
}
