(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32) (result i32)))
  (func $run (type 0) (param i32) (result i64)
    (local i32 i32 i32 i32 i32 i64)
    local.get 0
    i32.const 1000
    i32.mul
    local.tee 1
    i32.const 262144
    local.get 1
    i32.const 262144
    i32.lt_s
    select
    local.set 2
    block  ;; label = @1
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 2
      i32.const 1
      local.get 2
      i32.const 1
      i32.gt_s
      select
      local.set 3
      i32.const 314159265
      local.set 4
      i32.const 0
      local.set 1
      loop  ;; label = @2
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
        local.tee 5
        i32.const 5
        i32.shl
        local.get 5
        i32.xor
        local.set 4
        block  ;; label = @3
          block  ;; label = @4
            local.get 1
            i32.const 257
            i32.lt_u
            br_if 0 (;@4;)
            local.get 5
            i32.const 7
            i32.and
            i32.eqz
            br_if 0 (;@4;)
            local.get 1
            local.get 5
            i32.const 3
            i32.shr_u
            i32.const 3
            i32.and
            i32.const -61
            i32.mul
            i32.add
            i32.const 1023
            i32.add
            i32.load8_u
            local.set 5
            br 1 (;@3;)
          end
          local.get 4
          i32.const 3
          i32.shr_u
          i32.const 20
          i32.rem_u
          i32.const 97
          i32.add
          local.set 5
        end
        local.get 1
        i32.const 1024
        i32.add
        local.get 5
        i32.store8
        local.get 3
        local.get 1
        i32.const 1
        i32.add
        local.tee 1
        i32.ne
        br_if 0 (;@2;)
      end
    end
    i64.const -1
    local.set 6
    block  ;; label = @1
      local.get 2
      call $pack
      local.tee 1
      call $unpack
      local.get 2
      i32.ne
      br_if 0 (;@1;)
      local.get 1
      i64.extend_i32_s
      local.set 6
      local.get 0
      i32.const 1
      i32.lt_s
      br_if 0 (;@1;)
      local.get 2
      i32.const 1
      local.get 2
      i32.const 1
      i32.gt_s
      select
      local.set 5
      i32.const 0
      local.set 1
      loop  ;; label = @2
        block  ;; label = @3
          local.get 1
          i32.const 263168
          i32.add
          i32.load8_u
          local.tee 4
          local.get 1
          i32.const 1024
          i32.add
          i32.load8_u
          i32.eq
          br_if 0 (;@3;)
          i64.const -2
          return
        end
        local.get 6
        local.get 4
        i64.extend_i32_u
        i64.xor
        i64.const 1099511628211
        i64.mul
        local.set 6
        local.get 5
        local.get 1
        i32.const 1
        i32.add
        local.tee 1
        i32.ne
        br_if 0 (;@2;)
      end
    end
    local.get 6)
  (func $pack (type 1) (param i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    i32.const 525312
    i32.const 255
    i32.const 16384
    memory.fill
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 1
        i32.ge_s
        br_if 0 (;@2;)
        i32.const 0
        local.set 1
        br 1 (;@1;)
      end
      i32.const 0
      local.set 1
      i32.const 0
      local.set 2
      i32.const 0
      local.set 3
      loop  ;; label = @2
        i32.const 1
        local.set 4
        block  ;; label = @3
          block  ;; label = @4
            local.get 3
            i32.const 4
            i32.add
            local.get 0
            i32.gt_s
            local.tee 5
            i32.eqz
            br_if 0 (;@4;)
            i32.const 0
            local.set 6
            i32.const 0
            local.set 7
            br 1 (;@3;)
          end
          i32.const 0
          local.set 6
          i32.const 0
          local.set 7
          local.get 3
          i32.const 1025
          i32.add
          i32.load8_u
          i32.const 8
          i32.shl
          local.get 3
          i32.const 1024
          i32.add
          i32.load8_u
          i32.or
          local.get 3
          i32.const 1026
          i32.add
          i32.load8_u
          i32.const 16
          i32.shl
          i32.or
          local.get 3
          i32.const 1027
          i32.add
          i32.load8_u
          i32.const 24
          i32.shl
          i32.or
          i32.const -1640531535
          i32.mul
          i32.const 18
          i32.shr_u
          i32.const 16380
          i32.and
          i32.const 525312
          i32.add
          i32.load
          local.tee 8
          i32.const 0
          i32.lt_s
          br_if 0 (;@3;)
          local.get 3
          local.get 0
          local.get 3
          local.get 0
          i32.gt_s
          select
          local.get 3
          i32.sub
          local.tee 9
          i32.const -1
          i32.add
          local.set 10
          i32.const 0
          local.set 4
          i32.const 0
          local.set 6
          i32.const 0
          local.set 7
          block  ;; label = @4
            loop  ;; label = @5
              local.get 3
              local.get 8
              i32.sub
              i32.const 65535
              i32.gt_s
              br_if 1 (;@4;)
              local.get 4
              i32.const 15
              i32.gt_u
              br_if 1 (;@4;)
              i32.const 0
              local.set 11
              block  ;; label = @6
                loop  ;; label = @7
                  block  ;; label = @8
                    local.get 9
                    local.get 11
                    i32.ne
                    br_if 0 (;@8;)
                    local.get 9
                    local.set 12
                    br 2 (;@6;)
                  end
                  block  ;; label = @8
                    local.get 8
                    local.get 11
                    i32.add
                    local.tee 12
                    i32.const 1024
                    i32.add
                    i32.load8_u
                    local.get 3
                    local.get 11
                    i32.add
                    local.tee 13
                    i32.const 1024
                    i32.add
                    i32.load8_u
                    i32.eq
                    br_if 0 (;@8;)
                    local.get 11
                    local.set 12
                    br 2 (;@6;)
                  end
                  block  ;; label = @8
                    local.get 10
                    local.get 11
                    i32.ne
                    br_if 0 (;@8;)
                    local.get 9
                    local.set 12
                    br 2 (;@6;)
                  end
                  block  ;; label = @8
                    local.get 12
                    i32.const 1025
                    i32.add
                    i32.load8_u
                    local.get 13
                    i32.const 1025
                    i32.add
                    i32.load8_u
                    i32.ne
                    br_if 0 (;@8;)
                    i32.const 130
                    local.set 12
                    local.get 11
                    i32.const 2
                    i32.add
                    local.tee 11
                    i32.const 130
                    i32.ne
                    br_if 1 (;@7;)
                    br 2 (;@6;)
                  end
                end
                local.get 11
                i32.const 1
                i32.add
                local.set 12
              end
              local.get 8
              local.get 6
              local.get 12
              local.get 7
              i32.gt_s
              local.tee 11
              select
              local.set 6
              local.get 12
              local.get 7
              local.get 11
              select
              local.set 7
              local.get 4
              i32.const 1
              i32.add
              local.set 4
              local.get 8
              i32.const 2
              i32.shl
              i32.const 541696
              i32.add
              i32.load
              local.tee 8
              i32.const -1
              i32.gt_s
              br_if 0 (;@5;)
            end
          end
          local.get 7
          i32.const 1
          local.get 7
          i32.const 3
          i32.gt_s
          select
          local.set 4
        end
        local.get 4
        local.get 3
        i32.add
        local.set 10
        block  ;; label = @3
          local.get 5
          br_if 0 (;@3;)
          local.get 3
          i32.const 2
          i32.shl
          i32.const 541696
          i32.add
          local.set 12
          local.get 3
          i32.const 1024
          i32.add
          i32.load8_u
          local.set 13
          local.get 3
          local.set 11
          loop  ;; label = @4
            local.get 12
            local.get 13
            i32.const 255
            i32.and
            local.get 11
            i32.const 1025
            i32.add
            i32.load8_u
            local.tee 13
            i32.const 8
            i32.shl
            i32.or
            local.get 11
            i32.const 1026
            i32.add
            i32.load8_u
            i32.const 16
            i32.shl
            i32.or
            local.get 11
            i32.const 1027
            i32.add
            i32.load8_u
            i32.const 24
            i32.shl
            i32.or
            i32.const -1640531535
            i32.mul
            i32.const 18
            i32.shr_u
            i32.const 16380
            i32.and
            i32.const 525312
            i32.add
            local.tee 8
            i32.load
            i32.store
            local.get 8
            local.get 11
            i32.store
            local.get 11
            i32.const 1
            i32.add
            local.tee 8
            local.get 10
            i32.ge_s
            br_if 1 (;@3;)
            local.get 11
            i32.const 5
            i32.add
            local.set 9
            local.get 12
            i32.const 4
            i32.add
            local.set 12
            local.get 8
            local.set 11
            local.get 9
            local.get 0
            i32.le_s
            br_if 0 (;@4;)
          end
        end
        block  ;; label = @3
          block  ;; label = @4
            local.get 4
            i32.const 1
            i32.le_s
            br_if 0 (;@4;)
            local.get 1
            i32.const 1590273
            i32.add
            local.get 3
            local.get 6
            i32.sub
            local.tee 11
            i32.store8
            local.get 1
            i32.const 1590272
            i32.add
            local.get 7
            i32.const 124
            i32.add
            i32.store8
            local.get 1
            i32.const 1590274
            i32.add
            local.get 11
            i32.const 8
            i32.shr_u
            i32.store8
            local.get 1
            i32.const 2
            i32.add
            local.set 1
            i32.const 0
            local.set 2
            br 1 (;@3;)
          end
          block  ;; label = @4
            block  ;; label = @5
              local.get 2
              br_if 0 (;@5;)
              local.get 1
              i32.const 1590272
              i32.add
              i32.const 0
              i32.store8
              local.get 1
              i32.const 1
              i32.add
              local.set 1
              br 1 (;@4;)
            end
            local.get 1
            local.get 2
            i32.const -1
            i32.xor
            i32.add
            i32.const 1590272
            i32.add
            local.tee 11
            local.get 11
            i32.load8_u
            i32.const 1
            i32.add
            i32.store8
          end
          local.get 1
          i32.const 1590272
          i32.add
          local.get 3
          i32.const 1024
          i32.add
          i32.load8_u
          i32.store8
          i32.const 0
          local.get 2
          i32.const 1
          i32.add
          local.get 2
          i32.const 127
          i32.eq
          select
          local.set 2
        end
        local.get 1
        i32.const 1
        i32.add
        local.set 1
        local.get 10
        local.set 3
        local.get 10
        local.get 0
        i32.lt_s
        br_if 0 (;@2;)
      end
    end
    local.get 1)
  (func $unpack (type 1) (param i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32)
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 1
        i32.ge_s
        br_if 0 (;@2;)
        i32.const 0
        local.set 1
        br 1 (;@1;)
      end
      i32.const 0
      local.set 1
      i32.const 0
      local.set 2
      loop  ;; label = @2
        local.get 2
        i32.const 1590272
        i32.add
        i32.load8_s
        local.tee 3
        i32.const 255
        i32.and
        local.set 4
        block  ;; label = @3
          block  ;; label = @4
            local.get 3
            i32.const 0
            i32.lt_s
            br_if 0 (;@4;)
            local.get 1
            i32.const 263168
            i32.add
            local.get 2
            i32.const 1590273
            i32.add
            local.get 4
            i32.const 1
            i32.add
            memory.copy
            local.get 1
            local.get 4
            i32.add
            i32.const 1
            i32.add
            local.set 1
            local.get 2
            local.get 4
            i32.add
            i32.const 2
            i32.add
            local.set 2
            br 1 (;@3;)
          end
          local.get 2
          i32.const 1590274
          i32.add
          i32.load8_u
          i32.const 8
          i32.shl
          local.get 2
          i32.const 1590273
          i32.add
          i32.load8_u
          i32.or
          local.set 5
          local.get 4
          i32.const 125
          local.get 4
          i32.const 125
          i32.gt_s
          select
          local.tee 4
          i32.const -125
          i32.add
          local.set 6
          local.get 4
          local.get 1
          i32.add
          local.set 7
          block  ;; label = @4
            local.get 4
            i32.const 3
            i32.and
            local.tee 4
            i32.eqz
            br_if 0 (;@4;)
            i32.const 263168
            local.get 5
            i32.sub
            local.set 3
            loop  ;; label = @5
              local.get 1
              i32.const 263168
              i32.add
              local.get 3
              local.get 1
              i32.add
              i32.load8_u
              i32.store8
              local.get 1
              i32.const 1
              i32.add
              local.set 1
              local.get 4
              i32.const -1
              i32.add
              local.tee 4
              br_if 0 (;@5;)
            end
          end
          local.get 2
          i32.const 3
          i32.add
          local.set 2
          local.get 7
          i32.const -124
          i32.add
          local.set 8
          block  ;; label = @4
            local.get 6
            i32.const 3
            i32.lt_u
            br_if 0 (;@4;)
            i32.const 263168
            local.get 5
            i32.sub
            local.set 5
            local.get 1
            local.get 7
            i32.sub
            i32.const 124
            i32.add
            local.set 6
            i32.const 0
            local.set 7
            loop  ;; label = @5
              local.get 1
              local.get 7
              i32.add
              local.tee 4
              i32.const 263168
              i32.add
              local.get 5
              local.get 1
              i32.add
              local.tee 3
              i32.load8_u
              i32.store8
              local.get 4
              i32.const 263169
              i32.add
              local.get 3
              i32.const 1
              i32.add
              i32.load8_u
              i32.store8
              local.get 4
              i32.const 263170
              i32.add
              local.get 3
              i32.const 2
              i32.add
              i32.load8_u
              i32.store8
              local.get 4
              i32.const 263171
              i32.add
              local.get 3
              i32.const 3
              i32.add
              i32.load8_u
              i32.store8
              local.get 5
              i32.const 4
              i32.add
              local.set 5
              local.get 6
              local.get 7
              i32.const 4
              i32.add
              local.tee 7
              i32.add
              br_if 0 (;@5;)
            end
          end
          local.get 8
          local.set 1
        end
        local.get 2
        local.get 0
        i32.lt_s
        br_if 0 (;@2;)
      end
    end
    local.get 1)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 34)
  (global $__stack_pointer (mut i32) (i32.const 2180096))
  (export "memory" (memory 0))
  (export "run" (func $run)))
