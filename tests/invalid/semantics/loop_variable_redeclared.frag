// ERROR: E0304 7:13
// ERROR: E0304 9:39
// ERROR: E0304 11:14
#version 330
void main() {
    for (int i = 0; i < 3; ++i) {
        int i = 1;
    }
    for (int j = 0; j < 3; ++j) float j = 1.0;
    while (bool more = false) {
        bool more = true;
    }
    for (int k = 0; k < 3; ++k) { { int k = 2; } }
    do { int m; } while (true);
}
