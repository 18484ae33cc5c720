(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32)))
  (func $run (type 0) (param i32) (result i64)
    (local i32 i32 i32 i32 i32 i32 i32 f64)
    local.get 0
    i32.const 256
    local.get 0
    i32.const 256
    i32.lt_s
    select
    local.set 1
    i32.const 0
    local.set 2
    block  ;; label = @1
      local.get 0
      i32.const 0
      i32.gt_s
      br_if 0 (;@1;)
      local.get 1
      call $multiply
      i64.const 0
      return
    end
    local.get 1
    i32.const 1
    local.get 1
    i32.const 1
    i32.gt_s
    select
    local.set 3
    i32.const 12345
    local.set 4
    i32.const 0
    local.set 5
    loop  ;; label = @1
      local.get 2
      local.set 6
      local.get 3
      local.set 7
      loop  ;; label = @2
        local.get 6
        i32.const 1024
        i32.add
        local.get 4
        i32.const 13
        i32.shl
        local.get 4
        i32.xor
        local.tee 4
        i32.const 17
        i32.shr_u
        local.get 4
        i32.xor
        local.tee 4
        i32.const 5
        i32.shl
        local.get 4
        i32.xor
        local.tee 4
        i32.const 1000
        i32.rem_u
        f64.convert_i32_u
        f64.const 0x1.f4p+9 (;=1000;)
        f64.div
        f64.store
        local.get 6
        i32.const 525312
        i32.add
        local.get 4
        i32.const 13
        i32.shl
        local.get 4
        i32.xor
        local.tee 4
        i32.const 17
        i32.shr_u
        local.get 4
        i32.xor
        local.tee 4
        i32.const 5
        i32.shl
        local.get 4
        i32.xor
        local.tee 4
        i32.const 1000
        i32.rem_u
        f64.convert_i32_u
        f64.const 0x1.f4p+9 (;=1000;)
        f64.div
        f64.store
        local.get 6
        i32.const 8
        i32.add
        local.set 6
        local.get 7
        i32.const -1
        i32.add
        local.tee 7
        br_if 0 (;@2;)
      end
      local.get 2
      i32.const 2048
      i32.add
      local.set 2
      local.get 5
      i32.const 1
      i32.add
      local.tee 5
      local.get 3
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 1
    call $multiply
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.ge_s
      br_if 0 (;@1;)
      i64.const 0
      return
    end
    local.get 3
    i32.const 1
    i32.and
    local.set 5
    block  ;; label = @1
      block  ;; label = @2
        local.get 1
        i32.const 2
        i32.ge_s
        br_if 0 (;@2;)
        f64.const 0x0p+0 (;=0;)
        local.set 8
        i32.const 0
        local.set 7
        br 1 (;@1;)
      end
      local.get 3
      i32.const 2147483646
      i32.and
      local.set 2
      local.get 1
      i32.const 3
      i32.shl
      i32.const 1051632
      i32.add
      local.set 6
      f64.const 0x0p+0 (;=0;)
      local.set 8
      i32.const 0
      local.set 7
      i32.const 1049600
      local.set 4
      loop  ;; label = @2
        local.get 8
        local.get 4
        f64.load
        local.get 6
        i32.const -2040
        i32.add
        f64.load
        f64.add
        f64.add
        local.get 4
        i32.const 2056
        i32.add
        f64.load
        local.get 6
        f64.load
        f64.add
        f64.add
        local.set 8
        local.get 6
        i32.const 4080
        i32.add
        local.set 6
        local.get 4
        i32.const 4112
        i32.add
        local.set 4
        local.get 2
        local.get 7
        i32.const 2
        i32.add
        local.tee 7
        i32.ne
        br_if 0 (;@2;)
      end
    end
    block  ;; label = @1
      local.get 5
      i32.eqz
      br_if 0 (;@1;)
      local.get 8
      local.get 7
      i32.const 11
      i32.shl
      i32.const 1049600
      i32.add
      local.tee 6
      local.get 7
      i32.const 3
      i32.shl
      i32.add
      f64.load
      local.get 6
      local.get 1
      local.get 7
      i32.const -1
      i32.xor
      i32.add
      i32.const 3
      i32.shl
      i32.add
      f64.load
      f64.add
      f64.add
      local.set 8
    end
    local.get 8
    i64.reinterpret_f64)
  (func $multiply (type 1) (param i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 f64 i32 i32 i32)
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 0
      i32.const -4
      i32.and
      local.set 1
      local.get 0
      i32.const 3
      i32.and
      local.set 2
      i32.const 0
      local.set 3
      i32.const 1040
      local.set 4
      i32.const 1024
      local.set 5
      local.get 0
      i32.const -1
      i32.add
      i32.const 3
      i32.lt_u
      local.set 6
      loop  ;; label = @2
        i32.const 525312
        local.set 7
        i32.const 0
        local.set 8
        loop  ;; label = @3
          f64.const 0x0p+0 (;=0;)
          local.set 9
          i32.const 0
          local.set 10
          block  ;; label = @4
            local.get 6
            br_if 0 (;@4;)
            local.get 7
            local.set 11
            local.get 4
            local.set 12
            loop  ;; label = @5
              local.get 9
              local.get 12
              i32.const -16
              i32.add
              f64.load
              local.get 11
              f64.load
              f64.mul
              f64.add
              local.get 12
              i32.const -8
              i32.add
              f64.load
              local.get 11
              i32.const 2048
              i32.add
              f64.load
              f64.mul
              f64.add
              local.get 12
              f64.load
              local.get 11
              i32.const 4096
              i32.add
              f64.load
              f64.mul
              f64.add
              local.get 12
              i32.const 8
              i32.add
              f64.load
              local.get 11
              i32.const 6144
              i32.add
              f64.load
              f64.mul
              f64.add
              local.set 9
              local.get 11
              i32.const 8192
              i32.add
              local.set 11
              local.get 12
              i32.const 32
              i32.add
              local.set 12
              local.get 1
              local.get 10
              i32.const 4
              i32.add
              local.tee 10
              i32.ne
              br_if 0 (;@5;)
            end
          end
          block  ;; label = @4
            local.get 2
            i32.eqz
            br_if 0 (;@4;)
            local.get 5
            local.get 10
            i32.const 3
            i32.shl
            i32.add
            local.set 11
            local.get 7
            local.get 10
            i32.const 11
            i32.shl
            i32.add
            local.set 12
            local.get 2
            local.set 10
            loop  ;; label = @5
              local.get 9
              local.get 11
              f64.load
              local.get 12
              f64.load
              f64.mul
              f64.add
              local.set 9
              local.get 11
              i32.const 8
              i32.add
              local.set 11
              local.get 12
              i32.const 2048
              i32.add
              local.set 12
              local.get 10
              i32.const -1
              i32.add
              local.tee 10
              br_if 0 (;@5;)
            end
          end
          local.get 3
          i32.const 11
          i32.shl
          local.get 8
          i32.const 3
          i32.shl
          i32.add
          i32.const 1049600
          i32.add
          local.get 9
          f64.store
          local.get 7
          i32.const 8
          i32.add
          local.set 7
          local.get 8
          i32.const 1
          i32.add
          local.tee 8
          local.get 0
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 5
        i32.const 2048
        i32.add
        local.set 5
        local.get 4
        i32.const 2048
        i32.add
        local.set 4
        local.get 3
        i32.const 1
        i32.add
        local.tee 3
        local.get 0
        i32.ne
        br_if 0 (;@2;)
      end
    end)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 26)
  (global $__stack_pointer (mut i32) (i32.const 1639424))
  (export "memory" (memory 0))
  (export "run" (func $run)))
