//! A pendulum by Runge and Kutta's method: see `pendulum.vl`.

export function run(steps) {
  let angle = 2, speed = 0;
  const h = 0.001;
  for (let step = 0; step < steps; step++) {
    const a1 = speed, s1 = -(9.81 * Math.sin(angle));
    const a2 = speed + h / 2 * s1, s2 = -(9.81 * Math.sin(angle + h / 2 * a1));
    const a3 = speed + h / 2 * s2, s3 = -(9.81 * Math.sin(angle + h / 2 * a2));
    const a4 = speed + h * s3, s4 = -(9.81 * Math.sin(angle + h * a3));
    angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    speed += h / 6 * (s1 + 2 * s2 + 2 * s3 + s4);
  }
  return angle;
}
