#version 310 es
// write: es 310, es 300, desktop 330, es 100
precision mediump float;
flat in highp ivec2 a;
flat in highp uint b;
layout(location = 0) out vec4 color;
void main() {
    int first = findMSB(a.x) + findLSB(b);
    color = vec4(first, bitCount(a), bitfieldReverse(b));
}
