//! The sum of cube roots by Newton's method: see `newton.vl`.

export function run(count) {
  let total = 0;
  for (let i = 1; i <= count; i++) {
    let x = 1;
    for (let round = 0; round < 20; round++) x -= (x * x * x - i) / (3 * x * x);
    total += x;
  }
  return total;
}
