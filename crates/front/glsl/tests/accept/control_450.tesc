#version 450
layout(vertices = 3) out;
layout(location = 0) in vec3 normal[];
layout(location = 1) in Vertex { vec2 at; mat2 m; } vertex[gl_MaxPatchVertices];
layout(location = 0) out vec3 bent[];
layout(location = 1) out Point { vec2 at; float bias; } point[3];
layout(location = 4) patch out vec4 whole;
layout(location = 5) patch out Patch { float a; vec2 b[2]; } common_data;
float level(int i) { return float(gl_PatchVerticesIn + i); }
void main() {
    bent[gl_InvocationID] = normal[gl_InvocationID] * 2.0;
    bent[gl_InvocationID].x += 1.0;
    point[gl_InvocationID].at = vertex[gl_InvocationID].at * vertex[0].m;
    point[gl_InvocationID].bias = level(gl_PrimitiveID);
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_out[gl_InvocationID].gl_PointSize = gl_in[gl_InvocationID].gl_PointSize;
    barrier();
    if (gl_InvocationID == 0) {
        gl_TessLevelOuter[0] = level(1);
        gl_TessLevelOuter[1] = bent[1].x;
        gl_TessLevelOuter[2] = 3.0;
        gl_TessLevelInner[0] = point[2].bias;
        whole = vec4(bent[2], gl_out[1].gl_Position.x);
        common_data.a = 1.0;
        common_data.b[1] = vec2(2.0);
    }
    barrier();
}
