//! Prints the WGSL of `shaders/sky.frag`, and the layout of its uniforms.
mod shaders {
    include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
}

fn main() {
    let sky = shaders::sky::Sky::new([0.2, 0.4, 0.8], 1.5);
    println!("{}// {} bytes for {:?}", shaders::sky::WGSL, size_of_val(&sky), shaders::sky::bindings::SKY);
}
