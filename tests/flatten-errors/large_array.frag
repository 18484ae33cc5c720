// error: E1107 8
// An array of more components than a variable may be split into.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float table[70000];
    table[int(gl_FragCoord.x)] = 1.0;
    color = vec4(table[int(gl_FragCoord.y)]);
}
