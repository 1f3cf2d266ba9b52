use ast_types::{Argument, Expr, Name};
use neuro_hir::{FunctionType, HirExpr, HirType, TensorOp, TensorType};
use shared_types::{ScalarType, Span};

use super::{only_element, tensor_op};
use crate::check::arguments::Arguments;
use crate::check::body::Body;
use crate::faults::{Checked, Failed};

impl Body<'_, '_> {
    /// `.map(f)`
    pub(super) fn map(
        &mut self,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            positional: [function],
            ..
        } = self.arguments::<1, 0>(method, arguments, [])?;
        let tensor = self.static_tensor(&operand)?;
        let parameters = vec![(*tensor.element).clone()];
        let (function, result) = self.traversal(function, parameters, None)?;
        let map = TensorOp::Map {
            operand: Box::new(operand),
            function: Box::new(function),
        };
        Ok(tensor_op(map, of(result, &tensor), span))
    }

    /// `.zip(&b, f)`: two tensors of one shape.
    pub(super) fn zip(
        &mut self,
        left: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            positional: [right, function],
            ..
        } = self.arguments::<2, 0>(method, arguments, [])?;
        let a = self.static_tensor(&left)?;
        let right = self.operand(right, None)?;
        let b = self.static_tensor(&right)?;
        if !a.extents().eq(b.extents()) {
            let message = format!("`zip` takes two tensors of one shape, not `{a}` and `{b}`");
            return Err(self.fault(right.span, message));
        }
        let parameters = vec![(*a.element).clone(), (*b.element).clone()];
        let (function, result) = self.traversal(function, parameters, None)?;
        let zip = TensorOp::Zip {
            left: Box::new(left),
            right: Box::new(right),
            function: Box::new(function),
        };
        Ok(tensor_op(zip, of(result, &a), span))
    }

    /// `.reduce(initial, f)`: `acc = f(acc, x)` of each element, a scalar.
    pub(super) fn fold_elements(
        &mut self,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            positional: [initial, function],
            ..
        } = self.arguments::<2, 0>(method, arguments, [])?;
        let tensor = self.static_tensor(&operand)?;
        let initial = self.operand(initial, Some(&tensor.element))?;
        let scalar = match initial.ty {
            HirType::Scalar(scalar) if scalar != ScalarType::Char => scalar,
            _ => {
                let message = format!("expected a number or a `bool`, found `{}`", initial.ty);
                return Err(self.fault(initial.span, message));
            }
        };
        let parameters = vec![scalar.into(), (*tensor.element).clone()];
        let (function, result) = self.traversal(function, parameters, Some(scalar))?;
        let fold = TensorOp::Fold {
            operand: Box::new(operand),
            initial: Box::new(initial),
            function: Box::new(function),
        };
        Ok(only_element(fold, TensorType::new(result, &[]), span))
    }

    /// The function of a traversal, which gives a scalar.
    fn traversal(
        &mut self,
        function: &Expr,
        parameters: Vec<HirType>,
        result: Option<ScalarType>,
    ) -> Checked<(HirExpr, ScalarType)> {
        let expected = HirType::Function(Box::new(FunctionType {
            parameters: parameters.clone(),
            result: result.map_or(HirType::Void, HirType::from),
        }));
        let function = self.expr(function, Some(&expected))?;
        let found = if let HirType::Function(found) = &function.ty {
            Some(&**found)
        } else {
            None
        };
        let fits = found.filter(|found| {
            found.parameters.len() == parameters.len()
                && found
                    .parameters
                    .iter()
                    .zip(&parameters)
                    .all(|(a, b)| a.agrees(b))
        });
        match fits.map(|found| &found.result) {
            Some(HirType::Scalar(found))
                if result.is_none_or(|result| result == *found) && *found != ScalarType::Char =>
            {
                Ok((function.clone(), *found))
            }
            _ => {
                let parameters: Vec<String> = parameters.iter().map(HirType::to_string).collect();
                let result = result.map_or("a number or a `bool`".to_string(), |scalar| {
                    format!("`{scalar}`")
                });
                let message = format!(
                    "expected a function of ({}) that gives {result}, found `{}`",
                    parameters.join(", "),
                    function.ty
                );
                self.fault(function.span, message);
                Err(Failed)
            }
        }
    }
}

fn of(element: ScalarType, shape: &TensorType) -> TensorType {
    TensorType {
        element: Box::new(element.into()),
        axes: shape.axes.clone(),
    }
}
