// Functions that take and give structs and arrays.
struct Ray { origin: vec3<f32>, direction: vec3<f32> }
struct Hit { ok: bool, t: f32, normal: vec3<f32> }
fn sphere(ray: Ray, centre: vec3<f32>, radius: f32) -> Hit {
    let oc = ray.origin - centre;
    let b = dot(oc, ray.direction);
    let c = dot(oc, oc) - radius * radius;
    let h = b * b - c;
    if h < 0.0 { return Hit(); }
    let t = -b - sqrt(h);
    return Hit(true, t, normalize(oc + ray.direction * t));
}
fn palette() -> array<vec3<f32>, 2> { return array<vec3<f32>, 2>(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 0.0, 1.0)); }

// expect: true 4 0 0 -1
fn hit_straight_on() -> Hit { var z = -5.0; return sphere(Ray(vec3<f32>(0.0, 0.0, z), vec3<f32>(0.0, 0.0, 1.0)), vec3<f32>(0.0), 1.0); }

// expect: false 0 0 0 0
fn miss() -> Hit { var z = -5.0; return sphere(Ray(vec3<f32>(0.0, 9.0, z), vec3<f32>(0.0, 0.0, 1.0)), vec3<f32>(0.0), 1.0); }

@fragment
fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    let hit = sphere(Ray(vec3<f32>(0.0, 0.0, -3.0), normalize(vec3<f32>(uv, 1.0))), vec3<f32>(0.0), 1.0);
    return vec4<f32>(select(palette()[0], hit.normal, hit.ok), hit.t);
}
