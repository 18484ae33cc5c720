// ERROR: E0203 3:1
precision mediump float;
flat varying vec3 normal;
void main() {
    gl_FragColor = vec4(normal, 1.0);
}
