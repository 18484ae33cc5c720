struct Ray {
    float3 origin;
    float3 way;
    float far;
};

struct Hit {
    bool yes;
    float at;
    Ray ray;
    float table[3];
};

typedef float float_array_3[3];
static int counter = 0;

float_array_3 make_array(float p0, float p1, float p2) {
    float made[3] = { p0, p1, p2 };
    return made;
}

int next() {
    int t = counter + 1;
    counter = t;
    return t;
}

void two(out float a, inout float3 b) {
    a = b.x;
    b = b.zyx;
    b.y += a;
}

void same(inout float a, inout float b) {
    a++;
    b *= 2.0;
}

void late(float x, out float y) {
    y = x;
    y *= x;
}

Hit trace(Ray r, float table[3]) {
    Hit h = (Hit)0;
    h.yes = r.far > 1.0;
    h.at = dot(r.origin, r.way);
    h.ray = r;
    h.ray.origin.xz += 1.0;
    h.table = table;
    h.table[1] = 9.0;
    return h;
}

float2x2 turn(float2x2 m) {
    m[0] = m[0].yx;
    return m;
}

float swap(float4 v, int i) {
    float array[4] = { v.x, v.y, v.z, v.w };
    int t = 3 - i;
    float t_1 = array[min(uint(i), 3u)];
    float t_2 = array[min(uint(t), 3u)];
    same(t_1, t_2);
    array[min(uint(i), 3u)] = t_1;
    array[min(uint(t), 3u)] = t_2;
    float t_3 = v.x;
    float t_4 = v.w;
    same(t_3, t_4);
    v.x = t_3;
    v.w = t_4;
    return array[0] + array[1] * 2.0 + v.x + v.w * 3.0;
}

float order(int a, int b, int c) {
    return float(a + b * 10 + c * 100);
}

float4 main(float4 frag_coord : SV_Position) : SV_Target0 {
    float2 p = frag_coord.xy;
    float3 second = float3(p, 3.0);
    float first;
    two(first, second);
    Ray ray = { float3(p, 1.0), normalize(float3(1.0, 2.0, p.x)), p.y };
    Hit hit = trace(ray, make_array(1.0, p.x, 3.0));
    Hit other = hit;
    other.table[2] = p.y;
    Hit other_was = other;
    Hit hit_was = hit;
    float equal = hit_was.yes == other_was.yes && hit_was.at == other_was.at && (all(hit_was.ray.origin == other_was.ray.origin) && all(hit_was.ray.way == other_was.ray.way) && hit_was.ray.far == other_was.ray.far) && (hit_was.table[0] == other_was.table[0] && hit_was.table[1] == other_was.table[1] && hit_was.table[2] == other_was.table[2]) ? 1.0 : 0.0;
    float2x2 m = turn(float2x2(p, p.yx));
    float4 v = float4(p, 1.0, 2.0);
    float3 t = v.xyz;
    float t_1;
    two(t_1, t);
    v.w = t_1;
    v.xyz = t;
    int i = int(p.x) & 3;
    float z = 3.0;
    late(z, z);
    int next_result = next();
    int next_result_1 = next();
    return float4(first + second.y, hit.at + hit.ray.origin.z + hit.table[min(uint(int(p.x) % 3), 2u)] + equal + z, m[0].x + m[1].y + v.w + v.y, swap(v, i) + order(next_result, next_result_1, next()));
}
