struct Item {
    place: vec3<f32>,
    mass: f32,
    fixed: u32,
    turn: mat3x3<f32>,
}

struct Items {
    count: atomic<u32>,
    items: array<Item>,
}

struct Numbers {
    numbers: array<f32, 4>,
    pairs: array<vec2<i32>>,
}

struct Padded {
    value: atomic<i32>,
    pad0_: u32,
    pad1_: u32,
    pad2_: u32,
}

struct Slow {
    values: array<vec4<f32>, 8>,
    total: atomic<u32>,
    pad0_: u32,
    pad1_: u32,
    pad2_: u32,
    lows: array<Padded, 4>,
}

struct Item_1 {
    place: vec3<f32>,
    mass: f32,
    fixed: bool,
    turn: mat3x3<f32>,
}

@group(0) @binding(0) 
var<storage, read_write> Items_1: Items;
@group(0) @binding(1) 
var<storage> Numbers_1: Numbers;
@group(0) @binding(2) 
var<storage, read_write> slow: Slow;
@group(0) @binding(3) 
var source: texture_storage_2d<rgba8unorm,read>;
@group(0) @binding(4) 
var target_: texture_storage_2d<r32float,write>;
var<workgroup> sums: array<atomic<u32>, 8>;
var<workgroup> cache: array<f32, 32>;
var<workgroup> done: bool;
var<private> gl_LocalInvocationIndex_1: u32;
var<private> gl_GlobalInvocationID_1: vec3<u32>;
var<private> gl_NumWorkGroups_1: vec3<u32>;

fn main_1() {
    var i: u32;
    var g: vec3<u32>;
    var old: u32;
    var was: u32;
    var item: Item_1;
    var texel: vec4<f32>;
    var size: vec2<i32>;

    let _e3 = gl_LocalInvocationIndex_1;
    i = _e3;
    let _e5 = gl_GlobalInvocationID_1;
    g = _e5;
    let _e6 = i;
    let _e11 = i;
    let _e17 = g.x;
    let _e20 = Numbers_1.pairs[_e17].y;
    let _e22 = Numbers_1.numbers[(_e11 & 3u)];
    cache[_e6] = (_e22 + f32(_e20));
    let _e24 = i;
    if (_e24 == 0u) {
        done = false;
    }
    storageBarrier();
    workgroupBarrier();
    let _e31 = i;
    let _e37 = atomicAdd((&sums[(_e31 & 7u)]), 1u);
    let _e41 = g.x;
    let _e42 = atomicMax((&slow.total), _e41);
    old = _e42;
    let _e45 = old;
    let _e46 = atomicCompareExchangeWeak((&Items_1.count), 3u, _e45);
    was = _e46.old_value;
    let _e49 = i;
    let _e53 = i;
    let _e56 = atomicMin((&slow.lows[(_e49 & 3u)].value), -(i32(_e53)));
    storageBarrier();
    workgroupBarrier();
    let _e58 = g.x;
    if (i32(_e58) < i32(arrayLength((&Items_1.items)))) {
        let _e67 = g.x;
        let _e70 = Items_1.items[_e67].place;
        let _e72 = Items_1.items[_e67].mass;
        let _e74 = Items_1.items[_e67].fixed;
        let _e77 = Items_1.items[_e67].turn;
        item = Item_1(_e70, _e72, (_e74 != 0u), _e77);
        let _e80 = i;
        let _e84 = cache[(31u - _e80)];
        let _e85 = item.place;
        item.place = (_e85 + vec3(_e84));
        let _e90 = item.fixed;
        let _e92 = done;
        item.fixed = (!(_e90) || _e92);
        let _e96 = was;
        let _e98 = vec2(f32(_e96));
        item.turn[1][0] = _e98.x;
        item.turn[1][2] = _e98.y;
        let _e105 = g.x;
        let _e107 = item;
        Items_1.items[_e105].place = _e107.place;
        Items_1.items[_e105].mass = _e107.mass;
        Items_1.items[_e105].fixed = select(0u, 1u, _e107.fixed);
        Items_1.items[_e105].turn = _e107.turn;
        let _e119 = g.y;
        let _e124 = item.mass;
        Items_1.items[_e119].place.y = _e124;
        let _e127 = g.x;
        let _e133 = atomicLoad((&sums[1]));
        let _e136 = slow.values[2].x;
        Items_1.items[_e127].fixed = select(0u, 1u, (_e136 > f32(_e133)));
    }
    let _e142 = i;
    let _e146 = slow.values[(_e142 & 7u)].x;
    slow.values[(_e142 & 7u)].x = (_e146 + 1f);
    let _e150 = g;
    let _e154 = textureLoad(source, vec2<i32>(_e150.xy));
    texel = _e154;
    let _e155 = g;
    let _e160 = gl_NumWorkGroups_1.x;
    let _e164 = texel;
    textureStore(target_, vec2<i32>(_e155.xy), (_e164 * vec4(f32((_e160 + 4u)))));
    let _e168 = textureDimensions(source);
    size = vec2<i32>(_e168);
    let _e171 = size.x;
    if (_e171 == 1i) {
        slow.values[0].x = 2f;
    }
    return;
}

@compute @workgroup_size(8, 4, 1) 
fn main(@builtin(local_invocation_index) gl_LocalInvocationIndex: u32, @builtin(global_invocation_id) gl_GlobalInvocationID: vec3<u32>, @builtin(num_workgroups) gl_NumWorkGroups: vec3<u32>) {
    gl_LocalInvocationIndex_1 = gl_LocalInvocationIndex;
    gl_GlobalInvocationID_1 = gl_GlobalInvocationID;
    gl_NumWorkGroups_1 = gl_NumWorkGroups;
    main_1();
    return;
}
