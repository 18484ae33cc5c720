use planish::stage::*;
fn main() {
    let f = function("two", |x: In<[f64]>| {
        let ys = x.iter().filter(|x| x.gt(0.0)).map(|x| x * 2.0).collect();
        let sum = ys.iter().fold(0.0, |s: Rep<f64>, y| s + y);
        let big = ys.iter().fold(0.0, |s: Rep<f64>, y| s + y * y);
        (sum, big, ys.len())
    })
    .unwrap();
    println!("{}", planish::ir::text::print(&f.optimized()));
    let f = function("pairs", |x: In<[f64]>| {
        let ys = x.iter().map(|x| (x * 2.0, x.gt(1.0))).collect();
        let zs = ys.iter().filter(|(_, b)| b).map(|(x, _)| x).collect();
        zs.iter().sum()
    })
    .unwrap();
    println!("{}", planish::ir::text::print(&f.optimized()));
}
