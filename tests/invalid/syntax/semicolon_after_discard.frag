// ERROR: E0201 6:16
precision mediump float;
varying float alpha;
void main() {
    if (alpha < 0.5)
        discard
    gl_FragColor = vec4(alpha);
}
