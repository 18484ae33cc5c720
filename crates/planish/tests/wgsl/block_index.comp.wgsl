struct Light {
    color: vec4f,
    turn: array<vec4f, 2>,
}

struct U {
    base: vec4f,
    lights: array<Light, 2>,
}

struct B {
    n: atomic<u32>,
    v: vec3f,
    a: array<f32>,
}

struct C {
    hits: atomic<u32>,
}

struct Light_1 {
    color: vec4f,
    turn: mat2x2f,
}

@group(0) @binding(0) var<uniform> u_0: U;
@group(0) @binding(1) var<uniform> u_1: U;
@group(0) @binding(2) var<uniform> u_2: U;
@group(0) @binding(4) var<storage, read_write> b_0: B;
@group(0) @binding(3) var<storage, read_write> b_1: B;
@group(0) @binding(8) var<storage, read_write> c_0_0: C;
@group(0) @binding(5) var<storage, read_write> c_0_1: C;
@group(0) @binding(6) var<storage, read_write> c_1_0: C;
@group(0) @binding(7) var<storage, read_write> c_1_1: C;

fn twice(x: ptr<function, f32>) {
    *x *= 2.0;
}

@compute @workgroup_size(2)
fn main(
    @builtin(workgroup_id) work_group_id: vec3u,
    @builtin(local_invocation_id) local_invocation_id: vec3u,
) {
    let i = work_group_id.x;
    let j = i32(local_invocation_id.x);
    let i_was = i;
    let j_was = j;
    var chosen: Light_1;
    switch min(u32(i_was), 2u) {
        case 0u {
            chosen = Light_1(u_0.lights[j_was].color, mat2x2f(u_0.lights[j_was].turn[0].xy, u_0.lights[j_was].turn[1].xy));
        }
        case 1u {
            chosen = Light_1(u_1.lights[j_was].color, mat2x2f(u_1.lights[j_was].turn[0].xy, u_1.lights[j_was].turn[1].xy));
        }
        default {
            chosen = Light_1(u_2.lights[j_was].color, mat2x2f(u_2.lights[j_was].turn[0].xy, u_2.lights[j_was].turn[1].xy));
        }
    }
    let light = chosen;
    let i_was_1 = i;
    let j_was_1 = j;
    let t = select(select(u_2.base.xyz, u_1.base.xyz, min(u32(j_was_1), 2u) == 1u), u_0.base.xyz, min(u32(j_was_1), 2u) == 0u) * light.turn[j].x;
    switch min(u32(i_was_1), 1u) {
        case 0u {
            b_0.v = t;
        }
        default {
            b_1.v = t;
        }
    }
    let i_was_2 = i;
    switch min(u32(i_was_2), 1u) {
        case 0u {
            b_0.v.y = light.color.w;
        }
        default {
            b_1.v.y = light.color.w;
        }
    }
    let j_was_2 = j;
    let i_was_3 = i;
    let i_was_4 = i;
    let i_was_5 = i;
    let j_was_3 = j;
    let t_1 = select(select(u_2.lights[i_was_5].turn[1][min(u32(j_was_3), 1u)], u_1.lights[i_was_5].turn[1][min(u32(j_was_3), 1u)], min(u32(i_was_4), 2u) == 1u), u_0.lights[i_was_5].turn[1][min(u32(j_was_3), 1u)], min(u32(i_was_4), 2u) == 0u);
    let t_2 = select(b_1.a[i_was_3], b_0.a[i_was_3], min(u32(j_was_2), 1u) == 0u) + t_1;
    switch min(u32(j_was_2), 1u) {
        case 0u {
            b_0.a[i_was_3] = t_2;
        }
        default {
            b_1.a[i_was_3] = t_2;
        }
    }
    let i_was_6 = i;
    var t_3 = select(b_1.a[3], b_0.a[3], min(u32(i_was_6), 1u) == 0u);
    twice(&t_3);
    switch min(u32(i_was_6), 1u) {
        case 0u {
            b_0.a[3] = t_3;
        }
        default {
            b_1.a[3] = t_3;
        }
    }
    let i_was_7 = i;
    let j_was_4 = j;
    var before: u32;
    switch min(u32(i_was_7), 1u) {
        case 0u {
            before = atomicAdd(&b_0.n, u32(select(i32(arrayLength(&b_1.a)), i32(arrayLength(&b_0.a)), min(u32(j_was_4), 1u) == 0u)));
        }
        default {
            before = atomicAdd(&b_1.n, u32(select(i32(arrayLength(&b_1.a)), i32(arrayLength(&b_0.a)), min(u32(j_was_4), 1u) == 0u)));
        }
    }
    let before_1 = before;
    let i_was_8 = i;
    let j_was_5 = j;
    let before_was = before_1;
    var t_4: u32;
    switch min(u32(i_was_8), 1u) {
        case 0u {
            switch min(u32(j_was_5), 1u) {
                case 0u {
                    loop {
                        let exchange = atomicCompareExchangeWeak(&c_0_0.hits, before_was, 7u);
                        t_4 = exchange.old_value;
                        if exchange.exchanged || t_4 != before_was {
                            break;
                        }
                    }
                }
                default {
                    loop {
                        let exchange = atomicCompareExchangeWeak(&c_0_1.hits, before_was, 7u);
                        t_4 = exchange.old_value;
                        if exchange.exchanged || t_4 != before_was {
                            break;
                        }
                    }
                }
            }
        }
        default {
            switch min(u32(j_was_5), 1u) {
                case 0u {
                    loop {
                        let exchange = atomicCompareExchangeWeak(&c_1_0.hits, before_was, 7u);
                        t_4 = exchange.old_value;
                        if exchange.exchanged || t_4 != before_was {
                            break;
                        }
                    }
                }
                default {
                    loop {
                        let exchange = atomicCompareExchangeWeak(&c_1_1.hits, before_was, 7u);
                        t_4 = exchange.old_value;
                        if exchange.exchanged || t_4 != before_was {
                            break;
                        }
                    }
                }
            }
        }
    }
    let i_was_9 = i;
    let t_5 = select(atomicLoad(&c_1_1.hits), atomicLoad(&c_1_0.hits), min(u32(i_was_9), 1u) == 0u) + 1u;
    switch min(u32(i_was_9), 1u) {
        case 0u {
            atomicStore(&c_1_0.hits, t_5);
        }
        default {
            atomicStore(&c_1_1.hits, t_5);
        }
    }
}
