// E0701 4:1
fn f() { if true {

