// Contour lines of a height map, with shaded slopes.

cbuffer Contours : register(b0) {
    float4 line_color;
    float2 texel;
    float spacing;
    int octaves;
};

Texture2D heights : register(t1);
SamplerState heights_sampler : register(s2);

struct Slope {
    float height;
    float2 gradient;
};

float height_at(float2 uv) {
    float sum = 0.0;
    float weight = 0.5;
    for (int i = 0; i < octaves; i++) {
        sum += weight * heights.Sample(heights_sampler, uv).r;
        uv = uv * 2.0 + 0.37;
        weight *= 0.5;
    }
    return sum;
}

void slope_at(float2 uv, out Slope slope) {
    slope.height = height_at(uv);
    slope.gradient = float2(height_at(uv + float2(texel.x, 0.0)), height_at(uv + float2(0.0, texel.y))) - slope.height;
}

float4 main([[vk::location(0)]] float2 uv : TEXCOORD0) : SV_Target {
    Slope slope;
    slope_at(uv, slope);
    float3 normal = normalize(float3(-slope.gradient * 40.0, 1.0));
    float light = saturate(dot(normal, normalize(float3(0.4, 0.6, 0.7))));
    float distance = abs(frac(slope.height / spacing) - 0.5);
    return lerp(float4(light.xxx, 1.0), line_color, step(0.45, distance));
}
