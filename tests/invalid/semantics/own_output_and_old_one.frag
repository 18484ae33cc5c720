// ERROR: E0504 6:22
#version 130
out vec4 own;
void main() {
    own = vec4(1.0);
    if (own.x > 2.0) gl_FragColor = own;
}
