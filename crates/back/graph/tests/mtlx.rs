//! MaterialX documents: read by a small reader with the meaning that the specification gives to nodes, they compute what the evaluator does.

use std::collections::HashMap;

use planish_back_graph::{Graph, Options, mtlx};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_ir::module::Module;
use planish_ir::source::SourceMap;
use planish_ir::text::{parse, parse_str};

fn module(text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
    assert_eq!(planish_ir::verify::verify(&module), [], "{text}");
    module
}

fn document(module: &Module) -> Result<String, Vec<String>> {
    let func = module.funcs.keys().last().expect("a function");
    let graph = Graph::new(module, func, &Options::default()).expect("it is flat");
    mtlx::text(&graph)
        .map_err(|errors| errors.into_iter().map(|error| format!("{}: {}", error.code, error.message)).collect())
}

type Values = HashMap<String, Vec<f32>>;

fn attribute<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let rest = line.split_once(&format!(" {name}=\""))?.1;
    rest.split_once('"').map(|(value, _)| value)
}

fn number(text: &str) -> f32 {
    match text {
        "true" => 1.0,
        "false" => 0.0,
        _ => text.parse().unwrap_or_else(|_| panic!("no number: {text}")),
    }
}

/// The value of an input or output: written out, an input of the graph, or a node's.
fn value(line: &str, interface: &Values, nodes: &Values) -> Vec<f32> {
    if let Some(text) = attribute(line, "value") {
        return text.split(", ").map(number).collect();
    }
    match (attribute(line, "interfacename"), attribute(line, "nodename")) {
        (Some(name), _) => interface[name].clone(),
        (_, Some(name)) => nodes[name].clone(),
        _ => panic!("no source: {line}"),
    }
}

/// Runs a document.
fn run(text: &str, interface: &Values) -> Values {
    let (mut nodes, mut outputs) = (Values::new(), Values::new());
    let mut types: HashMap<&str, &str> = HashMap::new();
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let category = line.trim_start_matches('<').split(' ').next().unwrap_or_default();
        if matches!(category, "?xml" | "materialx" | "nodegraph" | "input") || category.starts_with('/') {
            continue;
        }
        let (name, ty) = (attribute(line, "name").expect("named"), attribute(line, "type").expect("typed"));
        let check = |line: &str| {
            if let (Some(source), ty) = (attribute(line, "nodename"), attribute(line, "type")) {
                assert_eq!(ty, types.get(source).copied(), "{line} in\n{text}");
            }
        };
        if category == "output" {
            check(line);
            outputs.insert(name.into(), value(line, interface, &nodes));
            continue;
        }
        let mut inputs = Values::new();
        while let Some(input) = lines.next_if(|line| line.starts_with("<input")) {
            check(input);
            inputs.insert(attribute(input, "name").expect("named").into(), value(input, interface, &nodes));
        }
        types.insert(name, ty);
        let result = node(category, ty, &inputs);
        assert!(nodes.insert(name.into(), result).is_none(), "two nodes `{name}`");
    }
    outputs
}

