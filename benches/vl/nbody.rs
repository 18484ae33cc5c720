//! Five bodies that pull each other, with forces by hand: see `nbody.vl`.

const MASSES: [f64; 5] = [1.0, 0.01, 0.02, 0.005, 0.003];

#[unsafe(no_mangle)]
pub extern "C" fn run(steps: f64) -> f64 {
    let mut places: [[f64; 3]; 5] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.01], [0.0, 1.5, -0.02], [-2.2, 0.1, 0.0], [0.3, -3.0, 0.05]];
    let mut velocities: [[f64; 3]; 5] = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.01], [0.0, -0.65, 0.0], [0.55, 0.05, 0.0]];
    let h = 0.01;
    for _ in 0..steps as u32 {
        for i in 0..5 {
            for j in i + 1..5 {
                let mut d = [0.0; 3];
                for k in 0..3 {
                    d[k] = places[i][k] - places[j][k];
                }
                let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                let pull = h / (square * square.sqrt());
                for k in 0..3 {
                    velocities[i][k] -= d[k] * pull * MASSES[j];
                    velocities[j][k] += d[k] * pull * MASSES[i];
                }
            }
        }
        for i in 0..5 {
            for k in 0..3 {
                places[i][k] += h * velocities[i][k];
            }
        }
    }
    let mut potential = 0.0;
    for i in 0..5 {
        for j in i + 1..5 {
            let mut square = 0.0;
            for k in 0..3 {
                square += (places[i][k] - places[j][k]) * (places[i][k] - places[j][k]);
            }
            potential -= MASSES[i] * MASSES[j] / square.sqrt();
        }
    }
    potential
}
