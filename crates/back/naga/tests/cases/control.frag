#version 310 es
precision highp float;
precision highp int;
layout(location = 0) out vec4 colour;

int fall(int n) {
    int r = 0;
    switch (n) {
    case 0:
        r += 1;
    case 1:
    case 2:
        r += 10;
        if (n == 2) break;
        r += 100;
    case 3:
        r += 1000;
        break;
    default:
        r += 7;
    case 9:
        r += 10000;
    }
    return r;
}

int inner_loops(int n) {
    int total = 0;
    for (int i = 0; i < 6; ++i) {
        switch (i % 3) {
        case 0:
            continue;
        case 1:
            total += i;
            break;
        default:
            if (i > n) return total + 1000;
            for (int j = 0;; j++) {
                if (j == n) break;
                if (j > 3) { total += 2; break; }
                if ((j & 1) == 0) continue;
                total += 5;
            }
        }
        total += 1;
    }
    return total;
}

int do_loops(int n) {
    int i = 0, sum = 0;
    do {
        ++i;
        if (i == 3) continue;
        if (i == 8) break;
        sum += i;
    } while (i < n);
    while (true) {
        if (sum > 20) break;
        sum += 6;
    }
    return sum;
}

int logic(int n) {
    int calls = 0;
    bool a = n > 3 && (calls++, n < 9);
    bool b = n < 2 || (calls++, n == 5);
    int c = a ? (b ? 1 : 2) : (b ? 3 : 4);
    bool d = a ^^ b;
    return calls * 100 + c * 10 + (d ? 1 : 0);
}

int shadowed(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        int k;
        int z = 2;
        z += i;
        s += z;
        { int z = 5; s += z; }
        if (i == 4) { return -s; }
    }
    return s;
}

void main() {
    int n = int(gl_FragCoord.x);
    int m = int(gl_FragCoord.y);
    if (n == 15 && m == 15) discard;
    colour = vec4(fall(n), inner_loops(n + m), do_loops(n) + logic(m), shadowed(n) + logic(n));
}