fn node(category: &str, ty: &str, inputs: &Values) -> Vec<f32> {
    let count = match ty {
        "vector2" => 2,
        "vector3" => 3,
        "vector4" => 4,
        _ => 1,
    };
    let at = |name: &str, i: usize| {
        let all = &inputs[name];
        if all.len() == 1 { all[0] } else { all[i] }
    };
    let each = |f: &dyn Fn(usize) -> f32| -> Vec<f32> { (0..count).map(f).collect() };
    let one = |f: &dyn Fn(f32) -> f32| each(&|i| f(at("in", i)));
    let two = |f: &dyn Fn(f32, f32) -> f32| each(&|i| f(at("in1", i), at("in2", i)));
    let truth = |b: bool| f32::from(u8::from(b));
    let sum = |f: &dyn Fn(usize) -> f32, of: &str| (0..inputs[of].len()).map(f).sum::<f32>();
    let choice = |holds: bool| match inputs.contains_key("in1") {
        true => each(&|i| at(if holds { "in1" } else { "in2" }, i)),
        false => vec![truth(holds)],
    };
    let values = || (at("value1", 0), at("value2", 0));
    match category {
        "constant" => inputs["value"].clone(),
        "add" => two(&|x, y| x + y),
        "subtract" => two(&|x, y| x - y),
        "multiply" => two(&|x, y| x * y),
        "divide" => two(&|x, y| x / y),
        "modulo" => two(&|x, y| x - y * (x / y).floor()),
        "power" => two(&f32::powf),
        "min" => two(&f32::min),
        "max" => two(&f32::max),
        "atan2" => each(&|i| at("iny", i).atan2(at("inx", i))),
        "absval" => one(&f32::abs),
        "sign" => one(&|x| if x == 0.0 { 0.0 } else { x.signum() }),
        "floor" => one(&f32::floor),
        "ceil" => one(&f32::ceil),
        "fract" => one(&|x| x - x.floor()),
        "round" => one(&f32::round_ties_even),
        "sin" => one(&f32::sin),
        "cos" => one(&f32::cos),
        "tan" => one(&f32::tan),
        "asin" => one(&f32::asin),
        "acos" => one(&f32::acos),
        "sqrt" => one(&f32::sqrt),
        "ln" => one(&f32::ln),
        "exp" => one(&f32::exp),
        "not" => one(&|x| 1.0 - x),
        "and" => two(&|x, y| x * y),
        "or" => two(&f32::max),
        "xor" => two(&|x, y| truth(x != y)),
        "clamp" => each(&|i| at("in", i).max(at("low", i)).min(at("high", i))),
        "mix" => each(&|i| at("fg", i) * at("mix", i) + at("bg", i) * (1.0 - at("mix", i))),
        // The library's own: a step where the edges fall.
        "smoothstep" => each(&|i| {
            if at("in", i) <= at("low", i) || at("in", i) >= at("high", i) {
                return truth(at("in", i) > at("low", i));
            }
            let t = ((at("in", i) - at("low", i)) / (at("high", i) - at("low", i))).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }),
        "convert" => each(&|i| at("in", i)),
        "extract" => vec![inputs["in"][inputs["index"][0] as usize]],
        "combine2" => vec![at("in1", 0), at("in2", 0)],
        "combine3" => vec![at("in1", 0), at("in2", 0), at("in3", 0)],
        "combine4" => vec![at("in1", 0), at("in2", 0), at("in3", 0), at("in4", 0)],
        "dotproduct" => vec![sum(&|i| at("in1", i) * at("in2", i), "in1")],
        "magnitude" => vec![sum(&|i| at("in", i) * at("in", i), "in").sqrt()],
        "distance" => vec![sum(&|i| (at("in1", i) - at("in2", i)).powi(2), "in1").sqrt()],
        "normalize" => {
            let length = sum(&|i| at("in", i) * at("in", i), "in").sqrt();
            one(&|x| x / length)
        }
        "crossproduct" => {
            let (x, y) = (&inputs["in1"], &inputs["in2"]);
            let part = |i: usize, j: usize| x[i] * y[j] - x[j] * y[i];
            vec![part(1, 2), part(2, 0), part(0, 1)]
        }
        "reflect" => {
            let d = sum(&|i| at("in", i) * at("normal", i), "in");
            each(&|i| at("in", i) - 2.0 * d * at("normal", i))
        }
        "ifgreater" => choice(values().0 > values().1),
        "ifgreatereq" => choice(values().0 >= values().1),
        "ifequal" => choice(values().0 == values().1),
        _ => panic!("no such node: {category}"),
    }
}

/// A function of floats: `lines` compute, from the parameters `x`, `y`, `z`, `u` and `v` (of 3 and 2 components), what is returned.
fn function(lines: &str, ty: &str) -> String {
    let body: String = lines.lines().map(|line| format!("  {}\n", line.trim())).collect();
    format!("module ir\n\nfn @f(%x x: f32, %y y: f32, %u u: vec3, %v v: vec2, %i i: i32) -> ({ty}) {{\nb0:\n{body}}}\n")
}

