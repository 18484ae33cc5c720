// ERROR: E0411 3:30
#version 330
uniform Light { vec4 tint; } lights[];
out vec4 color;
void main() { color = vec4(1.0); }
