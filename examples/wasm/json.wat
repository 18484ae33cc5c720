(module
  (type (;0;) (func (param i32) (result i64)))
  (type (;1;) (func (param i32) (result i32)))
  (type (;2;) (func (param i32 i32) (result i32)))
  (func $run (type 0) (param i32) (result i64)
    (local i32 i64)
    global.get $__stack_pointer
    i32.const 48
    i32.sub
    local.tee 1
    global.set $__stack_pointer
    local.get 0
    i32.const 1000
    i32.mul
    local.tee 0
    i32.const 1047576
    local.get 0
    i32.const 1047576
    i32.lt_s
    select
    call $write_text
    local.set 0
    local.get 1
    i32.const 40
    i32.add
    i64.const 0
    i64.store
    local.get 1
    i32.const 32
    i32.add
    i64.const 0
    i64.store
    local.get 1
    i32.const 24
    i32.add
    i64.const 0
    i64.store
    local.get 1
    i32.const 16
    i32.add
    i64.const 0
    i64.store
    local.get 1
    i32.const 8
    i32.add
    i64.const 0
    i64.store
    local.get 1
    i64.const 0
    i64.store
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        local.get 1
        call $read_text
        br_if 0 (;@2;)
        i64.const -1
        local.set 2
        br 1 (;@1;)
      end
      local.get 1
      i64.load offset=24
      local.get 1
      i64.load offset=16
      i64.xor
      i64.const 1099511628211
      i64.mul
      local.get 1
      i64.load offset=8
      local.get 1
      i64.load
      i64.xor
      i64.const 1099511628211
      i64.mul
      i64.xor
      i64.const 1099511628211
      i64.mul
      local.get 1
      i64.load offset=32
      i64.xor
      i64.const 1099511628211
      i64.mul
      local.get 1
      i64.load offset=40
      i64.xor
      i64.const 1099511628211
      i64.mul
      local.set 2
    end
    local.get 1
    i32.const 48
    i32.add
    global.set $__stack_pointer
    local.get 2)
  (func $write_text (type 1) (param i32) (result i32)
    (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    global.get $__stack_pointer
    i32.const 16
    i32.sub
    local.set 1
    i32.const 0
    i32.const 91
    i32.store8 offset=1104
    i32.const 1
    local.set 2
    block  ;; label = @1
      local.get 0
      i32.const 2
      i32.lt_s
      br_if 0 (;@1;)
      local.get 1
      i32.const 6
      i32.add
      i32.const -4
      i32.add
      local.set 3
      local.get 1
      i32.const 6
      i32.add
      i32.const -1
      i32.add
      local.set 4
      i32.const 123456789
      local.set 5
      i32.const 1
      local.set 2
      loop  ;; label = @2
        block  ;; label = @3
          i32.const 1084
          i32.const 1085
          local.get 2
          i32.const 1
          i32.gt_s
          select
          local.tee 6
          i32.load8_u
          local.tee 7
          i32.eqz
          br_if 0 (;@3;)
          local.get 6
          i32.const 1
          i32.add
          local.set 6
          loop  ;; label = @4
            local.get 2
            i32.const 1104
            i32.add
            local.get 7
            i32.store8
            local.get 2
            i32.const 1
            i32.add
            local.set 2
            local.get 6
            i32.load8_u
            local.set 7
            local.get 6
            i32.const 1
            i32.add
            local.set 6
            local.get 7
            br_if 0 (;@4;)
          end
        end
        local.get 5
        i32.const 13
        i32.shl
        local.get 5
        i32.xor
        local.tee 7
        i32.const 17
        i32.shr_u
        local.get 7
        i32.xor
        local.tee 7
        i32.const 5
        i32.shl
        local.get 7
        i32.xor
        local.tee 5
        i32.const 100000
        i32.rem_u
        local.set 7
        i32.const 0
        local.set 6
        i32.const 1
        local.set 8
        loop  ;; label = @3
          local.get 1
          i32.const 6
          i32.add
          local.get 6
          i32.add
          local.get 7
          local.get 7
          i32.const 10
          i32.div_u
          local.tee 9
          i32.const 10
          i32.mul
          i32.sub
          i32.const 48
          i32.or
          i32.store8
          local.get 8
          local.tee 10
          i32.const 1
          i32.add
          local.set 8
          local.get 6
          i32.const 1
          i32.add
          local.set 6
          local.get 7
          i32.const 9
          i32.gt_u
          local.set 11
          local.get 9
          local.set 7
          local.get 11
          br_if 0 (;@3;)
        end
        local.get 6
        i32.const -1
        i32.add
        local.set 11
        block  ;; label = @3
          block  ;; label = @4
            local.get 6
            i32.const 3
            i32.and
            br_if 0 (;@4;)
            br 1 (;@3;)
          end
          local.get 10
          i32.const 3
          i32.and
          local.set 9
          i32.const 0
          local.set 7
          local.get 4
          local.set 8
          loop  ;; label = @4
            local.get 2
            local.get 7
            i32.add
            i32.const 1104
            i32.add
            local.get 8
            local.get 6
            i32.add
            i32.load8_u
            i32.store8
            local.get 8
            i32.const -1
            i32.add
            local.set 8
            local.get 9
            local.get 7
            i32.const 1
            i32.add
            local.tee 7
            i32.ne
            br_if 0 (;@4;)
          end
          local.get 6
          local.get 7
          i32.sub
          local.set 6
          local.get 2
          local.get 7
          i32.add
          local.tee 2
          i32.const -1
          i32.add
          local.set 7
        end
        block  ;; label = @3
          local.get 11
          i32.const 3
          i32.lt_u
          br_if 0 (;@3;)
          local.get 3
          local.get 6
          i32.add
          local.set 7
          i32.const 0
          local.set 8
          i32.const 0
          local.get 6
          i32.sub
          local.set 9
          loop  ;; label = @4
            local.get 2
            local.get 8
            i32.add
            local.tee 6
            i32.const 1104
            i32.add
            local.get 7
            i32.const 3
            i32.add
            i32.load8_u
            i32.store8
            local.get 6
            i32.const 1105
            i32.add
            local.get 7
            i32.const 2
            i32.add
            i32.load8_u
            i32.store8
            local.get 6
            i32.const 1106
            i32.add
            local.get 7
            i32.const 1
            i32.add
            i32.load8_u
            i32.store8
            local.get 6
            i32.const 1107
            i32.add
            local.get 7
            i32.load8_u
            i32.store8
            local.get 7
            i32.const -4
            i32.add
            local.set 7
            local.get 9
            local.get 8
            i32.const 4
            i32.add
            local.tee 8
            i32.add
            br_if 0 (;@4;)
          end
          local.get 2
          local.get 8
          i32.add
          local.tee 2
          i32.const -1
          i32.add
          local.set 7
        end
        local.get 2
        i32.const 1104
        i32.add
        i32.const 44
        i32.store8
        local.get 7
        i32.const 1107
        i32.add
        i32.const 34
        i32.store8
        local.get 7
        i32.const 1106
        i32.add
        i32.const 32
        i32.store8
        local.get 7
        i32.const 1108
        i32.add
        i32.const 110
        i32.store8
        local.get 7
        i32.const 1109
        i32.add
        i32.const 97
        i32.store8
        local.get 7
        i32.const 1110
        i32.add
        i32.const 109
        i32.store8
        local.get 7
        i32.const 1111
        i32.add
        i32.const 101
        i32.store8
        local.get 7
        i32.const 1112
        i32.add
        i32.const 34
        i32.store8
        local.get 7
        i32.const 1113
        i32.add
        i32.const 58
        i32.store8
        local.get 7
        i32.const 1114
        i32.add
        i32.const 32
        i32.store8
        local.get 7
        i32.const 1115
        i32.add
        i32.const 34
        i32.store8
        local.get 7
        i32.const 1116
        i32.add
        i32.const 97
        i32.store8
        local.get 7
        i32.const 1117
        i32.add
        i32.const 32
        i32.store8
        local.get 7
        i32.const 1118
        i32.add
        i32.const 92
        i32.store8
        local.get 7
        i32.const 1119
        i32.add
        i32.const 34
        i32.store8
        local.get 7
        i32.const 1120
        i32.add
        i32.const 119
        i32.store8
        local.get 7
        i32.const 1121
        i32.add
        i32.const 111
        i32.store8
        local.get 7
        i32.const 1122
        i32.add
        i32.const 114
        i32.store8
        local.get 7
        i32.const 1123
        i32.add
        i32.const 100
        i32.store8
        local.get 7
        i32.const 1124
        i32.add
        i32.const 92
        i32.store8
        local.get 7
        i32.const 1126
        i32.add
        i32.const 32
        i32.store8
        local.get 7
        i32.const 1125
        i32.add
        i32.const 34
        i32.store8
        local.get 7
        i32.const 1127
        i32.add
        i32.const 92
        i32.store8
        local.get 7
        i32.const 1128
        i32.add
        i32.const 117
        i32.store8
        local.get 7
        i32.const 1129
        i32.add
        i32.const 48
        i32.store8
        local.get 7
        i32.const 1130
        i32.add
        i32.const 48
        i32.store8
        local.get 7
        i32.const 1131
        i32.add
        i32.const 101
        i32.store8
        local.get 7
        i32.const 1132
        i32.add
        i32.const 52
        i32.store8
        local.get 7
        i32.const 29
        i32.add
        local.set 7
        block  ;; label = @3
          local.get 5
          i32.const 13
          i32.shl
          local.get 5
          i32.xor
          local.tee 6
          i32.const 17
          i32.shr_u
          local.get 6
          i32.xor
          local.tee 6
          i32.const 5
          i32.shl
          local.get 6
          i32.xor
          local.tee 6
          i32.const 12
          i32.rem_u
          local.tee 2
          i32.eqz
          br_if 0 (;@3;)
          loop  ;; label = @4
            local.get 7
            i32.const 1104
            i32.add
            local.get 6
            i32.const 13
            i32.shl
            local.get 6
            i32.xor
            local.tee 6
            i32.const 17
            i32.shr_u
            local.get 6
            i32.xor
            local.tee 6
            i32.const 5
            i32.shl
            local.get 6
            i32.xor
            local.tee 6
            i32.const 26
            i32.rem_u
            i32.const 97
            i32.add
            i32.store8
            local.get 7
            i32.const 1
            i32.add
            local.set 7
            local.get 2
            i32.const -1
            i32.add
            local.tee 2
            br_if 0 (;@4;)
          end
        end
        local.get 6
        i32.const 13
        i32.shl
        local.get 6
        i32.xor
        local.tee 6
        i32.const 17
        i32.shr_u
        local.get 6
        i32.xor
        local.tee 6
        i32.const 5
        i32.shl
        local.get 6
        i32.xor
        local.set 8
        block  ;; label = @3
          i32.const 1024
          i32.const 1052
          local.get 6
          i32.const 1
          i32.and
          select
          local.tee 2
          i32.load8_u
          local.tee 6
          i32.eqz
          br_if 0 (;@3;)
          local.get 2
          i32.const 1
          i32.add
          local.set 2
          loop  ;; label = @4
            local.get 7
            i32.const 1104
            i32.add
            local.get 6
            i32.store8
            local.get 7
            i32.const 1
            i32.add
            local.set 7
            local.get 2
            i32.load8_u
            local.set 6
            local.get 2
            i32.const 1
            i32.add
            local.set 2
            local.get 6
            br_if 0 (;@4;)
          end
        end
        block  ;; label = @3
          local.get 8
          i32.const 13
          i32.shl
          local.get 8
          i32.xor
          local.tee 6
          i32.const 17
          i32.shr_u
          local.get 6
          i32.xor
          local.tee 6
          i32.const 5
          i32.shl
          local.get 6
          i32.xor
          local.tee 5
          i32.const 5
          i32.rem_u
          local.tee 12
          i32.eqz
          br_if 0 (;@3;)
          loop  ;; label = @4
            local.get 5
            i32.const 13
            i32.shl
            local.get 5
            i32.xor
            local.tee 6
            i32.const 17
            i32.shr_u
            local.get 6
            i32.xor
            local.tee 6
            i32.const 5
            i32.shl
            local.get 6
            i32.xor
            local.tee 5
            i32.const 1000
            i32.rem_u
            local.set 6
            i32.const 0
            local.set 2
            i32.const 1
            local.set 8
            loop  ;; label = @5
              local.get 1
              i32.const 6
              i32.add
              local.get 2
              i32.add
              local.get 6
              local.get 6
              i32.const 10
              i32.div_u
              local.tee 9
              i32.const 10
              i32.mul
              i32.sub
              i32.const 48
              i32.or
              i32.store8
              local.get 8
              local.tee 10
              i32.const 1
              i32.add
              local.set 8
              local.get 2
              i32.const 1
              i32.add
              local.set 2
              local.get 6
              i32.const 9
              i32.gt_u
              local.set 11
              local.get 9
              local.set 6
              local.get 11
              br_if 0 (;@5;)
            end
            local.get 2
            i32.const -1
            i32.add
            local.set 11
            block  ;; label = @5
              block  ;; label = @6
                local.get 2
                i32.const 3
                i32.and
                br_if 0 (;@6;)
                br 1 (;@5;)
              end
              local.get 10
              i32.const 3
              i32.and
              local.set 9
              i32.const 0
              local.set 6
              local.get 4
              local.set 8
              loop  ;; label = @6
                local.get 7
                local.get 6
                i32.add
                i32.const 1104
                i32.add
                local.get 8
                local.get 2
                i32.add
                i32.load8_u
                i32.store8
                local.get 8
                i32.const -1
                i32.add
                local.set 8
                local.get 9
                local.get 6
                i32.const 1
                i32.add
                local.tee 6
                i32.ne
                br_if 0 (;@6;)
              end
              local.get 2
              local.get 6
              i32.sub
              local.set 2
              local.get 7
              local.get 6
              i32.add
              local.tee 7
              i32.const -1
              i32.add
              local.set 8
            end
            block  ;; label = @5
              local.get 11
              i32.const 3
              i32.lt_u
              br_if 0 (;@5;)
              local.get 3
              local.get 2
              i32.add
              local.set 6
              i32.const 0
              local.set 8
              i32.const 0
              local.get 2
              i32.sub
              local.set 9
              loop  ;; label = @6
                local.get 7
                local.get 8
                i32.add
                local.tee 2
                i32.const 1104
                i32.add
                local.get 6
                i32.const 3
                i32.add
                i32.load8_u
                i32.store8
                local.get 2
                i32.const 1105
                i32.add
                local.get 6
                i32.const 2
                i32.add
                i32.load8_u
                i32.store8
                local.get 2
                i32.const 1106
                i32.add
                local.get 6
                i32.const 1
                i32.add
                i32.load8_u
                i32.store8
                local.get 2
                i32.const 1107
                i32.add
                local.get 6
                i32.load8_u
                i32.store8
                local.get 6
                i32.const -4
                i32.add
                local.set 6
                local.get 9
                local.get 8
                i32.const 4
                i32.add
                local.tee 8
                i32.add
                br_if 0 (;@6;)
              end
              local.get 7
              local.get 8
              i32.add
              local.tee 7
              i32.const -1
              i32.add
              local.set 8
            end
            local.get 7
            i32.const 1104
            i32.add
            i32.const 46
            i32.store8
            local.get 5
            i32.const 13
            i32.shl
            local.get 5
            i32.xor
            local.tee 7
            i32.const 17
            i32.shr_u
            local.get 7
            i32.xor
            local.tee 7
            i32.const 5
            i32.shl
            local.get 7
            i32.xor
            local.tee 5
            i32.const 100
            i32.rem_u
            local.set 6
            local.get 8
            i32.const 2
            i32.add
            local.set 7
            i32.const 0
            local.set 2
            i32.const 1
            local.set 8
            loop  ;; label = @5
              local.get 1
              i32.const 6
              i32.add
              local.get 2
              i32.add
              local.get 6
              local.get 6
              i32.const 10
              i32.div_u
              local.tee 9
              i32.const 10
              i32.mul
              i32.sub
              i32.const 48
              i32.or
              i32.store8
              local.get 8
              local.tee 10
              i32.const 1
              i32.add
              local.set 8
              local.get 2
              i32.const 1
              i32.add
              local.set 2
              local.get 6
              i32.const 9
              i32.gt_u
              local.set 11
              local.get 9
              local.set 6
              local.get 11
              br_if 0 (;@5;)
            end
            local.get 2
            i32.const -1
            i32.add
            local.set 11
            block  ;; label = @5
              local.get 2
              i32.const 3
              i32.and
              i32.eqz
              br_if 0 (;@5;)
              local.get 10
              i32.const 3
              i32.and
              local.set 9
              i32.const 0
              local.set 6
              local.get 4
              local.set 8
              loop  ;; label = @6
                local.get 7
                local.get 6
                i32.add
                i32.const 1104
                i32.add
                local.get 8
                local.get 2
                i32.add
                i32.load8_u
                i32.store8
                local.get 8
                i32.const -1
                i32.add
                local.set 8
                local.get 9
                local.get 6
                i32.const 1
                i32.add
                local.tee 6
                i32.ne
                br_if 0 (;@6;)
              end
              local.get 7
              local.get 6
              i32.add
              local.set 7
              local.get 2
              local.get 6
              i32.sub
              local.set 2
            end
            block  ;; label = @5
              local.get 11
              i32.const 3
              i32.lt_u
              br_if 0 (;@5;)
              local.get 3
              local.get 2
              i32.add
              local.set 6
              i32.const 0
              local.set 8
              i32.const 0
              local.get 2
              i32.sub
              local.set 9
              loop  ;; label = @6
                local.get 7
                local.get 8
                i32.add
                local.tee 2
                i32.const 1104
                i32.add
                local.get 6
                i32.const 3
                i32.add
                i32.load8_u
                i32.store8
                local.get 2
                i32.const 1105
                i32.add
                local.get 6
                i32.const 2
                i32.add
                i32.load8_u
                i32.store8
                local.get 2
                i32.const 1106
                i32.add
                local.get 6
                i32.const 1
                i32.add
                i32.load8_u
                i32.store8
                local.get 2
                i32.const 1107
                i32.add
                local.get 6
                i32.load8_u
                i32.store8
                local.get 6
                i32.const -4
                i32.add
                local.set 6
                local.get 9
                local.get 8
                i32.const 4
                i32.add
                local.tee 8
                i32.add
                br_if 0 (;@6;)
              end
              local.get 7
              local.get 8
              i32.add
              local.set 7
            end
            block  ;; label = @5
              i32.const 1081
              i32.const 1095
              local.get 12
              i32.const 1
              i32.eq
              select
              local.tee 2
              i32.load8_u
              local.tee 6
              i32.eqz
              br_if 0 (;@5;)
              local.get 2
              i32.const 1
              i32.add
              local.set 2
              loop  ;; label = @6
                local.get 7
                i32.const 1104
                i32.add
                local.get 6
                i32.store8
                local.get 7
                i32.const 1
                i32.add
                local.set 7
                local.get 2
                i32.load8_u
                local.set 6
                local.get 2
                i32.const 1
                i32.add
                local.set 2
                local.get 6
                br_if 0 (;@6;)
              end
            end
            local.get 12
            i32.const -1
            i32.add
            local.tee 12
            br_if 0 (;@4;)
          end
        end
        local.get 7
        i32.const 1105
        i32.add
        i32.const 44
        i32.store8
        local.get 7
        i32.const 1104
        i32.add
        i32.const 93
        i32.store8
        local.get 7
        i32.const 1106
        i32.add
        i32.const 32
        i32.store8
        local.get 7
        i32.const 1107
        i32.add
        i32.const 34
        i32.store8
        local.get 7
        i32.const 1108
        i32.add
        i32.const 110
        i32.store8
        local.get 7
        i32.const 1109
        i32.add
        i32.const 111
        i32.store8
        local.get 7
        i32.const 1110
        i32.add
        i32.const 110
        i32.store8
        local.get 7
        i32.const 1111
        i32.add
        i32.const 101
        i32.store8
        local.get 7
        i32.const 1112
        i32.add
        i32.const 34
        i32.store8
        local.get 7
        i32.const 1113
        i32.add
        i32.const 58
        i32.store8
        local.get 7
        i32.const 1114
        i32.add
        i32.const 32
        i32.store8
        local.get 7
        i32.const 1115
        i32.add
        i32.const 110
        i32.store8
        local.get 7
        i32.const 1116
        i32.add
        i32.const 117
        i32.store8
        local.get 7
        i32.const 1117
        i32.add
        i32.const 108
        i32.store8
        local.get 7
        i32.const 1118
        i32.add
        i32.const 108
        i32.store8
        local.get 7
        i32.const 1119
        i32.add
        i32.const 125
        i32.store8
        local.get 7
        i32.const 16
        i32.add
        local.tee 2
        local.get 0
        i32.lt_s
        br_if 0 (;@2;)
      end
    end
    local.get 2
    i32.const 1104
    i32.add
    i32.const 93
    i32.store8
    local.get 2
    i32.const 1
    i32.add)
  (func $read_text (type 2) (param i32 i32) (result i32)
    (local i32 i32 i32 i32 i32 i64)
    global.get $__stack_pointer
    i32.const 80
    i32.sub
    local.tee 2
    global.set $__stack_pointer
    i32.const 1
    local.set 3
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 1
        i32.ge_s
        br_if 0 (;@2;)
        i32.const 0
        local.set 4
        br 1 (;@1;)
      end
      i32.const 0
      local.set 3
      i32.const 0
      local.set 5
      block  ;; label = @2
        block  ;; label = @3
          loop  ;; label = @4
            block  ;; label = @5
              block  ;; label = @6
                block  ;; label = @7
                  block  ;; label = @8
                    block  ;; label = @9
                      block  ;; label = @10
                        block  ;; label = @11
                          block  ;; label = @12
                            block  ;; label = @13
                              block  ;; label = @14
                                local.get 3
                                i32.const 1104
                                i32.add
                                i32.load8_u
                                local.tee 6
                                i32.const -10
                                i32.add
                                br_table 8 (;@6;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 8 (;@6;) 5 (;@9;) 2 (;@12;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 8 (;@6;) 6 (;@8;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 8 (;@6;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 0 (;@14;) 5 (;@9;) 1 (;@13;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 4 (;@10;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 3 (;@11;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 3 (;@11;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 5 (;@9;) 0 (;@14;) 5 (;@9;) 1 (;@13;) 5 (;@9;)
                              end
                              i32.const 64
                              local.set 4
                              block  ;; label = @14
                                local.get 5
                                i32.const 64
                                i32.ne
                                br_if 0 (;@14;)
                                i32.const 0
                                local.set 3
                                br 13 (;@1;)
                              end
                              local.get 2
                              i32.const 16
                              i32.add
                              local.get 5
                              i32.add
                              local.get 6
                              i32.store8
                              local.get 1
                              i64.load offset=32
                              local.get 5
                              i32.const 1
                              i32.add
                              local.tee 5
                              i64.extend_i32_u
                              local.tee 7
                              i64.ge_u
                              br_if 7 (;@6;)
                              local.get 1
                              local.get 7
                              i64.store offset=32
                              br 7 (;@6;)
                            end
                            local.get 5
                            br_if 5 (;@7;)
                            i32.const 0
                            local.set 3
                            i32.const 0
                            local.set 4
                            br 11 (;@1;)
                          end
                          loop  ;; label = @12
                            block  ;; label = @13
                              local.get 3
                              local.tee 6
                              i32.const 1105
                              i32.add
                              i32.load8_u
                              local.tee 4
                              i32.const 92
                              i32.ne
                              br_if 0 (;@13;)
                              local.get 6
                              i32.const 2
                              i32.add
                              local.set 3
                              br 1 (;@12;)
                            end
                            local.get 6
                            i32.const 1
                            i32.add
                            local.set 3
                            local.get 4
                            i32.const 34
                            i32.ne
                            br_if 0 (;@12;)
                          end
                          local.get 6
                          i32.const 2
                          i32.add
                          local.set 3
                          block  ;; label = @12
                            local.get 6
                            i32.const 1106
                            i32.add
                            i32.load8_u
                            i32.const 58
                            i32.ne
                            br_if 0 (;@12;)
                            local.get 1
                            local.get 1
                            i64.load
                            i64.const 1
                            i64.add
                            i64.store
                            br 7 (;@5;)
                          end
                          local.get 1
                          local.get 1
                          i64.load offset=8
                          i64.const 1
                          i64.add
                          i64.store offset=8
                          br 6 (;@5;)
                        end
                        local.get 1
                        local.get 1
                        i64.load offset=24
                        i64.const 1
                        i64.add
                        i64.store offset=24
                        local.get 3
                        i32.const 4
                        i32.add
                        local.set 3
                        br 5 (;@5;)
                      end
                      local.get 1
                      local.get 1
                      i64.load offset=24
                      i64.const 1
                      i64.add
                      i64.store offset=24
                      local.get 3
                      i32.const 5
                      i32.add
                      local.set 3
                      br 4 (;@5;)
                    end
                    local.get 6
                    i32.const -58
                    i32.add
                    i32.const -10
                    i32.lt_u
                    br_if 5 (;@3;)
                  end
                  local.get 3
                  local.get 2
                  i32.const 8
                  i32.add
                  call $read_number
                  local.set 3
                  local.get 1
                  local.get 2
                  f64.load offset=8
                  local.get 1
                  f64.load offset=40
                  f64.add
                  f64.store offset=40
                  local.get 1
                  local.get 1
                  i64.load offset=16
                  i64.const 1
                  i64.add
                  i64.store offset=16
                  br 2 (;@5;)
                end
                local.get 6
                i32.const -2
                i32.add
                local.get 2
                i32.const 16
                i32.add
                local.get 5
                i32.const -1
                i32.add
                local.tee 5
                i32.add
                i32.load8_u
                i32.ne
                br_if 3 (;@3;)
              end
              local.get 3
              i32.const 1
              i32.add
              local.set 3
            end
            local.get 3
            local.get 0
            i32.lt_s
            br_if 0 (;@4;)
          end
          i32.const 1
          local.set 3
          br 1 (;@2;)
        end
        i32.const 0
        local.set 3
      end
      local.get 5
      local.set 4
    end
    local.get 2
    i32.const 80
    i32.add
    global.set $__stack_pointer
    local.get 3
    local.get 4
    i32.eqz
    i32.and)
  (func $read_number (type 2) (param i32 i32) (result i32)
    (local f64 i32 i32 i32 i32 i32 i32 f64)
    f64.const 0x0p+0 (;=0;)
    local.set 2
    block  ;; label = @1
      block  ;; label = @2
        local.get 0
        i32.const 1104
        i32.add
        i32.load8_u
        local.tee 3
        i32.const 45
        i32.eq
        local.get 0
        i32.add
        local.tee 0
        i32.const 1104
        i32.add
        i32.load8_u
        local.tee 4
        i32.const -48
        i32.add
        local.tee 5
        i32.const 9
        i32.le_u
        br_if 0 (;@2;)
        local.get 0
        local.set 6
        br 1 (;@1;)
      end
      f64.const 0x0p+0 (;=0;)
      local.set 2
      loop  ;; label = @2
        local.get 2
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        local.get 5
        f64.convert_i32_s
        f64.add
        local.set 2
        local.get 0
        i32.const 1105
        i32.add
        local.set 5
        local.get 0
        i32.const 1
        i32.add
        local.tee 6
        local.set 0
        local.get 5
        i32.load8_u
        local.tee 4
        i32.const -48
        i32.add
        local.tee 5
        i32.const 10
        i32.lt_u
        br_if 0 (;@2;)
      end
    end
    i32.const 0
    local.set 7
    block  ;; label = @1
      local.get 4
      i32.const 46
      i32.ne
      br_if 0 (;@1;)
      block  ;; label = @2
        local.get 6
        i32.const 1105
        i32.add
        i32.load8_u
        local.tee 4
        i32.const -48
        i32.add
        local.tee 5
        i32.const 9
        i32.le_u
        br_if 0 (;@2;)
        local.get 6
        i32.const 1
        i32.add
        local.set 6
        br 1 (;@1;)
      end
      i32.const 0
      local.set 0
      loop  ;; label = @2
        local.get 2
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        local.get 5
        f64.convert_i32_s
        f64.add
        local.set 2
        local.get 6
        local.get 0
        i32.add
        local.set 5
        local.get 0
        i32.const 1
        i32.add
        local.tee 8
        local.set 0
        local.get 5
        i32.const 1106
        i32.add
        i32.load8_u
        local.tee 4
        i32.const -48
        i32.add
        local.tee 5
        i32.const 10
        i32.lt_u
        br_if 0 (;@2;)
      end
      i32.const 0
      local.get 8
      i32.sub
      local.set 7
      local.get 6
      local.get 8
      i32.add
      i32.const 1
      i32.add
      local.set 6
    end
    block  ;; label = @1
      local.get 4
      i32.const 101
      i32.ne
      br_if 0 (;@1;)
      block  ;; label = @2
        block  ;; label = @3
          local.get 6
          i32.const 2
          i32.add
          local.tee 0
          local.get 0
          local.get 6
          i32.const 1
          i32.add
          local.get 6
          i32.const 1105
          i32.add
          i32.load8_u
          local.tee 6
          i32.const 43
          i32.eq
          select
          local.get 6
          i32.const 45
          i32.eq
          local.tee 8
          select
          local.tee 0
          i32.const 1104
          i32.add
          i32.load8_u
          i32.const -48
          i32.add
          local.tee 4
          i32.const 9
          i32.le_u
          br_if 0 (;@3;)
          i32.const 0
          local.set 5
          local.get 0
          local.set 6
          br 1 (;@2;)
        end
        i32.const 0
        local.set 5
        loop  ;; label = @3
          local.get 4
          local.get 5
          i32.const 10
          i32.mul
          i32.add
          local.set 5
          local.get 0
          i32.const 1105
          i32.add
          local.set 4
          local.get 0
          i32.const 1
          i32.add
          local.tee 6
          local.set 0
          local.get 4
          i32.load8_u
          i32.const -48
          i32.add
          local.tee 4
          i32.const 10
          i32.lt_u
          br_if 0 (;@3;)
        end
      end
      i32.const 0
      local.get 5
      i32.sub
      local.get 5
      local.get 8
      select
      local.get 7
      i32.add
      local.set 7
    end
    f64.const 0x1p+0 (;=1;)
    local.set 9
    block  ;; label = @1
      local.get 7
      local.get 7
      i32.const 31
      i32.shr_s
      local.tee 0
      i32.add
      local.get 0
      i32.xor
      local.tee 0
      i32.eqz
      br_if 0 (;@1;)
      local.get 0
      i32.const -1
      i32.add
      local.set 4
      f64.const 0x1p+0 (;=1;)
      local.set 9
      block  ;; label = @2
        local.get 0
        i32.const 7
        i32.and
        local.tee 5
        i32.eqz
        br_if 0 (;@2;)
        loop  ;; label = @3
          local.get 0
          i32.const -1
          i32.add
          local.set 0
          local.get 9
          f64.const 0x1.4p+3 (;=10;)
          f64.mul
          local.set 9
          local.get 5
          i32.const -1
          i32.add
          local.tee 5
          br_if 0 (;@3;)
        end
      end
      local.get 4
      i32.const 7
      i32.lt_u
      br_if 0 (;@1;)
      loop  ;; label = @2
        local.get 9
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        f64.const 0x1.4p+3 (;=10;)
        f64.mul
        local.set 9
        local.get 0
        i32.const -8
        i32.add
        local.tee 0
        br_if 0 (;@2;)
      end
    end
    local.get 1
    local.get 2
    f64.const 0x1p+0 (;=1;)
    local.get 9
    f64.div
    local.get 9
    local.get 7
    i32.const 0
    i32.lt_s
    select
    f64.mul
    local.tee 2
    f64.neg
    local.get 2
    local.get 3
    i32.const 45
    i32.eq
    select
    f64.store
    local.get 6)
  (table (;0;) 1 1 funcref)
  (memory (;0;) 18)
  (global $__stack_pointer (mut i32) (i32.const 1115280))
  (export "memory" (memory 0))
  (export "run" (func $run))
  (data $.rodata (i32.const 1024) "\22, \22good\22: true, \22sizes\22: [\00\22, \22good\22: false, \22sizes\22: [\00e2\00,\0a {\22id\22: \00e-1, \00"))
