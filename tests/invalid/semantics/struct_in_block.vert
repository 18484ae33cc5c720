// ERROR: E0409 5:5
// REFUSED BY: glslangValidator
#version 330
out Light {
    struct Bulb { float watts; } bulb;
    vec3 way;
} light;
void main() { light.way = vec3(0.0); gl_Position = vec4(0.0); }
