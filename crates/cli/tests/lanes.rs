//! Shaders on lanes: `run --engine`, `--frames`, `--samples`, `print --lanes`.

use crate::common::{Folder, text};

const SHADER: &str = "#version 310 es
precision highp float;
in vec2 uv;
out vec4 color;
void main() { float x = 0.0; while (x < uv.x) x += 0.125; color = vec4(x, sin(uv.y * 9.0), fwidth(uv.y), 1.0); }
";

#[test]
fn all_engines_draw_the_same_picture() {
    let folder = Folder::new("engines");
    folder.write("s.frag", SHADER);
    let draw = |args: &[&str]| {
        let args: Vec<&str> =
            ["run", "s.frag", "--size", "20x11", "-o", "out.png"].iter().chain(args).copied().collect();
        let output = folder.planish(&args, "");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
        folder.read("out.png")
    };
    let expected = draw(&[]);
    assert_eq!(draw(&["--engine", "eval"]), expected);
    for lanes in ["4", "8", "16"] {
        assert_eq!(draw(&["--engine", "vm", "--lanes", lanes]), expected, "{lanes} lanes");
    }
    assert_eq!(draw(&["--engine", "native"]), expected);
    assert_eq!(draw(&["--engine", "native", "--exact"]), expected);
}

#[test]
fn exact_functions_are_asked_for() {
    let folder = Folder::new("exact");
    folder.write("s.frag", "#version 310 es\nprecision highp float;\nin vec2 uv;\nout vec4 color;\nvoid main() { color = fract(sin(uv.xyxy * 9.0) * 1.0e7); }\n");
    let draw = |args: &[&str]| {
        let args: Vec<&str> =
            ["run", "s.frag", "--size", "20x11", "-o", "out.png"].iter().chain(args).copied().collect();
        let output = folder.planish(&args, "");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
        folder.read("out.png")
    };
    let expected = draw(&["--engine", "eval"]);
    assert_eq!(draw(&["--exact"]), expected);
    assert_eq!(draw(&["--engine", "vm"]), expected);
    if planish::vm::Engine::supports_native().is_ok() {
        assert_ne!(draw(&[]), expected, "this picture shows the last bits of sines");
    }
}

#[test]
fn what_lanes_cannot_run_is_run_by_the_evaluator() {
    let folder = Folder::new("lanes-fallback");
    let source = "#version 310 es
precision highp float;
layout(std430, binding = 0) buffer B { uint n; uint none[]; } b;
out vec4 color;
void main() { b.none[b.n] = 3u; color = vec4(float(atomicAdd(b.n, 1u)) / 255.0); }
";
    folder.write("s.frag", source);
    let run = |args: &[&str]| {
        let all: Vec<&str> = ["run", "s.frag", "--size", "8x8", "-o", "out.png"].iter().chain(args).copied().collect();
        let output = folder.planish(&all, "");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        (bytes(&folder, "out.png"), text(&output.stderr))
    };
    let (expected, nothing) = run(&["--engine", "eval"]);
    assert_eq!(nothing, "");
    assert_eq!(run(&[]), (expected.clone(), String::new()));
    for engine in ["native", "vm"] {
        let (found, warning) = run(&["--engine", engine]);
        assert_eq!(found, expected, "{engine}");
        let what = "warning: an empty array without a size; the evaluator runs the shader\n  --> s.frag:3:";
        assert!(warning.contains(what), "{warning}");
    }
    let output = folder.planish(&["run", "s.frag", "--engine", "vm", "--lanes", "5", "-o", "out.png"], "");
    assert!(text(&output.stderr).contains("4, 8 or 16 are possible"), "{}", text(&output.stderr));
}

#[test]
fn all_stages_run_on_all_engines() {
    let folder = Folder::new("lanes-stages");
    folder.write(
        "s.vert",
        "#version 310 es\nout vec2 q;\nvoid main() { q = vec2(gl_VertexID); gl_Position = vec4(sin(q), 0.0, 1.0); }\n",
    );
    let source = "#version 310 es
layout(local_size_x = 24) in;
layout(std430, binding = 0) buffer B { uint data[]; };
shared uint part[24];
void main() { uint i = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x; part[i] = data[g]; barrier(); data[g] = part[23u - i] + g; }
";
    folder.write("s.comp", source);
    for args in [&["run", "s.vert"][..], &["run", "s.comp", "--groups", "2", "--buffer", "B=5,4,3,2,1"]] {
        let run = |engine: &[&str]| {
            let all: Vec<&str> = args.iter().chain(engine).copied().collect();
            let output = folder.planish(&all, "");
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{all:?}");
            text(&output.stdout)
        };
        let expected = run(&["--engine", "eval"]);
        assert!(expected.lines().count() >= 1 && expected.contains('1'), "{expected}");
        for engine in [
            &["--exact"][..],
            &["--engine", "native", "--exact"],
            &["--engine", "vm", "--lanes", "4"],
            &["--engine", "vm", "--lanes", "16"],
        ] {
            assert_eq!(run(engine), expected, "{engine:?}");
        }
    }
}

fn bytes(folder: &Folder, name: &str) -> Vec<u8> {
    std::fs::read(folder.path().join(name)).expect("it was written")
}

