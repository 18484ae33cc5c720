#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip) out;
layout(max_vertices = 6) out;
in gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
} gl_in[];
out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
};
layout(location = 0) in vec3 normal[];
layout(location = 1) in Vertex {
    vec2 at;
    flat int kind;
} vertex[];
layout(location = 3) in float weights[3][2];
layout(location = 0) out vec3 colour;
layout(location = 1) out Result {
    vec2 at;
    flat int kind;
} result;
layout(binding = 0) uniform Scale { float scale; mat4 m; };
vec4 moved(int i) {
    return m * (gl_in[i].gl_Position + vec4(normal[i] * scale, 0.0));
}
void main() {
    for (int i = 0; i < gl_in.length(); ++i) {
        gl_Position = moved(i);
        gl_PointSize = gl_in[i].gl_PointSize;
        gl_ClipDistance[0] = gl_in[i].gl_ClipDistance[1];
        gl_ClipDistance[1] = weights[i][1];
        colour = normal[(i + 1) % normal.length()];
        result.at = vertex[i].at + float(gl_InvocationID);
        result.kind = vertex[2].kind;
        gl_PrimitiveID = gl_PrimitiveIDIn + 1;
        gl_Layer = gl_InvocationID;
        gl_ViewportIndex = 1;
        EmitVertex();
    }
    EndPrimitive();
}
