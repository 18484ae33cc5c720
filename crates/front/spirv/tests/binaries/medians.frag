#version 450
#extension GL_AMD_shader_trinary_minmax : require
#extension GL_AMD_gcn_shader : require
layout(location = 0) in vec3 a;
layout(location = 1) in vec3 b;
layout(location = 0) out vec4 colour;
void main() {
    vec3 m = mid3(a, b, vec3(0.5));
    colour = vec4(max3(m, a, b), cubeFaceIndexAMD(m)) + vec4(max3(m, a, b), 0.0);
    vec3 unused = min3(a, b, m);
}
