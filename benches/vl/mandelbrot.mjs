//! How many rounds the points of a grid stay, together: see `mandelbrot.vl`.

export function run(size) {
  let total = 0;
  for (let j = 0; j < size; j++) {
    for (let i = 0; i < size; i++) {
      const cx = 3 * i / size - 2, cy = 3 * j / size - 1.5;
      let x = 0, y = 0, n = 0;
      while (n < 200 && !(x * x + y * y > 4)) {
        const next = x * x - y * y + cx;
        y = x * y + y * x + cy;
        x = next;
        n++;
      }
      total += n;
    }
  }
  return total;
}
