//! The tree of an expression. Chains are flat, so that its depth is bounded by the nesting alone.

use dashu_ratio::RBig;

/// An operator between two terms of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SumOperator {
    Plus,
    Minus,
}

/// An operator between two factors of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProductOperator {
    Times,
    Divide,
    FloorDivide,
    Remainder,
}

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    Number(RBig),
    Name(String),
    Negate(Box<Tree>),
    Percent(Box<Tree>),
    Sum(Box<Tree>, Vec<(SumOperator, Tree)>),
    Product(Box<Tree>, Vec<(ProductOperator, Tree)>),
    Power(Box<Tree>, Box<Tree>),
    Call(String, Vec<Tree>),
    List(Vec<Tree>),
}
