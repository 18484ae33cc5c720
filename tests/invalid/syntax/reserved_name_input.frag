// ERROR: E0203 3:19
precision mediump float;
uniform sampler2D input;
varying vec2 uv;
void main() {
    gl_FragColor = texture2D(input, uv);
}
