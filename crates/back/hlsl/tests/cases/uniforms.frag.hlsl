struct Light {
    float3 colour;
    uint on;
    float power;
    row_major float2x2 turn;
    float falloff[2];
};

struct PlanishUniforms {
    float scale;
    uint enabled;
    uint3 flags;
    int counts[3];
    float weights[5];
    float2 corners[3];
    float3 points[2];
    row_major float2x2 small;
    row_major float3x3 middle;
    row_major float2x3 tall;
    row_major float3x2 wide;
    row_major float4x4 large;
    row_major float3x3 bones[2];
    Light lights[2];
    Light sun;
    uint switches[3];
};

struct Light_1 {
    float3 colour;
    bool on;
    float power;
    float2x2 turn;
    float falloff[2];
};

ConstantBuffer<PlanishUniforms> planish_uniforms : register(b0, space1);

Light_1 make_Light(float3 p0, bool p1, float p2, float2x2 p3, float p4[2]) {
    Light_1 made = { p0, p1, p2, p3, p4 };
    return made;
}

float shine(Light_1 l) {
    return l.on ? l.power * l.colour.y + l.turn[1].x + l.falloff[1] : l.turn[0].y;
}

float4 main(float4 frag_coord : SV_Position) : SV_Target0 {
    int i = int(frag_coord.x) % 2;
    int j = int(frag_coord.y) % 3;
    float t = planish_uniforms.scale + planish_uniforms.weights[min(uint(i), 4u)] + planish_uniforms.weights[min(uint(j + 1), 4u)] + planish_uniforms.corners[min(uint(j), 2u)].y + planish_uniforms.points[min(uint(i), 1u)].z;
    float r = t + float(planish_uniforms.counts[min(uint(j), 2u)]);
    if (planish_uniforms.enabled != 0u) {
        r += 100.0;
    }
    if (all(planish_uniforms.flags != (uint3)0u)) {
        r += 200.0;
    }
    if (planish_uniforms.flags.y != 0u) {
        r += 300.0;
    }
    int j_was = j;
    if (planish_uniforms.flags[min(uint(j_was), 2u)] != 0u) {
        r += 400.0;
    }
    if (planish_uniforms.switches[min(uint(j), 2u)] != 0u) {
        r += 500.0;
    }
    float t_1 = planish_uniforms.small[min(uint(i), 1u)].y + planish_uniforms.middle[min(uint(j), 2u)].x + planish_uniforms.tall[min(uint(i), 1u)].z + planish_uniforms.wide[min(uint(j), 2u)].y + planish_uniforms.large[min(uint(j), 3u)][min(uint(i), 3u)];
    float s = t_1 + planish_uniforms.bones[min(uint(i), 1u)][min(uint(j), 2u)].y;
    s += mul(planish_uniforms.corners[min(uint(j), 2u)], planish_uniforms.small).x + mul(planish_uniforms.points[1], planish_uniforms.middle).y + mul(planish_uniforms.small[0], planish_uniforms.tall).z;
    Light_1 t_2 = { planish_uniforms.lights[min(uint(i), 1u)].colour, planish_uniforms.lights[min(uint(i), 1u)].on != 0u, planish_uniforms.lights[min(uint(i), 1u)].power, planish_uniforms.lights[min(uint(i), 1u)].turn, planish_uniforms.lights[min(uint(i), 1u)].falloff };
    float t_3 = shine(t_2) + shine(make_Light(planish_uniforms.sun.colour, planish_uniforms.sun.on != 0u, planish_uniforms.sun.power, planish_uniforms.sun.turn, planish_uniforms.sun.falloff)) + planish_uniforms.lights[1].colour.z + (planish_uniforms.lights[min(uint(i), 1u)].on != 0u ? 7.0 : 0.0);
    Light_1 copy = { planish_uniforms.lights[min(uint(i), 1u)].colour, planish_uniforms.lights[min(uint(i), 1u)].on != 0u, planish_uniforms.lights[min(uint(i), 1u)].power, planish_uniforms.lights[min(uint(i), 1u)].turn, planish_uniforms.lights[min(uint(i), 1u)].falloff };
    copy.power++;
    float all_weights[5] = planish_uniforms.weights;
    t_3 += shine(copy) + all_weights[min(uint(j), 4u)];
    return float4(r, s, t_3, 1.0);
}
