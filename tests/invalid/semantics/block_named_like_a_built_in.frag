#version 450
// ERROR: E0412 4:25
// REFUSED BY: glslangValidator
layout(location = 0) in gl_Layer {
    vec4 c;
} v;
layout(location = 0) out vec4 o;
void main() {
    o = v.c;
}
