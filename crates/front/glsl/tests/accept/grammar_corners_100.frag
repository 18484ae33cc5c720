// Corners of the grammar: empty declarators, and qualifiers of variables that are not used.
precision mediump float;
invariant gl_FragColor;
invariant gl_FragData;
float, a;
struct S { float x; }, b;
float;
void main() {
    int, i;
    b.x = a;
    i = 1;
    gl_FragData[0] = vec4(b.x);
}
