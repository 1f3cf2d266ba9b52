use std::collections::{HashMap, HashSet};

use crate::{Callee, HirExprKind, HirFunction, HirItem, HirNode, HirProgram};

impl HirProgram {
    /// The names of the free functions that a run of `entries` may come to, themselves included.
    pub fn reachable_from<'p>(
        &'p self,
        entries: impl IntoIterator<Item = &'p str>,
    ) -> HashSet<&'p str> {
        let named = |function: &'p HirFunction| (function.name.as_str(), function);
        let functions: HashMap<&str, &HirFunction> = self.functions().map(named).collect();
        let mut methods: HashMap<(&str, &str), &HirFunction> = HashMap::new();
        for item in &self.items {
            if let HirItem::Impl(block) = item {
                let owner = block.owner.as_str();
                let of_owner = |method: &'p HirFunction| ((owner, method.name.as_str()), method);
                methods.extend(block.methods.iter().map(of_owner));
            }
        }
        let mut reached: HashSet<&str> = HashSet::new();
        let mut names: Vec<&str> = entries.into_iter().collect();
        let mut bodies: Vec<&HirFunction> = Vec::new();
        loop {
            while let Some(name) = names.pop() {
                if let Some(function) = functions.get(name).filter(|_| reached.insert(name)) {
                    bodies.push(function);
                }
            }
            let Some(function) = bodies.pop() else {
                return reached;
            };
            for node in HirNode::from(&function.body).descendants() {
                let HirNode::Expr(expr) = node else { continue };
                if let HirExprKind::Function(name) = &expr.kind {
                    names.push(name);
                } else if let HirExprKind::Call { callee, .. } = &expr.kind {
                    match callee {
                        Callee::Function(name) => names.push(name),
                        Callee::Method { owner, name } => {
                            bodies.extend(methods.remove(&(owner.as_str(), name.as_str())));
                        }
                        Callee::Value(_) => {}
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shared_types::Span;

    use crate::build::{FunctionBuilder, call, expr, program};
    use crate::{
        Callee, FunctionTarget, FunctionType, HirExpr, HirExprKind, HirFunction, HirImpl, HirItem,
        HirType, Tier,
    };

    fn function(name: &str, body: Vec<HirExpr>) -> HirFunction {
        let mut function = FunctionBuilder::new(name, FunctionTarget::Host);
        for value in body {
            function.push(crate::HirStatementKind::Expr(value));
        }
        function.finish(None)
    }

    #[test]
    fn calls_methods_and_function_values_reach() {
        let leaf = function("leaf", vec![]);
        let value = function("value", vec![call(&leaf, [])]);
        let of_method = function("of_method", vec![]);
        let signature = FunctionType {
            parameters: vec![],
            result: HirType::Void,
        };
        let as_value = expr(
            HirExprKind::Function("value".to_string()),
            HirType::Function(Box::new(signature)),
        );
        let method = HirExprKind::Call {
            callee: Callee::Method {
                owner: "S".to_string(),
                name: "m".to_string(),
            },
            arguments: vec![],
        };
        let itself = call(&function("main", vec![]), []);
        let main = function("main", vec![as_value, expr(method, HirType::Void), itself]);
        let unreached = function("unreached", vec![call(&leaf, [])]);
        let methods = HirItem::Impl(HirImpl {
            owner: "S".to_string(),
            methods: vec![
                function("m", vec![call(&of_method, [])]),
                function("n", vec![call(&unreached, [])]),
            ],
            span: Span::default(),
        });
        let mut program = program(Tier::Checked, [leaf, value, of_method, main, unreached]);
        program.items.push(methods);

        let mut reached: Vec<&str> = program.reachable_from(["main"]).into_iter().collect();
        reached.sort_unstable();
        assert_eq!(reached, ["leaf", "main", "of_method", "value"]);
        assert!(program.reachable_from(["absent"]).is_empty());
    }
}
