struct Light {
    colour: vec3f,
    on: u32,
    power: f32,
    turn: array<vec4f, 2>,
    falloff: array<vec4f, 2>,
}

struct PlanishUniforms {
    scale: f32,
    enabled: u32,
    flags: vec3u,
    counts: array<vec4i, 3>,
    weights: array<vec4f, 5>,
    corners: array<vec4f, 3>,
    points: array<vec3f, 2>,
    small: array<vec4f, 2>,
    middle: mat3x3f,
    tall: mat2x3f,
    wide: array<vec4f, 3>,
    large: mat4x4f,
    bones: array<mat3x3f, 2>,
    lights: array<Light, 2>,
    sun: Light,
    switches: array<vec4u, 3>,
}

struct Light_1 {
    colour: vec3f,
    on: bool,
    power: f32,
    turn: mat2x2f,
    falloff: array<f32, 2>,
}

@group(1) @binding(0) var<uniform> planish_uniforms: PlanishUniforms;

fn shine(l: Light_1) -> f32 {
    let l_1 = l;
    return select(l_1.turn[0].y, l_1.power * l_1.colour.y + l_1.turn[1].x + l_1.falloff[1], l_1.on);
}

@fragment
fn main(@builtin(position) frag_coord: vec4f) -> @location(0) vec4f {
    let i = i32(frag_coord.x) % 2;
    let j = i32(frag_coord.y) % 3;
    let t = j + 1;
    var r = planish_uniforms.scale + planish_uniforms.weights[i].x + planish_uniforms.weights[t].x + planish_uniforms.corners[j].y + planish_uniforms.points[i].z + f32(planish_uniforms.counts[j].x);
    if planish_uniforms.enabled != 0u {
        r += 100.0;
    }
    if all(planish_uniforms.flags != vec3u(0u)) {
        r += 200.0;
    }
    if planish_uniforms.flags.y != 0u {
        r += 300.0;
    }
    let j_was = j;
    if planish_uniforms.flags[min(u32(j_was), 2u)] != 0u {
        r += 400.0;
    }
    if planish_uniforms.switches[j].x != 0u {
        r += 500.0;
    }
    let i_was = i;
    let j_was_1 = j;
    var s = planish_uniforms.small[i_was].y + planish_uniforms.middle[j].x + planish_uniforms.tall[i].z + planish_uniforms.wide[j_was_1].y + planish_uniforms.large[j][i] + planish_uniforms.bones[i][j].y;
    s += (mat2x2f(planish_uniforms.small[0].xy, planish_uniforms.small[1].xy) * planish_uniforms.corners[j].xy).x + (planish_uniforms.middle * planish_uniforms.points[1]).y + (planish_uniforms.tall * planish_uniforms.small[0].xy).z;
    let t_1 = Light_1(planish_uniforms.lights[i].colour, planish_uniforms.lights[i].on != 0u, planish_uniforms.lights[i].power, mat2x2f(planish_uniforms.lights[i].turn[0].xy, planish_uniforms.lights[i].turn[1].xy), array<f32, 2>(planish_uniforms.lights[i].falloff[0].x, planish_uniforms.lights[i].falloff[1].x));
    let t_2 = shine(t_1) + shine(Light_1(planish_uniforms.sun.colour, planish_uniforms.sun.on != 0u, planish_uniforms.sun.power, mat2x2f(planish_uniforms.sun.turn[0].xy, planish_uniforms.sun.turn[1].xy), array<f32, 2>(planish_uniforms.sun.falloff[0].x, planish_uniforms.sun.falloff[1].x)));
    var t_3 = t_2 + planish_uniforms.lights[1].colour.z + select(0.0, 7.0, planish_uniforms.lights[i].on != 0u);
    var copy = Light_1(planish_uniforms.lights[i].colour, planish_uniforms.lights[i].on != 0u, planish_uniforms.lights[i].power, mat2x2f(planish_uniforms.lights[i].turn[0].xy, planish_uniforms.lights[i].turn[1].xy), array<f32, 2>(planish_uniforms.lights[i].falloff[0].x, planish_uniforms.lights[i].falloff[1].x));
    copy.power += 1.0;
    let all_weights = array<f32, 5>(planish_uniforms.weights[0].x, planish_uniforms.weights[1].x, planish_uniforms.weights[2].x, planish_uniforms.weights[3].x, planish_uniforms.weights[4].x);
    t_3 += shine(copy) + all_weights[j];
    return vec4f(r, s, t_3, 1.0);
}