const MOVING: &str = "#version 310 es
precision highp float;
in vec2 uv;
out vec4 color;
uniform float iTime;
uniform int iFrame;
uniform float iTimeDelta;
void main() { color = vec4(fract(uv.x + iTime), float(iFrame) / 10.0, iTimeDelta, 1.0); }
";

/// The frames of an animated PNG, or the only picture of another one, with the delay of each in seconds.
fn pictures(bytes: &[u8]) -> Vec<(Vec<u8>, f32)> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let count = reader.info().animation_control().map_or(1, |control| control.num_frames);
    let size = reader.output_buffer_size().expect("it is small");
    let frame = |_| {
        let mut pixels = vec![0; size];
        reader.next_frame(&mut pixels).expect("a frame");
        let delay = reader
            .info()
            .frame_control()
            .map_or(0.0, |control| f32::from(control.delay_num) / f32::from(control.delay_den));
        (pixels, delay)
    };
    (0..count).map(frame).collect()
}

#[test]
fn frames_are_drawn_to_one_file_or_to_several() {
    let folder = Folder::new("frames");
    folder.write("s.frag", MOVING);
    let run = |args: &[&str]| {
        let all: Vec<&str> = ["run", "s.frag", "--size", "16x8"].iter().chain(args).copied().collect();
        let output = folder.planish(&all, "");
        (output.status.code(), text(&output.stderr))
    };
    for engine in ["native", "vm", "eval"] {
        let animation = ["--engine", engine, "--frames", "2..5", "--fps", "4", "-o", "all.png"];
        assert_eq!(run(&animation), (Some(0), String::new()));
        let all = pictures(&bytes(&folder, "all.png"));
        assert_eq!(all.len(), 3, "{engine}");
        let sequence = ["--engine", engine, "--frames", "2..5", "--fps", "4", "-o", "one%03d.png"];
        assert_eq!(run(&sequence), (Some(0), String::new()));
        for (number, (pixels, delay)) in (2..5).zip(&all) {
            assert_eq!(*delay, 0.25);
            let file = format!("one{number:03}.png");
            assert_eq!(&pictures(&bytes(&folder, &file))[0].0, pixels, "{engine}, {file}");
            // The first pixel: `uv.x` is 1/32, the time `number / 4`.
            let x = (0.03125 + f64::from(number) * 0.25).fract();
            let expected = [x, f64::from(number) / 10.0, 0.25, 1.0].map(|x| (x * 255.0).round() as u8);
            assert_eq!(pixels[..4], expected, "{engine}, frame {number}");
        }
    }
    assert_eq!(run(&["--frames", "0..2", "--fps", "0.03", "-o", "slow.png"]), (Some(0), String::new()));
    assert!(pictures(&bytes(&folder, "slow.png")).iter().all(|(_, delay)| (delay - 33.33).abs() < 0.001));
    let fails = |args: &[&str], message: &str| {
        let (code, errors) = run(args);
        assert!(code == Some(2) && errors.contains(message), "{args:?}: {errors}");
    };
    fails(&["--frames", "5..5", "-o", "a.png"], "`5..5` has no frames");
    fails(&["--frames", "7", "-o", "a.png"], "`7` is no range of frames; write FIRST..END");
    fails(&["--frames", "0..2", "-o", "a%x.png"], "`a%x.png` has no place for the number: write %d, or %04d");
    fails(&["--frames", "0..2", "-o", "a%4d.png"], "has no place for the number");
    fails(&["--frames", "0..2", "-o", "a%d-%d.png"], "has no place for the number");
    fails(&["--frames", "0..200000", "-o", "a%d.png"], "200000 files are too many");
    fails(&["--frames", "0..9000000", "-o", "a.png"], "write one for each, -o a%04d.png");
    fails(&["--frames", "0..2", "--fps", "0", "-o", "a.png"], "0 frames in a second are not possible");
    folder.write("p0001.png", bytes(&folder, "one002.png"));
    fails(&["--frames", "0..2", "--texture", "t=p0001.png", "-o", "p%04d.png"], "p0001.png");
}

#[test]
fn four_samples_are_the_mean_of_a_pixel() {
    let folder = Folder::new("samples");
    let source = "#version 320 es
precision highp float;
out vec4 color;
void main() { color = vec4(fract(gl_FragCoord.xy), float(gl_SampleID) / 4.0, float(gl_NumSamples) / 8.0); }
";
    folder.write("s.frag", source);
    for engine in ["native", "vm", "eval"] {
        for (samples, expected) in [("1", [0.5, 0.5, 0.0, 0.125]), ("4", [0.5, 0.5, 0.375, 0.5])] {
            let args = ["run", "s.frag", "--size", "4x2", "--engine", engine, "--samples", samples, "-o", "a.png"];
            let output = folder.planish(&args, "");
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
            let (pixels, _) = &pictures(&bytes(&folder, "a.png"))[0];
            let expected = expected.map(|x: f64| (x * 255.0).round() as u8);
            assert!(pixels.chunks(4).all(|pixel| pixel == expected), "{engine}, {samples}: {pixels:?}");
        }
    }
}

#[test]
fn the_widened_program_is_printed() {
    let folder = Folder::new("lanes-print");
    folder.write("s.frag", SHADER);
    let output = folder.planish(&["print", "s.frag", "--lanes", "8"], "");
    let listing = text(&output.stdout);
    assert!(output.status.success() && listing.contains("vec8") && listing.contains("any"), "{listing}");
}
