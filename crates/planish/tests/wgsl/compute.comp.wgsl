struct Item {
    place: vec3f,
    mass: f32,
    fixed_: u32,
    turn: mat3x3f,
}

struct Items_1 {
    count: atomic<u32>,
    items: array<Item>,
}

struct Numbers_1 {
    numbers: array<f32, 4>,
    pairs: array<vec2i>,
}

struct Padded {
    @size(16) value: atomic<i32>,
}

struct Slow {
    values: array<vec4f, 8>,
    @size(16) total: atomic<u32>,
    lows: array<Padded, 4>,
}

struct Item_1 {
    place: vec3f,
    mass: f32,
    fixed_: bool,
    turn: mat3x3f,
}

@group(0) @binding(0) var<storage, read_write> Items: Items_1;
@group(0) @binding(1) var<storage, read> Numbers: Numbers_1;
@group(0) @binding(2) var<storage, read_write> slow: Slow;
@group(0) @binding(3) var source: texture_storage_2d<rgba8unorm, read>;
@group(0) @binding(4) var target_1: texture_storage_2d<r32float, write>;
var<workgroup> sums: array<atomic<u32>, 8>;
var<workgroup> cache: array<f32, 32>;
var<workgroup> done: bool;

@compute @workgroup_size(8, 4)
fn main(
    @builtin(local_invocation_index) local_invocation_index: u32,
    @builtin(global_invocation_id) global_invocation_id: vec3u,
    @builtin(num_workgroups) num_work_groups: vec3u,
) {
    let i = local_invocation_index;
    let g = global_invocation_id;
    cache[i] = Numbers.numbers[i & 3u] + f32(Numbers.pairs[g.x].y);
    if i == 0u {
        done = false;
    }
    storageBarrier();
    workgroupBarrier();
    let t = i & 7u;
    atomicAdd(&sums[t], 1u);
    let old = atomicMax(&slow.total, g.x);
    let old_was = old;
    var t_1: u32;
    loop {
        let exchange = atomicCompareExchangeWeak(&Items.count, 3u, old_was);
        t_1 = exchange.old_value;
        if exchange.exchanged || t_1 != 3u {
            break;
        }
    }
    let was = t_1;
    let t_2 = i & 3u;
    atomicMin(&slow.lows[t_2].value, -i32(i));
    storageBarrier();
    workgroupBarrier();
    if i32(g.x) < i32(arrayLength(&Items.items)) {
        var item = Item_1(Items.items[g.x].place, Items.items[g.x].mass, Items.items[g.x].fixed_ != 0u, Items.items[g.x].turn);
        item.place += cache[31u - i];
        item.fixed_ = !item.fixed_ || done;
        let t_3 = vec2f(f32(was));
        item.turn[1].x = t_3.x;
        item.turn[1].z = t_3.y;
        Items.items[g.x].place = item.place;
        Items.items[g.x].mass = item.mass;
        Items.items[g.x].fixed_ = u32(item.fixed_);
        Items.items[g.x].turn = item.turn;
        Items.items[g.y].place.y = item.mass;
        Items.items[g.x].fixed_ = u32(slow.values[2].x > f32(atomicLoad(&sums[1])));
    }
    let t_4 = i & 7u;
    slow.values[t_4].x = slow.values[t_4].x + 1.0;
    let texel = textureLoad(source, vec2i(g.xy));
    textureStore(target_1, vec2i(g.xy), texel * f32(num_work_groups.x + 4u));
    let size = vec2i(textureDimensions(source));
    if size.x == 1 {
        slow.values[0].x = 2.0;
    }
}
