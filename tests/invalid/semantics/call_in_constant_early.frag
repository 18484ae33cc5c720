// ERROR: E0309 4:24
#version 110
void main() {
    const float root = sqrt(2.0);
    gl_FragColor = vec4(root);
}
