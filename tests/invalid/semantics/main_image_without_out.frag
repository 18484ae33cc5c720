// ERROR: E0502 2:6
void mainImage(in vec4 color, in vec2 at) {
    color.xy = at;
}
