// ERROR: E0404 3:20
#version 150
float twice(layout(pixel_center_integer) in float x) { return x + x; }
out vec4 color;
void main() { color = vec4(twice(0.25)); }
