// Storage buffers: structs, runtime-sized arrays, whole values, lengths.
struct Particle { position: vec3<f32>, mass: f32, velocity: vec3<f32> }
struct Particles { count: u32, list: array<Particle> }
struct Settings { gravity: vec3<f32>, step: f32 }
@group(0) @binding(0) var<storage, read_write> particles: Particles;
@group(0) @binding(1) var<storage, read> settings: Settings;
@group(0) @binding(2) var<storage, read_write> numbers: array<f32>;
@group(0) @binding(3) var<storage, read_write> backup: Settings;
@group(0) @binding(4) var<uniform> single: vec4<f32>;

fn move_it(p: Particle, s: Settings) -> Particle {
    var q = p;
    q.velocity += s.gravity * s.step;
    q.position += q.velocity * s.step;
    return q;
}

@compute @workgroup_size(64, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + groups.x;
    if i >= arrayLength(&particles.list) || i >= arrayLength(&numbers) { return; }
    particles.list[i] = move_it(particles.list[i], settings);
    let whole = settings;
    backup = whole;
    numbers[i] = particles.list[i].position.y + single.x;
    particles.count += 1u;
}
