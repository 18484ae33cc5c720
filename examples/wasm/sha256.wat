(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func))
  (type (;2;) (func (param i32 i32) (result i32)))
  (func $run (type 0) (param i32) (result i64)
    (local i32 i64 i32 i32 i64 i64)
    call $prepare
    i32.const 0
    i32.const 0
    i64.load offset=1144
    i64.store offset=1176
    i32.const 0
    i32.const 0
    i64.load offset=1136
    i64.store offset=1168
    i32.const 0
    i32.const 0
    i64.load offset=1128
    i64.store offset=1160
    i32.const 0
    i32.const 0
    i64.load offset=1120
    i64.store offset=1152
    local.get 0
    i32.const -1
    i32.add
    local.tee 1
    i64.extend_i32_s
    local.set 2
    block  ;; label = @1
      local.get 0
      i32.const 2
      i32.lt_s
      br_if 0 (;@1;)
      i32.const -1831433054
      local.set 3
      i32.const 0
      local.set 4
      loop  ;; label = @2
        i32.const -64
        local.set 0
        loop  ;; label = @3
          local.get 0
          i32.const 1120
          i32.add
          local.get 3
          i32.const 13
          i32.shl
          local.get 3
          i32.xor
          local.tee 3
          i32.const 17
          i32.shr_u
          local.get 3
          i32.xor
          local.tee 3
          i32.const 5
          i32.shl
          local.get 3
          i32.xor
          local.tee 3
          i32.store8
          local.get 0
          i32.const 1121
          i32.add
          local.get 3
          i32.const 13
          i32.shl
          local.get 3
          i32.xor
          local.tee 3
          i32.const 17
          i32.shr_u
          local.get 3
          i32.xor
          local.tee 3
          i32.const 5
          i32.shl
          local.get 3
          i32.xor
          local.tee 3
          i32.store8
          local.get 0
          i32.const 2
          i32.add
          local.tee 0
          br_if 0 (;@3;)
        end
        call $compress
        local.get 4
        i32.const 1
        i32.add
        local.tee 4
        local.get 1
        i32.ne
        br_if 0 (;@2;)
      end
    end
    local.get 2
    i64.const 9
    i64.shl
    local.set 5
    i32.const 0
    i32.const 128
    i32.store8 offset=1056
    i64.const 1
    local.set 2
    i64.const 480
    local.set 6
    i32.const 1059
    local.set 0
    loop  ;; label = @1
      local.get 0
      i32.const 0
      local.get 5
      local.get 6
      i64.shr_u
      i32.wrap_i64
      local.get 2
      i64.const 54
      i64.lt_u
      select
      i32.store8
      local.get 0
      i32.const -1
      i32.add
      i32.const 0
      local.get 5
      local.get 6
      i64.const 8
      i64.add
      i64.shr_u
      i32.wrap_i64
      local.get 2
      i64.const 55
      i64.lt_u
      select
      i32.store8
      local.get 0
      i32.const -2
      i32.add
      i32.const 0
      local.get 5
      local.get 6
      i64.const 16
      i64.add
      i64.shr_u
      i32.wrap_i64
      local.get 2
      i64.const 56
      i64.lt_u
      select
      i32.store8
      local.get 0
      i32.const 3
      i32.add
      local.set 0
      local.get 2
      i64.const 3
      i64.add
      local.set 2
      local.get 6
      i64.const -24
      i64.add
      local.tee 6
      i64.const -24
      i64.ne
      br_if 0 (;@1;)
    end
    call $compress
    i32.const 0
    i64.load32_u offset=1152
    i64.const 32
    i64.shl
    i32.const 0
    i64.load32_u offset=1156
    i64.or)
  (func $prepare (type 1)
    (local i32 i32 i32 i32)
    i32.const 2
    local.set 0
    i32.const 0
    local.set 1
    loop  ;; label = @1
      block  ;; label = @2
        block  ;; label = @3
          local.get 0
          i32.const 4
          i32.lt_u
          br_if 0 (;@3;)
          i32.const 1
          local.set 2
          i32.const 2
          local.set 3
          loop  ;; label = @4
            local.get 2
            i32.const 0
            local.get 0
            local.get 3
            i32.rem_u
            select
            local.set 2
            local.get 3
            i32.const 1
            i32.add
            local.tee 3
            local.get 3
            i32.mul
            local.get 0
            i32.le_u
            br_if 0 (;@4;)
          end
          local.get 2
          i32.eqz
          br_if 1 (;@2;)
        end
        block  ;; label = @3
          local.get 1
          i32.const 7
          i32.gt_s
          br_if 0 (;@3;)
          local.get 1
          i32.const 2
          i32.shl
          i32.const 1120
          i32.add
          local.get 0
          i32.const 0
          call $root_fraction
          i32.store
        end
        local.get 1
        i32.const 2
        i32.shl
        i32.const 1184
        i32.add
        local.get 0
        i32.const 1
        call $root_fraction
        i32.store
        local.get 1
        i32.const 1
        i32.add
        local.set 1
      end
      local.get 0
      i32.const 1
      i32.add
      local.set 0
      local.get 1
      i32.const 64
      i32.lt_s
      br_if 0 (;@1;)
    end)
  (func $compress (type 1)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    global.get $__stack_pointer
    i32.const 256
    i32.sub
    local.tee 0
    global.set $__stack_pointer
    i32.const 0
    local.set 1
    loop  ;; label = @1
      local.get 0
      local.get 1
      i32.add
      local.tee 2
      local.get 1
      i32.const 1056
      i32.add
      i32.load align=1
      local.tee 3
      i32.const 24
      i32.shl
      local.get 3
      i32.const 8
      i32.shl
      i32.const 16711680
      i32.and
      i32.or
      local.get 3
      i32.const 8
      i32.shr_u
      i32.const 65280
      i32.and
      local.get 3
      i32.const 24
      i32.shr_u
      i32.or
      i32.or
      i32.store
      local.get 2
      i32.const 4
      i32.add
      local.get 1
      i32.const 1060
      i32.add
      i32.load align=1
      local.tee 3
      i32.const 24
      i32.shl
      local.get 3
      i32.const 8
      i32.shl
      i32.const 16711680
      i32.and
      i32.or
      local.get 3
      i32.const 8
      i32.shr_u
      i32.const 65280
      i32.and
      local.get 3
      i32.const 24
      i32.shr_u
      i32.or
      i32.or
      i32.store
      local.get 1
      i32.const 8
      i32.add
      local.tee 1
      i32.const 64
      i32.ne
      br_if 0 (;@1;)
    end
    i32.const 0
    local.set 2
    local.get 0
    i32.load
    local.tee 4
    local.set 3
    loop  ;; label = @1
      local.get 0
      local.get 2
      i32.add
      local.tee 1
      i32.const 64
      i32.add
      local.get 1
      i32.const 36
      i32.add
      i32.load
      local.get 3
      i32.add
      local.get 1
      i32.const 4
      i32.add
      i32.load
      local.tee 3
      i32.const 25
      i32.rotl
      local.get 3
      i32.const 14
      i32.rotl
      i32.xor
      local.get 3
      i32.const 3
      i32.shr_u
      i32.xor
      i32.add
      local.get 1
      i32.const 56
      i32.add
      i32.load
      local.tee 1
      i32.const 15
      i32.rotl
      local.get 1
      i32.const 13
      i32.rotl
      i32.xor
      local.get 1
      i32.const 10
      i32.shr_u
      i32.xor
      i32.add
      i32.store
      local.get 3
      local.set 3
      local.get 2
      i32.const 4
      i32.add
      local.tee 2
      i32.const 192
      i32.ne
      br_if 0 (;@1;)
    end
    local.get 0
    i32.const 4
    i32.or
    local.set 5
    i32.const 0
    local.set 2
    i32.const 0
    i32.load offset=1180
    local.tee 6
    local.set 7
    i32.const 0
    i32.load offset=1176
    local.tee 8
    local.set 9
    i32.const 0
    i32.load offset=1172
    local.tee 10
    local.set 11
    i32.const 0
    i32.load offset=1168
    local.tee 12
    local.set 1
    i32.const 0
    i32.load offset=1164
    local.tee 13
    local.set 14
    i32.const 0
    i32.load offset=1160
    local.tee 15
    local.set 16
    i32.const 0
    i32.load offset=1156
    local.tee 17
    local.set 18
    i32.const 0
    i32.load offset=1152
    local.tee 19
    local.set 3
    block  ;; label = @1
      loop  ;; label = @2
        local.get 16
        local.get 18
        i32.xor
        local.get 3
        i32.and
        local.get 16
        local.get 18
        i32.and
        i32.xor
        local.get 3
        i32.const 30
        i32.rotl
        local.get 3
        i32.const 19
        i32.rotl
        i32.xor
        local.get 3
        i32.const 10
        i32.rotl
        i32.xor
        i32.add
        local.get 1
        i32.const 26
        i32.rotl
        local.get 1
        i32.const 21
        i32.rotl
        i32.xor
        local.get 1
        i32.const 7
        i32.rotl
        i32.xor
        local.get 11
        local.get 1
        i32.and
        i32.add
        local.get 7
        i32.add
        local.get 9
        local.get 1
        i32.const -1
        i32.xor
        i32.and
        i32.add
        local.get 2
        i32.const 1184
        i32.add
        i32.load
        i32.add
        local.get 4
        i32.add
        local.tee 4
        i32.add
        local.set 20
        local.get 4
        local.get 14
        i32.add
        local.set 14
        local.get 2
        i32.const 252
        i32.eq
        br_if 1 (;@1;)
        local.get 5
        local.get 2
        i32.add
        i32.load
        local.set 4
        local.get 2
        i32.const 4
        i32.add
        local.set 2
        local.get 9
        local.set 7
        local.get 11
        local.set 9
        local.get 1
        local.set 11
        local.get 14
        local.set 1
        local.get 16
        local.set 14
        local.get 18
        local.set 16
        local.get 3
        local.set 18
        local.get 20
        local.set 3
        br 0 (;@2;)
      end
    end
    i32.const 0
    local.get 9
    local.get 6
    i32.add
    i32.store offset=1180
    i32.const 0
    local.get 11
    local.get 8
    i32.add
    i32.store offset=1176
    i32.const 0
    local.get 1
    local.get 10
    i32.add
    i32.store offset=1172
    i32.const 0
    local.get 14
    local.get 12
    i32.add
    i32.store offset=1168
    i32.const 0
    local.get 16
    local.get 13
    i32.add
    i32.store offset=1164
    i32.const 0
    local.get 18
    local.get 15
    i32.add
    i32.store offset=1160
    i32.const 0
    local.get 3
    local.get 17
    i32.add
    i32.store offset=1156
    i32.const 0
    local.get 20
    local.get 19
    i32.add
    i32.store offset=1152
    local.get 0
    i32.const 256
    i32.add
    global.set $__stack_pointer)
  (func $root_fraction (type 2) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i64 i64 i64 i32 i32 i64 i64 i32 i64 i64 i64 i64 i32 i32 i64 i64 i64 i64 i64)
    local.get 1
    i32.const 2
    i32.add
    local.tee 2
    i32.const 1
    local.get 2
    i32.const 1
    i32.gt_s
    select
    local.set 3
    local.get 1
    i32.const 2
    i32.shl
    global.get $__stack_pointer
    i32.const 32
    i32.sub
    local.tee 4
    i32.add
    i32.const 12
    i32.add
    local.set 5
    local.get 4
    local.get 2
    i32.const 2
    i32.shl
    i32.add
    local.set 6
    local.get 0
    i64.extend_i32_u
    local.set 7
    i64.const 0
    local.set 8
    i64.const 68719476736
    local.set 9
    i32.const 0
    i32.load offset=1040
    local.set 10
    local.get 4
    i32.const 16
    i32.add
    local.set 11
    i32.const 0
    i64.load offset=1032
    local.set 12
    i32.const 0
    i64.load offset=1024
    local.set 13
    local.get 1
    i32.const -1
    i32.lt_s
    local.set 14
    i64.const 68719476736
    local.set 15
    loop  ;; label = @1
      local.get 11
      local.get 10
      i32.store
      local.get 4
      local.get 12
      i64.store offset=8
      local.get 4
      local.get 13
      i64.store
      local.get 9
      i64.const 1
      i64.shr_u
      local.get 8
      i64.add
      local.set 16
      block  ;; label = @2
        local.get 14
        br_if 0 (;@2;)
        local.get 16
        i64.const 32
        i64.shr_u
        local.set 17
        local.get 16
        i64.const 4294967295
        i64.and
        local.set 9
        i32.const 1
        local.set 1
        i32.const 0
        local.set 2
        i64.const 0
        local.set 18
        local.get 3
        local.set 0
        i32.const 0
        local.set 19
        i32.const 0
        local.set 20
        loop  ;; label = @3
          local.get 17
          local.get 2
          i64.extend_i32_u
          local.tee 21
          i64.mul
          local.get 17
          local.get 19
          i64.extend_i32_u
          local.tee 22
          i64.mul
          local.get 17
          local.get 20
          i64.extend_i32_u
          local.tee 23
          i64.mul
          local.get 17
          local.get 1
          i64.extend_i32_u
          local.tee 24
          i64.mul
          local.get 9
          local.get 23
          i64.mul
          local.get 9
          local.get 24
          i64.mul
          local.tee 23
          i64.const 32
          i64.shr_u
          i64.add
          local.tee 25
          i64.const 4294967295
          i64.and
          i64.add
          local.tee 24
          i64.const 32
          i64.shr_u
          i64.add
          local.get 9
          local.get 22
          i64.mul
          local.get 25
          i64.const 32
          i64.shr_u
          i64.add
          local.tee 25
          i64.const 4294967295
          i64.and
          i64.add
          local.tee 22
          i64.const 32
          i64.shr_u
          i64.add
          local.get 9
          local.get 21
          i64.mul
          local.get 25
          i64.const 32
          i64.shr_u
          i64.add
          local.tee 25
          i64.const 4294967295
          i64.and
          i64.add
          local.tee 21
          i64.const 32
          i64.shr_u
          i64.add
          local.get 9
          local.get 18
          i64.const 4294967295
          i64.and
          i64.mul
          local.get 25
          i64.const 32
          i64.shr_u
          i64.add
          i64.add
          local.set 18
          local.get 22
          i32.wrap_i64
          local.set 19
          local.get 21
          i32.wrap_i64
          local.set 2
          local.get 24
          i32.wrap_i64
          local.set 20
          local.get 23
          i32.wrap_i64
          local.set 1
          local.get 0
          i32.const -1
          i32.add
          local.tee 0
          br_if 0 (;@3;)
        end
        local.get 4
        local.get 18
        i64.store32 offset=16
        local.get 4
        local.get 21
        i64.store32 offset=12
        local.get 4
        local.get 22
        i64.store32 offset=8
        local.get 4
        local.get 24
        i64.store32 offset=4
        local.get 4
        local.get 23
        i64.store32
      end
      local.get 15
      local.get 16
      local.get 5
      i64.load32_u
      i64.const 32
      i64.shl
      local.get 6
      i64.load32_u
      i64.or
      local.get 7
      i64.lt_u
      local.tee 1
      select
      local.tee 15
      local.get 16
      local.get 8
      local.get 1
      select
      local.tee 8
      i64.sub
      local.tee 9
      i64.const 1
      i64.gt_u
      br_if 0 (;@1;)
    end
    local.get 8
    i32.wrap_i64)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 2)
  (global $__stack_pointer (mut i32) (i32.const 66976))
  (export "memory" (memory 0))
  (export "run" (func $run))
  (data $.rodata (i32.const 1024) "\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00"))