/// Compares a function with the document on random arguments.
#[track_caller]
fn same(lines: &str, ty: &str) {
    let text = function(lines, ty);
    let module = module(&text);
    let func = module.funcs.keys().next().expect("a function");
    let document = document(&module).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
    let mut choices = Choices::from_seed(7);
    let mut evaluator = Evaluator::new(&module, Limits::default()).expect("valid");
    for _ in 0..20 {
        let mut interface = Values::new();
        let params = module.funcs[func].params.clone();
        let args: Vec<EvalValue> = params
            .iter()
            .map(|param| {
                let count = module.types.part_count(param.ty).unwrap_or(1) as usize;
                let is_integer = &*param.name.text == "i";
                let numbers: Vec<f32> = (0..count)
                    .map(|_| choices.below(33) as f32 / if is_integer { 4.0f32 } else { 8.0 } - 2.0)
                    .map(|x| if is_integer { x.trunc() } else { x })
                    .collect();
                let bits = |x: &f32| u64::from(if is_integer { *x as i32 as u32 } else { x.to_bits() });
                let value = EvalValue { ty: param.ty, bits: numbers.iter().map(bits).collect() };
                interface.insert(param.name.text.to_string(), numbers);
                value
            })
            .collect();
        let expected = &evaluator.call(func, &args).expect("it ends")[0];
        let is_float = module.types.scalar_of(expected.ty) == Some(planish_ir::types::Scalar::F32);
        let expected: Vec<f32> = expected
            .bits
            .iter()
            .map(|&bits| if is_float { f32::from_bits(bits as u32) } else { bits as u32 as i32 as f32 })
            .collect();
        let outputs = run(&document, &interface);
        let found = outputs.values().next().expect("an output");
        let near = |(x, y): (&f32, &f32)| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= 1e-5 * (1.0 + x.abs());
        assert!(
            expected.len() == found.len() && expected.iter().zip(found).all(near),
            "{interface:?}\n{expected:?}\n{found:?}\n{document}"
        );
    }
}

#[test]
fn nodes_of_the_standard_library() {
    for op in [
        "abs",
        "sign",
        "floor",
        "ceil",
        "fract",
        "trunc",
        "round_even",
        "sin",
        "cos",
        "exp",
        "exp2",
        "atan",
        "saturate",
        "negate",
        "radians",
        "degrees",
    ] {
        same(&format!("%r = {op} %x\nreturn %r"), "f32");
        same(&format!("%r = {op} %u\nreturn %r"), "vec3");
    }
    for op in ["sqrt", "log", "log2", "inverse_sqrt"] {
        same(
            &format!(
                "%a = abs %u\n%b: vec3 = construct_vector_from_scalar 0.5\n%c = add %a, %b\n%r = {op} %c\nreturn %r"
            ),
            "vec3",
        );
    }
    for op in ["add", "subtract", "multiply", "divide", "min", "max", "atan2", "step", "mod"] {
        same(&format!("%r = {op} %x, %y\nreturn %r"), "f32");
        same(&format!("%w = extract_vector_component_multi[yzx] %u\n%r = {op} %u, %w\nreturn %r"), "vec3");
    }
    same("%r = length %u\nreturn %r", "f32");
    same("%r = length %x\nreturn %r", "f32");
    same("%w = extract_vector_component_multi[yzx] %u\n%r = cross %u, %w\nreturn %r", "vec3");
    same("%w = extract_vector_component_multi[yzx] %u\n%r = reflect %u, %w\nreturn %r", "vec3");
    same("%w = extract_vector_component_multi[yzx] %u\n%r = dot %u, %w\nreturn %r", "f32");
    same("%r = mix %x, %y, 0.25\nreturn %r", "f32");
    same("%r = smooth_step 0.25, 0.75, %x\nreturn %r", "f32");
    same("%r = smooth_step 0.75, 0.25, %x\nreturn %r", "f32");
    same("%r = smooth_step %x, %y, 0.5\nreturn %r", "f32");
    let high = "%w = extract_vector_component_multi[yzx] %u\n%b: vec3 = construct_vector_from_scalar 0.5\n%h = subtract %w, %b";
    same(&format!("{high}\n%r = smooth_step %w, %h, %u\nreturn %r"), "vec3");
    same("%r = multiply_add %x, %y, 0.5\nreturn %r", "f32");
    same("%r = lerp %x, %y, 0.25\nreturn %r", "f32");
    same("%r = smooth_step -1.0, 1.5, %x\nreturn %r", "f32");
    same("%r = clamp %x, -1.0, 0.5\nreturn %r", "f32");
    same("%r = horizontal_add %u\nreturn %r", "f32");
}

