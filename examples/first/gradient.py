"""Fits a curve to noisy points: the model in VL, its gradient in reverse mode, both over NumPy arrays."""

import numpy
import planish

MODEL = """
(define (loss height rate x y)
  (let ((off (- (* height (exp (* (- rate) x))) y)))
    (* off off)))
(export loss (real real real real))
"""

program = planish.Program(MODEL, name="model.vl")
slope = program.gradient("loss", value=True)

x = numpy.linspace(0, 4, 200)
y = 3 * numpy.exp(-0.7 * x) + numpy.random.default_rng(1).normal(0, 0.02, x.size)
height, rate = 1.0, 1.0
for step in range(2000):
    loss, by_height, by_rate, *_ = slope(height, rate, x, y)
    height -= 0.5 * by_height.mean()
    rate -= 0.5 * by_rate.mean()

print(f"height {height:.2f}, rate {rate:.2f}, loss {loss.mean():.5f}")
