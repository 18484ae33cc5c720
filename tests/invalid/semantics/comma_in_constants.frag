// ERROR: E0309 6:17
// ERROR: E0309 7:16
// ERROR: E0309 9:13
#version 300 es
precision mediump float;
const float A = (1.0, 2.0);
float global = (1.0, 2.0);
void main() {
    float b[(1, 2)];
    float c = (global, 2.0);
    for (int i = 0, j = 1; i < 3; ++i, ++j) c += float(j);
}
