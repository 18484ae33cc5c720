(module
  (type (;0;) (func (param i32) (result i64)))
  (func $run (type 0) (param i32) (result i64)
    (local f64 i64 i32 f64 f64 f64 i32 f64 i32 f64 f64 f64 f64 i32)
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.ge_s
      br_if 0 (;@1;)
      i64.const 0
      return
    end
    local.get 0
    f64.convert_i32_s
    local.set 1
    i64.const 0
    local.set 2
    i32.const 0
    local.set 3
    f64.const 0x0p+0 (;=0;)
    local.set 4
    loop  ;; label = @1
      local.get 4
      local.get 4
      f64.add
      local.get 1
      f64.div
      f64.const -0x1p+0 (;=-1;)
      f64.add
      local.set 5
      f64.const 0x0p+0 (;=0;)
      local.set 6
      i32.const 0
      local.set 7
      loop  ;; label = @2
        local.get 6
        f64.const 0x1.8p+1 (;=3;)
        f64.mul
        local.get 1
        f64.div
        f64.const -0x1p+1 (;=-2;)
        f64.add
        local.set 8
        i32.const 0
        local.set 9
        f64.const 0x0p+0 (;=0;)
        local.set 10
        f64.const 0x0p+0 (;=0;)
        local.set 11
        block  ;; label = @3
          loop  ;; label = @4
            block  ;; label = @5
              local.get 10
              local.get 10
              f64.mul
              local.tee 12
              local.get 11
              local.get 11
              f64.mul
              local.tee 13
              f64.add
              f64.const 0x1p+2 (;=4;)
              f64.gt
              i32.eqz
              br_if 0 (;@5;)
              local.get 9
              local.set 14
              br 2 (;@3;)
            end
            block  ;; label = @5
              local.get 8
              local.get 12
              local.get 13
              f64.sub
              f64.add
              local.tee 12
              local.get 12
              f64.mul
              local.tee 13
              local.get 5
              local.get 11
              local.get 10
              local.get 10
              f64.add
              f64.mul
              f64.add
              local.tee 11
              local.get 11
              f64.mul
              local.tee 10
              f64.add
              f64.const 0x1p+2 (;=4;)
              f64.gt
              br_if 0 (;@5;)
              local.get 8
              local.get 13
              local.get 10
              f64.sub
              f64.add
              local.set 10
              local.get 5
              local.get 11
              local.get 12
              local.get 12
              f64.add
              f64.mul
              f64.add
              local.set 11
              i32.const 100
              local.set 14
              local.get 9
              i32.const 2
              i32.add
              local.tee 9
              i32.const 100
              i32.ne
              br_if 1 (;@4;)
              br 2 (;@3;)
            end
          end
          local.get 9
          i32.const 1
          i32.add
          local.set 14
        end
        local.get 6
        f64.const 0x1p+0 (;=1;)
        f64.add
        local.set 6
        local.get 2
        local.get 14
        i64.extend_i32_u
        i64.xor
        i64.const 1099511628211
        i64.mul
        local.set 2
        local.get 7
        i32.const 1
        i32.add
        local.tee 7
        local.get 0
        i32.ne
        br_if 0 (;@2;)
      end
      local.get 4
      f64.const 0x1p+0 (;=1;)
      f64.add
      local.set 4
      local.get 3
      i32.const 1
      i32.add
      local.tee 3
      local.get 0
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 2)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 66560))
  (export "memory" (memory 0))
  (export "run" (func $run)))
