#version 300 es
precision highp float;
out vec4 colour;

float sum(mat2 m) { return m[0].x + m[0].y * 2.0 + m[1].x * 3.0 + m[1].y * 5.0; }
float sum(mat3 m) { vec3 w = vec3(1.0, 2.0, 3.0); return dot(m[0], w) + dot(m[1], w) * 2.0 + dot(m[2], w) * 3.0; }
float sum(mat4 m) { vec4 w = vec4(1.0, 2.0, 3.0, 5.0); return dot(m * w, w.wzyx); }

void main() {
    vec2 p = gl_FragCoord.xy / 16.0 + 0.25;
    int i = int(gl_FragCoord.x) % 3;
    int j = int(gl_FragCoord.y) % 3;
    mat2 a = mat2(p.x, 2.0, p.y, 1.0);
    mat3 b = mat3(p.x, 2.0, 1.0, 0.5, p.y, 3.0, 1.0, 0.0, 2.0);
    mat4 c = mat4(b);
    c[3] = vec4(p, 1.0, 4.0);
    c[2].w = p.x;
    mat2x3 d = mat2x3(p, 1.0, 2.0, p.yx);
    mat3x2 e = transpose(d);
    float r = sum(inverse(a)) + sum(inverse(b)) * 0.5;
    float s = sum(inverse(c)) + determinant(b) + determinant(c);
    s += sum(matrixCompMult(a, a)) + sum(a / (a + 2.0)) + sum(-a) + sum(a - 1.0) + sum(2.0 * a) + sum(a / 2.0);
    mat2 f = a;
    f++;
    --f;
    f *= a;
    f += mat2(3.0);
    r += sum(f) + sum(outerProduct(p, p.yx)) + sum(d * e) + sum(e * d);
    b[i][j] += 1.0;
    b[j] = b[i].zxy;
    vec3 v = b[i];
    v[j] = 7.0;
    v.zx = v.xy;
    float g = sum(b) + dot(v, b[j]) + (v * b).y + (b * v).z;
    mat4 h = mat4(mat2(p, p));
    mat2 k = mat2(c);
    mat3x4 l = mat3x4(k);
    bool same = a == mat2(p.x, 2.0, p.y, 1.0);
    bool other = a != k;
    colour = vec4(r, s * 0.1, g + sum(h), sum(k) + l[2].z + float(same) + float(other) * 2.0);
}
