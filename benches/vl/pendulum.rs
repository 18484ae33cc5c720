//! A pendulum by Runge and Kutta's method: see `pendulum.vl`.

fn slope(angle: f64, speed: f64) -> (f64, f64) {
    (speed, -(9.81 * angle.sin()))
}

#[unsafe(no_mangle)]
pub extern "C" fn run(steps: f64) -> f64 {
    let (mut angle, mut speed): (f64, f64) = (2.0, 0.0);
    let h = 0.001;
    for _ in 0..steps as u32 {
        let (a1, s1) = slope(angle, speed);
        let (a2, s2) = slope(angle + h / 2.0 * a1, speed + h / 2.0 * s1);
        let (a3, s3) = slope(angle + h / 2.0 * a2, speed + h / 2.0 * s2);
        let (a4, s4) = slope(angle + h * a3, speed + h * s3);
        angle += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        speed += h / 6.0 * (s1 + 2.0 * s2 + 2.0 * s3 + s4);
    }
    angle
}
