;; error: E1103 8
(module
  (memory 1)
  (func (export "f") (param i32) (result i32)
    (local i32)
    (loop
      (local.set 1 (i32.add (local.get 1) (i32.const 1)))
      (i32.store (local.get 1) (local.get 0))
      (br_if 0 (i32.lt_s (local.get 1) (i32.const 4000))))
    (local.get 1)))
