// ERROR: E0101 4:18
precision mediump float;
void main() {
    float size = "large";
}
