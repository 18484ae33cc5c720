// ERROR: E0201 6:18
precision mediump float;
uniform float weights[4];
void main() {
    float sum = 0.0;
    for (float w : weights) {
        sum += w;
    }
    gl_FragColor = vec4(sum);
}
