// ERROR: E0404 3:8
#version 310 es
layout(early_fragment_tests) in;
void main() { }
