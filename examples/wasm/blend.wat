(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32)))
  (type (;2;) (func (param f32)))
  (func $run (type 0) (param i32) (result i64)
    (local i32 i32 i32 i32 i64 v128)
    global.get $__stack_pointer
    i32.const 32
    i32.sub
    local.tee 1
    global.set $__stack_pointer
    i32.const 99991
    local.set 2
    i32.const 0
    local.set 3
    loop  ;; label = @1
      local.get 3
      i32.const -16
      i32.and
      local.get 3
      i32.const 3
      i32.and
      i32.const 2
      i32.shl
      i32.or
      i32.const 33792
      i32.add
      i32.const 0
      i32.store
      local.get 3
      i32.const 1024
      i32.add
      local.get 2
      i32.const 13
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.const 17
      i32.shr_u
      local.get 2
      i32.xor
      local.tee 2
      i32.const 5
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.store8
      local.get 3
      i32.const 17408
      i32.add
      local.get 2
      i32.const 13
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.const 17
      i32.shr_u
      local.get 2
      i32.xor
      local.tee 2
      i32.const 5
      i32.shl
      local.get 2
      i32.xor
      local.tee 2
      i32.store8
      local.get 3
      i32.const 1
      i32.add
      local.tee 3
      i32.const 16384
      i32.ne
      br_if 0 (;@1;)
    end
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      i32.const 0
      local.set 2
      i32.const 0
      local.set 3
      loop  ;; label = @2
        local.get 3
        local.get 3
        i32.const 97
        i32.div_u
        i32.const -97
        i32.mul
        i32.add
        i32.const 65535
        i32.and
        call $blend
        f32.const 0x1p+0 (;=1;)
        local.get 3
        i32.const 1
        i32.add
        local.tee 4
        f32.convert_i32_s
        f32.div
        call $add_to_mean
        local.get 3
        i32.const 1023
        i32.and
        i32.const 4
        i32.shl
        i32.const 1024
        i32.add
        local.tee 3
        local.get 3
        v128.load
        local.get 2
        i32.const 1023
        i32.and
        i32.const 4
        i32.shl
        i32.const 17408
        i32.add
        v128.load
        v128.xor
        v128.store
        local.get 2
        i32.const 7
        i32.add
        local.set 2
        local.get 4
        local.set 3
        local.get 0
        local.get 4
        i32.ne
        br_if 0 (;@2;)
      end
    end
    i64.const 0
    local.set 5
    i32.const 0
    local.set 2
    loop  ;; label = @1
      local.get 2
      i32.const 4
      i32.shl
      local.tee 4
      i32.const 1024
      i32.add
      v128.load
      local.set 6
      i32.const 0
      local.set 3
      loop  ;; label = @2
        local.get 1
        local.get 6
        v128.store offset=16
        local.get 5
        local.get 1
        i32.const 16
        i32.add
        local.get 3
        i32.const 15
        i32.and
        i32.or
        i64.load8_u
        i64.xor
        i64.const 1099511628211
        i64.mul
        local.set 5
        local.get 3
        i32.const 1
        i32.add
        local.tee 3
        i32.const 16
        i32.ne
        br_if 0 (;@2;)
      end
      local.get 4
      i32.const 33792
      i32.add
      v128.load
      local.set 6
      i32.const 0
      local.set 3
      loop  ;; label = @2
        local.get 1
        local.get 6
        v128.store
        local.get 5
        local.get 1
        local.get 3
        i32.const 3
        i32.and
        i32.const 2
        i32.shl
        i32.or
        f32.load
        f32.const 0x1.f4p+9 (;=1000;)
        f32.mul
        i64.trunc_sat_f32_s
        i64.xor
        i64.const 1099511628211
        i64.mul
        local.set 5
        local.get 3
        i32.const 1
        i32.add
        local.tee 3
        i32.const 4
        i32.ne
        br_if 0 (;@2;)
      end
      local.get 2
      i32.const 1
      i32.add
      local.tee 2
      i32.const 1024
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 1
    i32.const 32
    i32.add
    global.set $__stack_pointer
    local.get 5)
  (func $blend (type 1) (param i32)
    (local i32 i32 i32 v128 v128 v128 v128 i32 v128 v128 v128)
    global.get $__stack_pointer
    i32.const 64
    i32.sub
    local.set 1
    i32.const 256
    local.get 0
    i32.sub
    local.set 2
    i32.const 0
    local.set 3
    v128.const i32x4 0x00000000 0x00000000 0x00000000 0x00000000
    local.tee 4
    local.set 5
    local.get 4
    local.set 6
    local.get 4
    local.set 7
    loop  ;; label = @1
      local.get 1
      local.get 6
      v128.store
      local.get 1
      local.get 7
      v128.store offset=16
      local.get 1
      local.get 3
      i32.const 1
      i32.shl
      i32.const 30
      i32.and
      local.tee 8
      i32.add
      local.get 2
      i32.store16
      local.get 1
      local.get 4
      v128.store offset=32
      local.get 1
      local.get 5
      v128.store offset=48
      local.get 1
      i32.const 32
      i32.add
      local.get 8
      i32.add
      local.get 0
      i32.store16
      local.get 1
      v128.load offset=16
      local.set 7
      local.get 1
      v128.load
      local.set 6
      local.get 1
      v128.load offset=48
      local.set 5
      local.get 1
      v128.load offset=32
      local.set 4
      local.get 3
      i32.const 1
      i32.add
      local.tee 3
      i32.const 16
      i32.ne
      br_if 0 (;@1;)
    end
    i32.const -16384
    local.set 1
    loop  ;; label = @1
      local.get 1
      i32.const 17408
      i32.add
      local.tee 3
      local.get 4
      v128.const i32x4 0x00000000 0x00000000 0x00000000 0x00000000
      local.tee 9
      local.get 1
      i32.const 33792
      i32.add
      v128.load
      local.tee 10
      i8x16.shuffle 16 1 17 3 18 5 19 7 20 9 21 11 22 13 23 15
      i16x8.mul
      local.get 6
      local.get 9
      local.get 3
      v128.load
      local.tee 11
      i8x16.shuffle 16 1 17 3 18 5 19 7 20 9 21 11 22 13 23 15
      i16x8.mul
      i16x8.add
      i32.const 8
      i16x8.shr_u
      local.get 5
      local.get 10
      local.get 9
      i8x16.shuffle 8 17 9 19 10 21 11 23 12 25 13 27 14 29 15 31
      i16x8.mul
      local.get 7
      local.get 11
      local.get 9
      i8x16.shuffle 8 17 9 19 10 21 11 23 12 25 13 27 14 29 15 31
      i16x8.mul
      i16x8.add
      i32.const 8
      i16x8.shr_u
      i8x16.narrow_i16x8_u
      v128.store
      local.get 1
      i32.const 17424
      i32.add
      local.tee 3
      local.get 4
      local.get 9
      local.get 1
      i32.const 33808
      i32.add
      v128.load
      local.tee 10
      i8x16.shuffle 16 1 17 3 18 5 19 7 20 9 21 11 22 13 23 15
      i16x8.mul
      local.get 6
      local.get 9
      local.get 3
      v128.load
      local.tee 11
      i8x16.shuffle 16 1 17 3 18 5 19 7 20 9 21 11 22 13 23 15
      i16x8.mul
      i16x8.add
      i32.const 8
      i16x8.shr_u
      local.get 5
      local.get 10
      local.get 9
      i8x16.shuffle 8 17 9 19 10 21 11 23 12 25 13 27 14 29 15 31
      i16x8.mul
      local.get 7
      local.get 11
      local.get 9
      i8x16.shuffle 8 17 9 19 10 21 11 23 12 25 13 27 14 29 15 31
      i16x8.mul
      i16x8.add
      i32.const 8
      i16x8.shr_u
      i8x16.narrow_i16x8_u
      v128.store
      local.get 1
      i32.const 32
      i32.add
      local.tee 1
      br_if 0 (;@1;)
    end)
  (func $add_to_mean (type 2) (param f32)
    (local v128 i32 i32 v128)
    local.get 0
    f32x4.splat
    local.set 1
    i32.const -16384
    local.set 2
    loop  ;; label = @1
      local.get 2
      i32.const 50176
      i32.add
      local.tee 3
      local.get 3
      v128.load
      local.tee 4
      local.get 1
      local.get 2
      i32.const 17408
      i32.add
      v128.load
      i8x16.extract_lane_u 0
      f32.convert_i32_u
      f32x4.splat
      local.get 2
      i32.const 17413
      i32.add
      i32.load8_u
      f32.convert_i32_u
      f32x4.replace_lane 1
      local.get 2
      i32.const 17418
      i32.add
      i32.load8_u
      f32.convert_i32_u
      f32x4.replace_lane 2
      local.get 2
      i32.const 17423
      i32.add
      i32.load8_u
      f32.convert_i32_u
      f32x4.replace_lane 3
      local.get 4
      f32x4.sub
      f32x4.mul
      f32x4.add
      v128.store
      local.get 2
      i32.const 16
      i32.add
      local.tee 2
      br_if 0 (;@1;)
    end)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 115712))
  (export "memory" (memory 0))
  (export "run" (func $run)))