#[test]
fn comparisons_and_selects() {
    for op in ["less_than", "less_than_equal", "greater_than", "greater_than_equal", "equal", "not_equal"] {
        same(&format!("%c = {op} %x, %y\n%r = select %c, %u, vec3{{1.0, 2.0, 3.0}}\nreturn %r"), "vec3");
        same(
            &format!(
                "%c = {op} %i, 1\n%d = less_than %x, 0.0\n%e = logical_and %c, %d\n%r = select %e, %x, %y\nreturn %r"
            ),
            "f32",
        );
        same(
            &format!("%c = {op} %x, %y\n%n = logical_not %c\n%r: f32 = construct_scalar_from_scalar %n\nreturn %r"),
            "f32",
        );
        same(
            &format!(
                "%a = {op} %x, 0.0\n%b = {op} %y, 0.0\n%c = less_than %i, 1\n%s = select %c, %a, %b\n%r = select %s, %x, 9.0\nreturn %r"
            ),
            "f32",
        );
    }
}

#[test]
fn conversions_and_parts() {
    same("%r: i32 = construct_scalar_from_scalar %x\nreturn %r", "i32");
    same("%r: f32 = construct_scalar_from_scalar %i\nreturn %r", "f32");
    same("%b: bool = construct_scalar_from_scalar %i\n%r = select %b, %x, %y\nreturn %r", "f32");
    same("%a = add %i, 3\n%r = subtract %a, %i\nreturn %r", "i32");
    same("%r: vec3 = construct_vector_from_multiple %v, %x\nreturn %r", "vec3");
    same("%a = extract_vector_component_multi[zx] %u\n%r = extract_vector_component[1] %a\nreturn %r", "f32");
    same("%r = insert_vector_component[1] %u, %x\nreturn %r", "vec3");
    // MaterialX has no vectors of truth values, nor of integers.
    same(
        "%j = add %i, 1\n%n: ivec3 = construct_vector_from_multiple %i, %j, 7\n%r: vec3 = construct_vector_from_multiple %n\nreturn %r",
        "vec3",
    );
    same(
        "%n: ivec2 = construct_vector_from_scalar %i\n%r: vec2 = construct_vector_from_multiple %n\nreturn %r",
        "vec2",
    );
    same("%r: vec3 = construct_vector_from_scalar %i\nreturn %r", "vec3");
    same("%c = greater_than %u, vec3{0.0, 0.5, 1.0}\n%r = select %c, %u, vec3{4.0, 5.0, 6.0}\nreturn %r", "vec3");
    same("%c = greater_than %u, vec3{0.0, 0.5, 1.0}\n%a = any %c\n%r = select %a, %x, %y\nreturn %r", "f32");
    same("%c = greater_than %u, vec3{0.0, 0.5, 1.0}\n%a = all %c\n%r = select %a, %x, %y\nreturn %r", "f32");
}

#[test]
fn matrices_are_sums_of_products() {
    let matrix = "%w = extract_vector_component_multi[yzx] %u\n%z = extract_vector_component_multi[zxy] %u\n%m: mat3x3 = construct_matrix_from_multiple %u, %w, %z\n";
    same(&format!("{matrix}%r = matrix_times_vector %m, %u\nreturn %r"), "vec3");
    same(&format!("{matrix}%r = vector_times_matrix %u, %m\nreturn %r"), "vec3");
    same(&format!("{matrix}%n = matrix_times_matrix %m, %m\n%r = matrix_times_vector %n, %u\nreturn %r"), "vec3");
    same(&format!("{matrix}%t = transpose %m\n%r = matrix_times_vector %t, %w\nreturn %r"), "vec3");
    same(&format!("{matrix}%c = extract_matrix_column %m, 1\nreturn %c"), "vec3");
}

