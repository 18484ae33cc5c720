//! A state that is folded over a column: a rule that buys above a moving mean and sells below it.

use planish::stage::{In, Rep, function, staged};

use crate::{Error, Shown, shown};

fn plain(prices: &[f64], charge: f64) -> (f64, u32) {
    let (mut mean, mut held, mut money, mut trades) = (prices.first().copied().unwrap_or(0.0), 0.0, 0.0, 0);
    for &price in prices {
        mean = mean * 0.99 + price * 0.01;
        if price > mean * 1.01 && held < 1.0 {
            (held, money, trades) = (held + 1.0, money - price - charge, trades + 1);
        } else if price < mean * 0.99 && held > 0.0 {
            (held, money, trades) = (held - 1.0, money + price - charge, trades + 1);
        }
    }
    (money + held * mean, trades)
}

/// The gain of the rule, and its number of trades.
///
/// # Errors
/// None, but for a mistake.
pub fn example() -> Result<Shown, Error> {
    let trade = function(
        "trade",
        staged!(|prices: In<[f64]>, charge: Rep<f64>| {
            let mut mean = if prices.len() > 0 { prices.at(0) } else { Rep::new(0.0) };
            let mut held = Rep::new(0.0);
            let mut money = Rep::new(0.0);
            let mut trades = Rep::new(0u32);
            for i in 0..prices.len() {
                let price = prices.at(i);
                mean = mean * 0.99 + price * 0.01;
                if price > mean * 1.01 && held < 1.0 {
                    held += 1.0;
                    money = money - price - charge;
                    trades += 1;
                } else if price < mean * 0.99 && held > 0.0 {
                    held -= 1.0;
                    money = money + price - charge;
                    trades += 1;
                }
            }
            (money + held * mean, trades)
        }),
    )?;
    let compiled = trade.compile()?;
    let prices: Vec<f64> =
        (0..100_000).map(|i| 100.0 + 5.0 * (f64::from(i) / 300.0).sin() + f64::from(i * 37 % 11)).collect();
    let found = compiled.call(&prices, 0.05)?;
    if found != plain(&prices, 0.05) || found.1 < 100 {
        return Err(format!("another result than plain Rust: {found:?}").into());
    }
    Ok(shown(&trade.optimized(), || compiled.call(&prices, 0.05).ok(), || plain(&prices, 0.05)))
}
