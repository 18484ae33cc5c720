//! Functions as bytes.

use planish_datafusion::{Kind, Udf};

use crate::common::{Random, context, floats, query, rows};

#[tokio::test]
async fn a_function_is_the_same_after_it_was_written_and_read() {
    let sum = crate::aggregates::sum();
    let read = Udf::from_bytes(sum.to_bytes()).expect("it was written");
    assert_eq!((read.name(), read.kind(), &read), ("my_sum", Kind::Aggregate, &sum));
    let context = context(&rows(1000, 1), &[read]);
    let result = query(&context, "SELECT k, my_sum(n), sum(n)::DOUBLE FROM t GROUP BY k").await;
    assert_eq!(floats(&result, 1), floats(&result, 2));
}

#[test]
fn no_bytes_make_it_panic() {
    let good = crate::windows::sessions().to_bytes().to_vec();
    let mut random = Random(1);
    for _ in 0..2000 {
        let mut bytes = good.clone();
        match random.below(3) {
            0 => bytes.truncate(random.below(good.len() as u64) as usize),
            1 => bytes[random.below(60) as usize] ^= 1 << random.below(8),
            _ => bytes[random.below(good.len() as u64) as usize] ^= 1 << random.below(8),
        }
        // (Only the name and the kind are not protected by a checksum.)
        if let Ok(udf) = Udf::from_bytes(&bytes) {
            assert!(bytes == good || udf.to_bytes() != good);
        }
    }
    assert!(Udf::from_bytes(b"").is_err());
}
