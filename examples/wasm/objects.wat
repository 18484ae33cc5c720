(module
  (type (;0;) (func (param i32 i32)))
  (type (;1;) (func (param i32) (result i64)))
  (func $run (type 1) (param i32) (result i64)
    (local i32 i32 i64 i32 i32 i64)
    i32.const 7654321
    local.set 1
    i32.const -3072
    local.set 2
    loop  ;; label = @1
      local.get 2
      i32.const 4152
      i32.add
      local.get 1
      i32.const 13
      i32.shl
      local.get 1
      i32.xor
      local.tee 1
      i32.const 17
      i32.shr_u
      local.get 1
      i32.xor
      local.tee 1
      i32.const 5
      i32.shl
      local.get 1
      i32.xor
      local.tee 1
      i32.const 16
      i32.shr_u
      i32.const 255
      i32.and
      i32.store
      local.get 2
      i32.const 4148
      i32.add
      local.get 1
      i32.const 8
      i32.shr_u
      i32.const 255
      i32.and
      i32.store
      local.get 2
      i32.const 4144
      i32.add
      local.get 1
      i32.const 5
      i32.rem_u
      i32.const 3
      i32.shl
      i32.const 1024
      i32.add
      i32.store
      local.get 2
      i32.const 12
      i32.add
      local.tee 2
      br_if 0 (;@1;)
    end
    i64.const 0
    local.set 3
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      i32.const 0
      local.set 4
      loop  ;; label = @2
        local.get 4
        i32.const 7
        i32.and
        local.set 5
        i32.const 0
        local.set 1
        loop  ;; label = @3
          local.get 1
          i32.const 1072
          i32.add
          local.tee 2
          local.get 5
          local.get 2
          i32.load
          i32.load offset=4
          call_indirect (type 0)
          local.get 2
          local.get 2
          i32.load
          i32.load
          call_indirect (type 1)
          local.set 6
          local.get 1
          i32.const 1084
          i32.add
          local.tee 2
          local.get 5
          local.get 2
          i32.load
          i32.load offset=4
          call_indirect (type 0)
          local.get 2
          local.get 2
          i32.load
          i32.load
          call_indirect (type 1)
          local.get 6
          local.get 3
          i64.add
          i64.add
          local.set 3
          local.get 1
          i32.const 24
          i32.add
          local.tee 1
          i32.const 3072
          i32.ne
          br_if 0 (;@3;)
        end
        local.get 4
        i32.const 1
        i32.add
        local.tee 4
        local.get 0
        i32.ne
        br_if 0 (;@2;)
      end
    end
    local.get 3)
  (func $square_area (type 1) (param i32) (result i64)
    (local i64)
    local.get 0
    i64.load32_s offset=4
    local.tee 1
    local.get 1
    i64.mul)
  (func $grow_one (type 0) (param i32 i32)
    local.get 0
    local.get 0
    i32.load offset=4
    local.get 1
    i32.add
    i32.const 1023
    i32.and
    i32.store offset=4)
  (func $box_area (type 1) (param i32) (result i64)
    local.get 0
    i64.load32_s offset=8
    local.get 0
    i64.load32_s offset=4
    i64.mul)
  (func $grow_both (type 0) (param i32 i32)
    local.get 0
    local.get 0
    i32.load offset=4
    local.get 1
    i32.add
    i32.const 1023
    i32.and
    i32.store offset=4
    local.get 0
    local.get 0
    i32.load offset=8
    local.get 1
    i32.add
    i32.const 511
    i32.and
    i32.store offset=8)
  (func $triangle_area (type 1) (param i32) (result i64)
    local.get 0
    i64.load32_s offset=8
    local.get 0
    i64.load32_s offset=4
    i64.mul
    i64.const 2
    i64.div_s)
  (func $grow_turned (type 0) (param i32 i32)
    (local i32)
    local.get 0
    i32.load offset=8
    local.set 2
    local.get 0
    local.get 0
    i32.load offset=4
    i32.store offset=8
    local.get 0
    local.get 2
    local.get 1
    i32.add
    i32.const 1023
    i32.and
    i32.store offset=4)
  (func $ring_area (type 1) (param i32) (result i64)
    (local i64)
    local.get 0
    i64.load32_s offset=4
    local.tee 1
    local.get 1
    i64.mul
    local.get 0
    i64.load32_s offset=8
    local.tee 1
    local.get 1
    i64.mul
    i64.sub
    i64.const 3
    i64.mul)
  (table (;0;) 8 8 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 69680))
  (export "memory" (memory 0))
  (export "run" (func $run))
  (elem (;0;) (i32.const 1) func $square_area $grow_one $box_area $grow_both $triangle_area $grow_turned $ring_area)
  (data $.rodata (i32.const 1024) "\01\00\00\00\02\00\00\00\03\00\00\00\04\00\00\00\05\00\00\00\06\00\00\00\07\00\00\00\02\00\00\00\03\00\00\00\06\00\00\00"))
