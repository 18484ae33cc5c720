#version 310 es
// write: es 310, es 300, desktop 330, es 100
precision mediump float;
flat in highp ivec2 a;
flat in highp uint b;
layout(location = 0) out vec4 color;
void main() {
    int first = findMSB(a.x) + findLSB(b);
    uint carry;
    uint sum = uaddCarry(b, 7u, carry);
    uint field = bitfieldInsert(sum, carry, a.x, 3);
    color = vec4(first, bitCount(a), bitfieldReverse(b)) + float(bitfieldExtract(field, 4, a.y));
}
