#version 300 es
precision highp float;
out vec4 colour;

struct Ray { vec3 origin; vec3 way; float far; };
struct Hit { bool yes; float at; Ray ray; float table[3]; };

int counter = 0;
int next() { return ++counter; }

void two(out float a, inout vec3 b) { a = b.x; b = b.zyx; b.y += a; }
void same(inout float a, inout float b) { a += 1.0; b *= 2.0; }
void late(float x, out float y) { y = x; y = y * x; }

Hit trace(Ray r, const in float table[3]) {
    Hit h;
    h.yes = r.far > 1.0;
    h.at = dot(r.origin, r.way);
    h.ray = r;
    h.ray.origin.xz += 1.0;
    h.table = table;
    h.table[1] = 9.0;
    return h;
}

mat2 turn(mat2 m) { m[0] = m[0].yx; return m; }

float swap(vec4 v, int i) {
    float array[4] = float[4](v.x, v.y, v.z, v.w);
    same(array[i], array[3 - i]);
    same(v.x, v.w);
    return array[0] + array[1] * 2.0 + v.x + v.w * 3.0;
}

float order(int a, int b, int c) { return float(a + b * 10 + c * 100); }

void main() {
    vec2 p = gl_FragCoord.xy;
    float first;
    vec3 second = vec3(p, 3.0);
    two(first, second);
    Ray ray = Ray(vec3(p, 1.0), normalize(vec3(1.0, 2.0, p.x)), p.y);
    Hit hit = trace(ray, float[3](1.0, p.x, 3.0));
    Hit other = hit;
    other.table[2] = p.y;
    float equal = hit == other ? 1.0 : 0.0;
    mat2 m = turn(mat2(p, p.yx));
    vec4 v = vec4(p, 1.0, 2.0);
    two(v.w, v.xyz);
    int i = int(p.x) & 3;
    float z = 3.0;
    late(z, z);
    colour = vec4(first + second.y, hit.at + hit.ray.origin.z + hit.table[int(p.x) % 3] + equal + z,
        m[0].x + m[1].y + v.w + v.y, swap(v, i) + order(next(), next(), next()));
}
