#version 300 es
// write: es 300, es 100, desktop 330, es 300 minify
precision mediump float;
uniform int count;
in vec2 uv;
out vec4 color;
float wave(float x) { return sin(x) * 0.5; }
void main() {
    float sum = 0.0;
    for (int i = 0; i < 4; ++i) sum += wave(float(i) * uv.x);
    for (int i = 0, j = 10; i < j; i++, j--) { if (i == 3) continue; sum -= float(j); }
    int n = count;
    while (n > 0) { n /= 2; if (sum > 9.0) break; }
    do { sum *= 0.5; n++; } while (sum > 1.0 && n < 20);
    for (;;) { if (++n > 30) break; }
    float k;
    for (k = 0.0; k < 1.0; k += 0.25) sum += k;
    for (int a = 0; a < 3; a++) for (int b = a; b < 3; b++) { if (b == 2) break; sum += float(a * b); }
    int first = 0; int second = first + 1;
    for (; first < 3; first++) sum += float(second);
    color = vec4(sum, k, float(n), 1.0);
}
