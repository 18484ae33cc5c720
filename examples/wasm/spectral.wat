(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32 i32)))
  (func $run (type 0) (param i32) (result i64)
    (local i32 i32 i32 i32 i32 f64 f64 f64 f64)
    local.get 0
    i32.const 1024
    local.get 0
    i32.const 1024
    i32.lt_s
    select
    local.set 1
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 1
      i32.const 1
      local.get 1
      i32.const 1
      i32.gt_s
      select
      local.tee 2
      i32.const 7
      i32.and
      local.set 3
      i32.const 0
      local.set 4
      block  ;; label = @2
        local.get 2
        i32.const -1
        i32.add
        i32.const 7
        i32.lt_u
        br_if 0 (;@2;)
        local.get 2
        i32.const 2147483640
        i32.and
        local.set 5
        i32.const 0
        local.set 4
        i32.const 1056
        local.set 2
        loop  ;; label = @3
          local.get 2
          i64.const 4607182418800017408
          i64.store
          local.get 2
          i32.const 24
          i32.add
          i64.const 4607182418800017408
          i64.store
          local.get 2
          i32.const 16
          i32.add
          i64.const 4607182418800017408
          i64.store
          local.get 2
          i32.const 8
          i32.add
          i64.const 4607182418800017408
          i64.store
          local.get 2
          i32.const -8
          i32.add
          i64.const 4607182418800017408
          i64.store
          local.get 2
          i32.const -16
          i32.add
          i64.const 4607182418800017408
          i64.store
          local.get 2
          i32.const -24
          i32.add
          i64.const 4607182418800017408
          i64.store
          local.get 2
          i32.const -32
          i32.add
          i64.const 4607182418800017408
          i64.store
          local.get 2
          i32.const 64
          i32.add
          local.set 2
          local.get 5
          local.get 4
          i32.const 8
          i32.add
          local.tee 4
          i32.ne
          br_if 0 (;@3;)
        end
      end
      local.get 3
      i32.eqz
      br_if 0 (;@1;)
      local.get 4
      i32.const 3
      i32.shl
      i32.const 1024
      i32.add
      local.set 2
      loop  ;; label = @2
        local.get 2
        i64.const 4607182418800017408
        i64.store
        local.get 2
        i32.const 8
        i32.add
        local.set 2
        local.get 3
        i32.const -1
        i32.add
        local.tee 3
        br_if 0 (;@2;)
      end
    end
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    local.get 1
    i32.const 1024
    call $multiply
    local.get 1
    i32.const 17408
    call $multiply_turned
    local.get 1
    i32.const 17408
    call $multiply
    local.get 1
    i32.const 1024
    call $multiply_turned
    i32.const 0
    local.set 3
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 0
        i32.gt_s
        br_if 0 (;@2;)
        f64.const nan (;=nan;)
        local.set 6
        br 1 (;@1;)
      end
      local.get 1
      i32.const 1
      local.get 1
      i32.const 1
      i32.gt_s
      select
      local.tee 2
      i32.const 1
      i32.and
      local.set 4
      block  ;; label = @2
        block  ;; label = @3
          local.get 1
          i32.const 2
          i32.ge_s
          br_if 0 (;@3;)
          f64.const 0x0p+0 (;=0;)
          local.set 7
          f64.const 0x0p+0 (;=0;)
          local.set 8
          br 1 (;@2;)
        end
        local.get 2
        i32.const 2147483646
        i32.and
        local.set 1
        f64.const 0x0p+0 (;=0;)
        local.set 7
        i32.const 0
        local.set 2
        i32.const 0
        local.set 3
        f64.const 0x0p+0 (;=0;)
        local.set 8
        loop  ;; label = @3
          local.get 8
          local.get 2
          i32.const 1024
          i32.add
          f64.load
          local.get 2
          i32.const 17408
          i32.add
          f64.load
          local.tee 6
          f64.mul
          f64.add
          local.get 2
          i32.const 1032
          i32.add
          f64.load
          local.get 2
          i32.const 17416
          i32.add
          f64.load
          local.tee 9
          f64.mul
          f64.add
          local.set 8
          local.get 7
          local.get 6
          local.get 6
          f64.mul
          f64.add
          local.get 9
          local.get 9
          f64.mul
          f64.add
          local.set 7
          local.get 2
          i32.const 16
          i32.add
          local.set 2
          local.get 1
          local.get 3
          i32.const 2
          i32.add
          local.tee 3
          i32.ne
          br_if 0 (;@3;)
        end
      end
      block  ;; label = @2
        local.get 4
        i32.eqz
        br_if 0 (;@2;)
        local.get 8
        local.get 3
        i32.const 3
        i32.shl
        local.tee 2
        i32.const 1024
        i32.add
        f64.load
        local.get 2
        i32.const 17408
        i32.add
        f64.load
        local.tee 6
        f64.mul
        f64.add
        local.set 8
        local.get 7
        local.get 6
        local.get 6
        f64.mul
        f64.add
        local.set 7
      end
      local.get 8
      local.get 7
      f64.div
      local.set 6
    end
    local.get 6
    f64.sqrt
    i64.reinterpret_f64)
  (func $multiply (type 1) (param i32 i32)
    (local i32 i32 f64 i32 i32 i32)
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      i32.const 0
      local.set 2
      loop  ;; label = @2
        local.get 2
        i32.const 1
        i32.add
        local.set 3
        f64.const 0x0p+0 (;=0;)
        local.set 4
        local.get 1
        local.set 5
        i32.const 0
        local.set 6
        loop  ;; label = @3
          local.get 4
          f64.const 0x1p+0 (;=1;)
          local.get 3
          local.get 2
          local.get 6
          i32.add
          local.tee 7
          i32.const 1
          i32.add
          local.get 7
          i32.mul
          i32.const 1
          i32.shr_u
          i32.add
          f64.convert_i32_s
          f64.div
          local.get 5
          f64.load
          f64.mul
          f64.add
          local.set 4
          local.get 5
          i32.const 8
          i32.add
          local.set 5
          local.get 0
          local.get 6
          i32.const 1
          i32.add
          local.tee 6
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 2
        i32.const 3
        i32.shl
        i32.const 9216
        i32.add
        local.get 4
        f64.store
        local.get 3
        local.set 2
        local.get 3
        local.get 0
        i32.ne
        br_if 0 (;@2;)
      end
    end)
  (func $multiply_turned (type 1) (param i32 i32)
    (local i32 i32 i32 f64 i32 i32 i32 i32)
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      i32.const 0
      local.set 2
      i32.const 2
      local.set 3
      i32.const 0
      local.set 4
      loop  ;; label = @2
        f64.const 0x0p+0 (;=0;)
        local.set 5
        i32.const 9216
        local.set 6
        local.get 2
        local.set 7
        local.get 3
        local.set 8
        i32.const 0
        local.set 9
        loop  ;; label = @3
          local.get 5
          f64.const 0x1p+0 (;=1;)
          local.get 7
          i32.const 1
          i32.shr_u
          local.get 9
          i32.add
          i32.const 1
          i32.add
          f64.convert_i32_s
          f64.div
          local.get 6
          f64.load
          f64.mul
          f64.add
          local.set 5
          local.get 7
          local.get 8
          i32.add
          local.set 7
          local.get 8
          i32.const 2
          i32.add
          local.set 8
          local.get 6
          i32.const 8
          i32.add
          local.set 6
          local.get 0
          local.get 9
          i32.const 1
          i32.add
          local.tee 9
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 1
        local.get 4
        i32.const 3
        i32.shl
        i32.add
        local.get 5
        f64.store
        local.get 2
        local.get 3
        i32.add
        local.set 2
        local.get 3
        i32.const 2
        i32.add
        local.set 3
        local.get 4
        i32.const 1
        i32.add
        local.tee 4
        local.get 0
        i32.ne
        br_if 0 (;@2;)
      end
    end)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 91136))
  (export "memory" (memory 0))
  (export "run" (func $run)))
