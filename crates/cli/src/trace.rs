//! `planish run --pixel --trace` and `--heat`: what one pixel does, and what each costs.

use std::fmt::Write as _;

use planish::eval::shade::{DrawOptions, Image, Trace, costs, trace};
use planish::eval::{Event, EventKind, MAX_EVENTS};
use planish::ir::entity::Type;
use planish::module::Module;
use planish::source::{SourceMap, Span};
use serde_json::{Value, json};

use crate::Stop;
use crate::args::Run;
use crate::draw::{Shader, encode};
use crate::limits;
use crate::output;
use crate::report::count;
use crate::values::to_json;

/// `100,200`, counted from the upper left.
pub(crate) fn pixel(text: &str) -> Result<[u32; 2], String> {
    let parsed = text.split_once(',').and_then(|(x, y)| Some([x.trim().parse().ok()?, y.trim().parse().ok()?]));
    parsed.ok_or_else(|| format!("`{text}` is no pixel; write X,Y, counted from the upper left, from 0"))
}

/// Prints the value of a pixel, and with `--trace` each statement before.
pub(crate) fn print_pixel(args: &Run, shader: Shader<'_>, options: &DrawOptions<'_>, at: [u32; 2]) -> Result<(), Stop> {
    let Shader { module, map, reporter } = shader;
    let [width, height] = options.size;
    if at[0] >= width || at[1] >= height {
        let [x, y] = at;
        return Err(Stop::usage(format!("the pixel {x},{y} is outside of the picture, which has {width}x{height}")));
    }
    let trace = trace(module, options, at).map_err(|error| limits::stop_shader(args, &error, reporter))?;
    let mut text = String::new();
    let channel = |x: f32| to_json(&module.types, Type::F32, &[x.to_bits().into()]);
    if args.trace {
        match reporter.is_json() {
            true => trace.events.iter().for_each(|event| text += &format!("{}\n", object(event, module, map))),
            false => listing(&mut text, &trace, module, map),
        }
    }
    match &trace.end {
        Ok(None) => text += "discarded\n",
        Ok(Some(pixel)) => {
            text += &format!("{}\n", json!({"pixel": at, "value": pixel.map(channel), "cost": trace.cost}))
        }
        Err(_) => {}
    }
    output::write_stdout(text.as_bytes(), false)?;
    match trace.end {
        Ok(_) => Ok(()),
        Err(stop) => Err(limits::stop_shader(args, &stop.into(), reporter)),
    }
}

/// Each line of the source once for the statements that follow each other on it, and below it what they do; functions are indented.
fn listing(text: &mut String, trace: &Trace, module: &Module, map: &SourceMap) {
    let mut last = None;
    for event in &trace.events {
        let indent = "  ".repeat(event.depth.saturating_sub(1));
        let place = line(map, event.span);
        if last != Some((event.depth, place.clone())) {
            if let Some((at, source)) = &place {
                writeln!(text, "{indent}{at}: {source}").expect("a string takes all");
            }
            last = Some((event.depth, place));
        }
        writeln!(text, "{indent}    {}", words(event, module)).expect("a string takes all");
    }
    if trace.events.len() == MAX_EVENTS {
        writeln!(text, "… and more: only the first {MAX_EVENTS} are kept").expect("a string takes all");
    }
}

/// File and line, and the text of the line.
fn line(map: &SourceMap, span: Span) -> Option<(String, String)> {
    if span == Span::NONE {
        return None;
    }
    let place = map.place_at(span.start)?;
    let file = map.file_at(span.start)?;
    let start = file.line_starts().get(file.line_at(span.start - file.start)).map_or(0, |&start| start as usize);
    let text = file.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    Some((format!("{}:{}", place.file, place.at.line), text.trim().to_owned()))
}