#[test]
fn what_materialx_lacks_is_refused() {
    for (lines, ty, why) in [
        ("%r = multiply %i, %i\nreturn %r", "i32", "E0604: MaterialX has no node for `multiply`"),
        ("%r = bitwise_and %i, 7\nreturn %r", "i32", "E0604: MaterialX has no node for `bitwise_and`"),
        ("%r = dfdx %x\nreturn %r", "f32", "E0604: MaterialX has no node for `dfdx`"),
        ("%w: u32 = bitcast %i\nreturn %w", "u32", "E0604: MaterialX has no node for a value of type `u32`"),
    ] {
        let told = document(&module(&function(lines, ty))).expect_err("it is refused");
        assert_eq!(told[0], why, "{lines}");
    }
}

#[test]
fn each_thing_is_refused_once_at_its_first_place() {
    let text = function(
        "%a = multiply %i, %i\n%b = multiply %a, 3\n%c = bitwise_and %i, 7\n%d = multiply %c, %i\n%e = add %b, %d\n%f = multiply %i, 5\n%r = add %e, %f\nreturn %r",
        "i32",
    );
    let mut map = SourceMap::new();
    let file = map.add("a.ir", text).expect("small");
    let module = parse(&file).expect("valid");
    let func = module.funcs.keys().next().expect("a function");
    let graph = Graph::new(&module, func, &Options::default()).expect("it is flat");
    let errors = mtlx::text(&graph).expect_err("it is refused");
    let told: Vec<(&str, &str)> = errors.iter().map(|error| (&*error.message, map.text(error.span))).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for (message, place) in [("`multiply`", "multiply %i, %i"), ("`bitwise_and`", "bitwise_and %i, 7")] {
        assert!(told.iter().any(|(m, p)| m.contains(message) && p.contains(place)), "{message}: {told:?}");
    }
}

#[test]
fn what_depends_on_something_refused_is_not_refused_too() {
    let text = "module ir\n\nfn @f(%m m: mat4x4, %v v: vec4) -> (vec4) {\nb0:\n  %a = matrix_times_vector %m, %v\n  %b = add %a, %v\n  return %b\n}\n";
    let told = document(&module(text)).expect_err("it is refused");
    assert_eq!(told, ["E0604: MaterialX has no node for a value of type `mat4x4`"]);
}

#[test]
fn a_document_is_short() {
    let text =
        function("%c = less_than %x, 0.5\n%a = add %u, vec3{0.1, 0.2, 0.3}\n%r = select %c, %a, %u\nreturn %r", "vec3");
    let expected = "\
<?xml version=\"1.0\"?>
<materialx version=\"1.39\">
  <nodegraph name=\"f\">
    <input name=\"x\" type=\"float\" value=\"0.0\" />
    <input name=\"u\" type=\"vector3\" value=\"0.0, 0.0, 0.0\" />
    <add name=\"add\" type=\"vector3\">
      <input name=\"in1\" type=\"vector3\" interfacename=\"u\" />
      <input name=\"in2\" type=\"vector3\" value=\"0.1, 0.2, 0.3\" />
    </add>
    <ifgreater name=\"select\" type=\"vector3\">
      <input name=\"value1\" type=\"float\" value=\"0.5\" />
      <input name=\"value2\" type=\"float\" interfacename=\"x\" />
      <input name=\"in1\" type=\"vector3\" nodename=\"add\" />
      <input name=\"in2\" type=\"vector3\" interfacename=\"u\" />
    </ifgreater>
    <output name=\"result\" type=\"vector3\" nodename=\"select\" />
  </nodegraph>
</materialx>
";
    let found = document(&module(&text)).expect("MaterialX has it");
    assert_eq!(found, expected, "{found}");
}
