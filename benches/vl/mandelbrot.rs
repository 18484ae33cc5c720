//! Total number of iterations of the points of a grid: see `mandelbrot.vl`.

#[unsafe(no_mangle)]
pub extern "C" fn run(size: f64) -> f64 {
    let mut total = 0.0;
    for j in 0..size as u32 {
        for i in 0..size as u32 {
            let (cx, cy) = (3.0 * f64::from(i) / size - 2.0, 3.0 * f64::from(j) / size - 1.5);
            let (mut x, mut y, mut n) = (0.0, 0.0, 0u32);
            while n < 200 && !(x * x + y * y > 4.0) {
                (x, y) = (x * x - y * y + cx, x * y + y * x + cy);
                n += 1;
            }
            total += f64::from(n);
        }
    }
    total
}
