vec3 tone(vec3 color) {
    return color / (color + 0.25) * 1.25;
}
