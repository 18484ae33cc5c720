// E0704 3:15
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    let sum = subgroupAdd(i);
}