/// An event in the manner of its language.
fn words(event: &Event, module: &Module) -> String {
    let values: Vec<String> =
        event.values.iter().map(|(ty, words)| to_json(&module.types, *ty, words).to_string()).collect();
    let values = values.join(", ");
    match &event.kind {
        EventKind::Store(path) => format!("{path} = {values}"),
        EventKind::Condition => values,
        EventKind::Call(name) => format!("{name}({values})"),
        EventKind::Return if values.is_empty() => "return".to_owned(),
        EventKind::Return => format!("return {values}"),
        EventKind::Image(op) if values.is_empty() => (*op).to_owned(),
        EventKind::Image(op) => format!("{op}: {values}"),
        EventKind::Discard => "discard".to_owned(),
    }
}

/// An event as an object.
fn object(event: &Event, module: &Module, map: &SourceMap) -> Value {
    let (what, name) = match &event.kind {
        EventKind::Store(path) => ("store", Some(path.as_str())),
        EventKind::Condition => ("condition", None),
        EventKind::Call(name) => ("call", Some(name.as_str())),
        EventKind::Return => ("return", None),
        EventKind::Image(op) => ("image", Some(*op)),
        EventKind::Discard => ("discard", None),
    };
    let place = (event.span != Span::NONE).then(|| map.place_at(event.span.start)).flatten();
    let values: Vec<Value> = event.values.iter().map(|(ty, words)| to_json(&module.types, *ty, words)).collect();
    let mut object = json!({"depth": event.depth, "what": what, "values": values});
    if let Some(name) = name {
        object["name"] = name.into();
    }
    if let Some(place) = place {
        object["file"] = json!(&*place.file);
        object["line"] = place.at.line.into();
        object["column"] = place.at.column.into();
    }
    object
}

/// Writes a picture of the cost of each pixel, and says what the colours mean.
pub(crate) fn heat(args: &Run, shader: Shader<'_>, options: &DrawOptions<'_>) -> Result<(), Stop> {
    let Shader { module, reporter, .. } = shader;
    let Some(file) = args.output.as_deref() else {
        return Err(Stop::usage("where should the picture of the costs go? Give -o FILE.png"));
    };
    let costs = costs(module, options).map_err(|error| limits::stop_shader(args, &error, reporter))?;
    let (least, most) = (costs.iter().min().copied().unwrap_or(0), costs.iter().max().copied().unwrap_or(0));
    let range = f64::from(most.saturating_sub(least)).max(1.0);
    let pixels = costs.iter().map(|&cost| colour((f64::from(cost - least) / range) as f32)).collect();
    output::write(file, &encode(&Image::new(options.size, pixels))?, true)?;
    let sum: u64 = costs.iter().map(|&cost| u64::from(cost)).sum();
    let mean = sum as f64 / costs.len().max(1) as f64;
    let pixels = count(costs.len(), "pixel");
    let line = format!(
        "{pixels}: {least} (black) to {most} (white) nodes of the IR each, {mean:.1} on average, {sum} in all\n"
    );
    output::write_message(&line);
    Ok(())
}

/// From black over blue, red and yellow to white; brighter is always more.
fn colour(share: f32) -> [f32; 4] {
    const STOPS: [[f32; 3]; 5] = [[0.0, 0.0, 0.0], [0.15, 0.1, 0.5], [0.75, 0.15, 0.3], [1.0, 0.75, 0.2], [1.0; 3]];
    let at = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let first = (at as usize).min(STOPS.len() - 2);
    let within = at - first as f32;
    let [r, g, b] = [0, 1, 2].map(|c| STOPS[first][c] + (STOPS[first + 1][c] - STOPS[first][c]) * within);
    [r, g, b, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_brighter() {
        let bright =
            |share: f32| colour(share).iter().take(3).zip([0.2126, 0.7152, 0.0722]).map(|(c, w)| c * w).sum::<f32>();
        let all: Vec<f32> = (0..=100).map(|i| bright(i as f32 / 100.0)).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
        assert_eq!(colour(f32::NAN)[3], 1.0);
    }

    #[test]
    fn pixels_are_two_numbers() {
        assert_eq!(pixel("3, 40"), Ok([3, 40]));
        for wrong in ["", "3", "3,", "-1,2", "1,2,3", "1.5,2"] {
            assert!(pixel(wrong).unwrap_err().contains("write X,Y"), "{wrong}");
        }
    }
}
