// ERROR: E0201 6:12
precision mediump float;
struct Ray {
    vec3 origin;
    vec3 direction;
    vec3 at(float t) { return origin + t * direction; }
};
void main() {
    gl_FragColor = vec4(1.0);
}
