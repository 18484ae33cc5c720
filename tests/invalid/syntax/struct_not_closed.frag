// ERROR: E0202 5:20
precision mediump float;
struct Ray {
    vec3 origin;
    vec3 direction;
void main() {
    gl_FragColor = vec4(1.0);
}
