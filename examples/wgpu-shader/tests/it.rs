//! A software device draws the picture of the evaluator.

use planish::eval::shade::{DrawOptions, draw};
use wgpu_shader::Gpu;
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
}
