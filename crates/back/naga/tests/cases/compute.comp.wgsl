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
    var local: u32;
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
    loop {
        let _e47 = atomicCompareExchangeWeak((&Items_1.count), 3u, _e45);
        local = _e47.old_value;
        if (_e47.exchanged || (_e47.old_value != 3u)) {
            break;
        }
    }
    let _e52 = local;
    was = _e52;
    let _e54 = i;
    let _e58 = i;
    let _e61 = atomicMin((&slow.lows[(_e54 & 3u)].value), -(i32(_e58)));
    storageBarrier();
    workgroupBarrier();
    let _e63 = g.x;
    if (i32(_e63) < i32(arrayLength((&Items_1.items)))) {
        let _e72 = g.x;
        let _e75 = Items_1.items[_e72].place;
        let _e77 = Items_1.items[_e72].mass;
        let _e79 = Items_1.items[_e72].fixed;
        let _e82 = Items_1.items[_e72].turn;
        item = Item_1(_e75, _e77, (_e79 != 0u), _e82);
        let _e85 = i;
        let _e89 = cache[(31u - _e85)];
        let _e90 = item.place;
        item.place = (_e90 + vec3(_e89));
        let _e95 = item.fixed;
        let _e97 = done;
        item.fixed = (!(_e95) || _e97);
        let _e101 = was;
        let _e103 = vec2(f32(_e101));
        item.turn[1][0] = _e103.x;
        item.turn[1][2] = _e103.y;
        let _e110 = g.x;
        let _e112 = item;
        Items_1.items[_e110].place = _e112.place;
        Items_1.items[_e110].mass = _e112.mass;
        Items_1.items[_e110].fixed = select(0u, 1u, _e112.fixed);
        Items_1.items[_e110].turn = _e112.turn;
        let _e124 = g.y;
        let _e129 = item.mass;
        Items_1.items[_e124].place.y = _e129;
        let _e132 = g.x;
        let _e138 = atomicLoad((&sums[1]));
        let _e141 = slow.values[2].x;
        Items_1.items[_e132].fixed = select(0u, 1u, (_e141 > f32(_e138)));
    }
    let _e147 = i;
    let _e151 = slow.values[(_e147 & 7u)].x;
    slow.values[(_e147 & 7u)].x = (_e151 + 1f);
    let _e155 = g;
    let _e159 = textureLoad(source, vec2<i32>(_e155.xy));
    texel = _e159;
    let _e160 = g;
    let _e165 = gl_NumWorkGroups_1.x;
    let _e169 = texel;
    textureStore(target_, vec2<i32>(_e160.xy), (_e169 * vec4(f32((_e165 + 4u)))));
    let _e173 = textureDimensions(source);
    size = vec2<i32>(_e173);
    let _e176 = size.x;
    if (_e176 == 1i) {
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
