//! A software device draws the picture of the evaluator.

use planish::eval::shade::{DrawOptions, draw};
use wgpu_shader::Gpu;
use wgpu_shader::shaders::blur;
use wgpu_shader::shaders::wave::Wave;

const SIZE: [u32; 2] = [64, 48];

#[test]
fn a_device_draws_the_same_picture() {
    let name = std::env::var("PLANISH_GPU").unwrap_or_else(|_| "llvmpipe".into());
    let gpu = match Gpu::open(&name) {
        Ok(gpu) => gpu,
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "CI has a software device, but {why}");
            eprintln!("SKIPPED: {why}");
            return;
        }
    };
    let source = include_str!("../shaders/wave.frag");
    let module = planish::Compiler::default().compile("wave.frag", source).module.expect("valid");
    let (tint, weights) = ([0.9, 0.6, 0.3], [0.5, 0.25, 0.125]);
    let turn = [[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.3, -0.1, 1.0]];
    let mut pictures = vec![];
    for (time, inverted) in [(0.0, false), (2.5, false), (2.5, true)] {
        let picture = gpu.draw(SIZE, &Wave::new(time, tint, weights, turn, inverted)).expect("it is drawn");
        let uniforms: [(&str, Vec<f32>); 5] = [
            ("time", vec![time]),
            ("tint", tint.to_vec()),
            ("weights", weights.to_vec()),
            ("turn", turn.concat()),
            ("inverted", vec![f32::from(inverted)]),
        ];
        let uniforms = uniforms.map(|(name, values)| (name.to_owned(), values.into_iter().map(f64::from).collect()));
        let options = DrawOptions { size: SIZE, uniforms: uniforms.to_vec(), ..DrawOptions::default() };
        let expected = draw(&module, &options).expect("it is drawn").float;
        let near = |a: &[f32; 4], b: &[f32; 4]| {
            a.iter().zip(b).all(|(a, b)| (a.clamp(0.0, 1.0) - b.clamp(0.0, 1.0)).abs() <= 1.0 / 255.0)
        };
        let far = picture.iter().zip(&expected).filter(|(a, b)| !near(a, b)).count();
        assert_eq!(picture.len(), expected.len());
        assert!(far * 1000 <= picture.len(), "{far} of {} pixels differ at {time}", picture.len());
        assert!(!pictures.contains(&picture), "each option has an effect");
        pictures.push(picture);
    }
    takes_all_resources(&gpu.device);
}

/// A pipeline whose layout has textures, samplers, images and buffers is as the shader wants it.
fn takes_all_resources(device: &wgpu::Device) {
    assert_eq!([blur::bindings::RESULT, blur::bindings::COUNTS].map(|b| (b.group, b.binding)), [(0, 2), (1, 1)]);
    assert_eq!((blur::compute::WORK_GROUP_SIZE_MAIN, blur::KERNEL_TAPS_OFFSET), ([8, 8, 1], 8));
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let layouts = blur::create_bind_group_layouts(device);
    let groups: Vec<_> = layouts.iter().map(Some).collect();
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &groups,
        ..wgpu::PipelineLayoutDescriptor::default()
    });
    let _pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &blur::compute::create_shader_module(device),
        entry_point: Some(blur::compute::ENTRY_MAIN),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let error = pollster::block_on(scope.pop());
    assert!(error.is_none(), "{error:?}");
}
