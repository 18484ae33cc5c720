// ERROR: E0314 3:5
void main() {
    discard;
}
