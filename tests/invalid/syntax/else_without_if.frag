// ERROR: E0201 9:5
precision mediump float;
varying float x;
void main() {
    if (x > 0.5);
    {
        discard;
    }
    else {
        gl_FragColor = vec4(1.0);
    }
}
