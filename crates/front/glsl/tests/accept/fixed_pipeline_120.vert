#version 120
attribute vec3 tangent; varying vec3 n; invariant varying vec2 uv;
void main() { n = gl_NormalMatrix * gl_Normal; uv = gl_MultiTexCoord0.st; gl_TexCoord[0] = gl_MultiTexCoord0; gl_Position = ftransform(); gl_FrontColor = gl_Color; gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex;}
