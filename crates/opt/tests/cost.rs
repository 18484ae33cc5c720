//! Costs of ops and branches. That no op has two rows is checked when the tables are made.

use planish_ir::ops::Op::*;
use planish_opt::Goal;
use planish_opt::cost::{CostTable, GPU, MACHINE, NATIVE, TABLES};

#[test]
fn tables_have_names_of_their_own() {
    for (i, table) in TABLES.iter().enumerate() {
        assert_eq!(TABLES.iter().position(|t| t.name == table.name), Some(i));
        assert_eq!(CostTable::named(table.name), Some(*table));
    }
    assert_eq!(CostTable::named("abacus"), None);
}

#[test]
fn an_op_costs_what_its_row_says_and_else_what_its_class_does() {
    let costs = |op| TABLES.map(|table| table.of(op));
    assert_eq!(costs(Sin), [4, 16, 16]);
    assert_eq!(costs(Add), [1, 1, 1]);
    assert_eq!(costs(Select), [1, 1, 1]);
    assert_eq!(costs(Load), [2, 1, 1]);
    assert_eq!(costs(TextureFetch), [16, 32, 32]);
    assert_eq!(costs(Call), [8, 8, 8]);
    assert_eq!(costs(AccessArrayElement), [1, 1, 1]);
    assert_eq!(costs(DivideTrapping), [4, 3, 3]);
}

/// A branch of the gpu does not count the selects: one more costs a select and a copy.
#[test]
fn a_branch_pays_from_its_own_cost_on() {
    for (table, worth) in [(&GPU, 18), (&MACHINE, 4), (&NATIVE, 8)] {
        assert_eq!(table.worth_a_branch(Goal::Speed), worth);
        assert_eq!(table.worth_a_branch(Goal::Size), 2 * worth);
        let pays = |within| [1, 7].map(|selects| table.branch_pays(within, selects, worth));
        assert_eq!((pays(worth - 1), pays(worth)), ([false; 2], [true; 2]));
    }
}
