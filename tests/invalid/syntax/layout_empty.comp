// ERROR: E0201 3:8
#version 310 es
layout() in;
void main() {
}
