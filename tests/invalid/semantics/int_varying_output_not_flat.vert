// ERROR: E0407 3:9
#version 300 es
out int i;
void main() {
    i = 1;
}
