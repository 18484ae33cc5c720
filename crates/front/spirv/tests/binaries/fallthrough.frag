#version 450
layout(location = 0) in flat int n;
layout(location = 0) out float y;
void main() {
    float sum = 0.0;
    for (int i = 0; i < n; i++) {
        switch (i) {
        case 0: sum += 1.0;
        case 3: sum += 10.0; break;
        case 5: continue;
        case 7: y = sum; return;
        default: sum += 100.0;
        }
        sum *= 2.0;
    }
    y = sum;
}
