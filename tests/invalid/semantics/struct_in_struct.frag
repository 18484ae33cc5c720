// ERROR: E0409 5:5
// REFUSED BY: glslangValidator
#version 330
struct Lamp {
    struct Bulb { float watts; } bulb;
    float size;
};
uniform Lamp lamp;
out vec4 color;
void main() { color = vec4(lamp.size); }
