//! An op that adds angles in degrees, a rule about it, and the phase that makes code of what the rule leaves.
use planish::ir::ops::Op;
use planish::opt::{LowerSite, Phase};
use planish::opt::rules::{CustomRule, Law};
use planish::{EmitOptions, Optimizer, Target, emit, ir};

const PROGRAM: &str = "module ir
op turn fn(f32, f32) -> (f32) pure phase angles
fn @f(%0 x: f32) -> (f32) {
b0:
  %1 = custom[turn] %0, 200.0
  %2 = custom[turn] %1, 160.0
  %3 = custom[turn] %2, 45.0
  return %3
}
export @f \"f\"
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut module = ir::text::parse_str(PROGRAM).map_err(|errors| errors[0].message.clone())?;
    let add_turns = CustomRule::on("turn", "add_turns", Law::Exact, "turn(turn(x, a), b) → turn(x, a + b)", |s| {
        let inner = s.custom_args(s.arg(0), "turn")?;
        let sum = s.make(Op::Add, &[inner[1], s.arg(1)]);
        s.make_custom("turn", &[inner[0], sum])
    });
    let sum = |site: &mut LowerSite| vec![site.b.op(Op::Add, &[site.args()[0], site.args()[1]])];
    let angles = Phase::new("angles").lower("turn", sum);
    let mut optimizer = Optimizer::level("2").ok_or("there is no such level")?;
    (optimizer.options.rules, optimizer.options.phases) = (vec![add_turns], vec![angles]);
    optimizer.run(&mut module, &mut |_, _| {});
    let js = emit(&module, Target::Js, &EmitOptions::default()).map_err(|errors| errors[0].message.clone())?;
    print!("{}", String::from_utf8(js.bytes)?);
    Ok(())
}
