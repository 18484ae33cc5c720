//! Traces of pixels agree with the picture that is drawn, and with the costs of its pixels.

use planish::eval::EventKind;
use planish::eval::shade::{DrawOptions, costs, draw, trace};
use planish_testkit::{files, share};

use crate::common::compile;

const SIZE: [u32; 2] = [12, 10];

#[test]
fn traces_end_in_the_pixels_of_the_picture_and_their_costs() {
    let options = DrawOptions { size: SIZE, ..DrawOptions::default() };
    let (mut stores, mut calls, mut conditions) = (0, 0, 0);
    for path in share(files("examples/shaders", "frag").into_iter().chain(files("examples/flatten", "frag"))) {
        let name = path.display().to_string();
        let source = std::fs::read(&path).expect("can be read");
        let module = compile(&name, source).unwrap_or_else(|error| panic!("{error}"));
        let (Ok(image), Ok(costs)) = (draw(&module, &options), costs(&module, &options)) else { continue };
        for at in [[0, 0], [5, 4], [11, 9], [2, 7]] {
            let index = (at[1] * SIZE[0] + at[0]) as usize;
            let trace = trace(&module, &options, at).unwrap_or_else(|error| panic!("{name}: {error}"));
            let pixel = trace.end.unwrap_or_else(|stop| panic!("{name}: {stop}"));
            let bits = |pixel: [f32; 4]| pixel.map(f32::to_bits);
            assert_eq!(pixel.map(bits), pixel.and(Some(bits(image.float[index]))), "{name} {at:?}");
            assert_eq!(trace.cost, costs[index], "{name} {at:?}");
            let count = |kind: fn(&EventKind) -> bool| trace.events.iter().filter(|event| kind(&event.kind)).count();
            let returns = count(|kind| *kind == EventKind::Return);
            let called = count(|kind| matches!(kind, EventKind::Call(_)));
            assert!(pixel.is_none() || returns == called + 1, "{name} {at:?}: {called} calls, {returns} returns");
            stores += count(|kind| matches!(kind, EventKind::Store(_)));
            calls += called;
            conditions += count(|kind| *kind == EventKind::Condition);
        }
    }
    assert!(
        stores > 1000 && calls > 100 && conditions > 100,
        "{stores} stores, {calls} calls, {conditions} conditions"
    );
}
