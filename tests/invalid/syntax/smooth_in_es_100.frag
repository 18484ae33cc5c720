// ERROR: E0205 3:1
precision mediump float;
smooth varying vec3 normal;
void main() {
    gl_FragColor = vec4(normal, 1.0);
}
