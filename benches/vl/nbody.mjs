//! Five bodies that pull each other, with forces by hand: see `nbody.vl`.

const MASSES = [1, 0.01, 0.02, 0.005, 0.003];

class Body {
  constructor(x, y, z, vx, vy, vz, mass) {
    this.x = x; this.y = y; this.z = z;
    this.vx = vx; this.vy = vy; this.vz = vz;
    this.mass = mass;
  }
}

export function run(steps) {
  const bodies = [
    new Body(0, 0, 0, 0, 0, 0, MASSES[0]), new Body(1, 0, 0.01, 0, 1, 0, MASSES[1]),
    new Body(0, 1.5, -0.02, -0.8, 0, 0.01, MASSES[2]), new Body(-2.2, 0.1, 0, 0, -0.65, 0, MASSES[3]),
    new Body(0.3, -3, 0.05, 0.55, 0.05, 0, MASSES[4]),
  ];
  const h = 0.01;
  for (let step = 0; step < steps; step++) {
    for (let i = 0; i < 5; i++) {
      const a = bodies[i];
      for (let j = i + 1; j < 5; j++) {
        const b = bodies[j];
        const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        const square = dx * dx + dy * dy + dz * dz;
        const pull = h / (square * Math.sqrt(square));
        a.vx -= dx * pull * b.mass; a.vy -= dy * pull * b.mass; a.vz -= dz * pull * b.mass;
        b.vx += dx * pull * a.mass; b.vy += dy * pull * a.mass; b.vz += dz * pull * a.mass;
      }
    }
    for (const body of bodies) {
      body.x += h * body.vx; body.y += h * body.vy; body.z += h * body.vz;
    }
  }
  let potential = 0;
  for (let i = 0; i < 5; i++) {
    for (let j = i + 1; j < 5; j++) {
      const a = bodies[i], b = bodies[j];
      const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      potential -= a.mass * b.mass / Math.sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return potential;
}
