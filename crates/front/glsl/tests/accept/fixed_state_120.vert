#version 120
void main() {
    gl_Position = gl_ModelViewProjectionMatrixInverseTranspose * gl_Vertex + gl_ClipPlane[0] + gl_EyePlaneS[0]
        + gl_ObjectPlaneQ[1] + gl_Point.size * gl_TextureMatrixTranspose[0] * gl_MultiTexCoord0
        + gl_DepthRange.near * gl_ProjectionMatrixInverseTranspose[0];
    gl_FrontColor = gl_Color;
}
