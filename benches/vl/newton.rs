//! The sum of cube roots by Newton's method: see `newton.vl`.

#[unsafe(no_mangle)]
pub extern "C" fn run(count: f64) -> f64 {
    let mut total = 0.0;
    for i in 1..=count as u32 {
        let a = f64::from(i);
        let mut x = 1.0;
        for _ in 0..20 {
            x -= (x * x * x - a) / (3.0 * x * x);
        }
        total += x;
    }
    total
}
