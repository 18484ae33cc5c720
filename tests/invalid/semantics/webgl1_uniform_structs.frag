// ERROR: E0505 4:11
precision mediump float;
struct L { vec4 a; vec3 b; float c; };
uniform L l[9];
void main() { gl_FragColor = l[0].a; }
