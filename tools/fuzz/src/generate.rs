//! Makes functions: from a parameter on, one operation after another on what is there.

mod limits;

use std::sync::Arc;

use shared_types::ScalarType;

pub use crate::contents::Want;
use crate::contents::{Contents, Mix};
use crate::element;
use crate::operations::{
    BESIDE_LARGE, FAMILIES, Make, Operation, Place, compound_on, make_long, make_packed, make_tiled,
};
use crate::program::{Function, Node, Parameter, Passing, Source, Style, Type};
use crate::random::Random;
use limits::{First, LARGE, Limits, SMALL};

/// The engines that a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    Host,
    /// Some of them have a device: there is no library mathematics, which is each vendor's own, and
    /// in `@gpu` functions only what kernels hold.
    Device,
}

/// The longest chain of operations.
const MOST_NODES: usize = 12;
const MOST_PARAMETERS: usize = 9;
/// The longest chain of functions that call one another.
const MOST_DEPTH: usize = 2;

/// A function in the making.
pub struct Maker<'r> {
    pub random: &'r mut Random,
    pub domain: Domain,
    function: Function,
    types: Vec<Vec<Type>>,
    /// Of most values.
    scalar: ScalarType,
    mix: Mix,
    limits: Limits,
    /// How many functions call it, one by the other.
    depth: usize,
}

/// The function of the domain that a seed's number stands for.
pub fn function(domain: Domain, seed: u64, number: u64) -> Function {
    let random = &mut Random::of(seed, number);
    let style = random.weighted(&[
        (8, Style::Plain),
        (4, Style::Returning),
        (5, Style::Host),
        (1, Style::Early),
        (2, Style::Gpu),
        (1, Style::Fallback),
    ]);
    let limits = random.weighted(Limits::of(domain));
    let mut maker = Maker::new(random, domain, style, limits);
    // A compile takes as long as its operations are many: most are few.
    let most = maker.random.below(MOST_NODES) + 1;
    let nodes = match limits.first {
        First::Long => 1,
        First::Any | First::Packed | First::Tiled => 1 + maker.random.below(most),
    };
    maker.make(nodes);
    maker.function
}

/// The element types of tensors.
pub fn types() -> Vec<ScalarType> {
    let all = ScalarType::ALL.into_iter();
    all.filter(|scalar| *scalar != ScalarType::Char).collect()
}

impl<'r> Maker<'r> {
    fn new(random: &'r mut Random, domain: Domain, style: Style, limits: Limits) -> Self {
        // On a device a fallback body is a kernel or refused, and half of the `@gpu` bodies have none.
        let style = match (domain, style) {
            (Domain::Device, Style::Fallback) => Style::Gpu,
            (Domain::Device, Style::Gpu) if random.chance(50) => Style::BareGpu,
            _ => style,
        };
        let mixes = [
            (3, Mix::Calm),
            (3, Mix::Rough),
            (2, Mix::Wild),
            (2, Mix::Repeated),
        ];
        Maker {
            function: Function {
                style,
                parameters: Vec::new(),
                nodes: Vec::new(),
                results: Vec::new(),
            },
            types: Vec::new(),
            scalar: random.one(&types()),
            mix: random.weighted(&mixes),
            limits,
            depth: 0,
            domain,
            random,
        }
    }
}

impl Maker<'_> {
    /// Adds so many operations, or as many as fit, and what the function gives.
    fn make(&mut self, nodes: usize) {
        let mut tries = 0;
        let (first, beside): (Option<Make>, &[(usize, Make)]) = match self.limits.first {
            First::Any => (None, &[]),
            First::Packed => (Some(make_packed), BESIDE_LARGE),
            First::Tiled => (Some(make_tiled), BESIDE_LARGE),
            First::Long => (Some(make_long), &[]),
        };
        if let Some(first) = first {
            self.try_to(first);
        }
        if !beside.is_empty() {
            let beside = self.random.weighted(beside);
            self.try_to(beside);
        }
        while self.function.nodes.len() < nodes && tries < 8 * MOST_NODES {
            let make = self.random.weighted(FAMILIES);
            self.try_to(make);
            tries += 1;
        }
        self.give_results();
    }

    /// What does not fit here is not added, nor what it would have taken.
    fn try_to(&mut self, make: Make) {
        let parameters = self.function.parameters.len();
        if make(self).is_none() {
            self.function.parameters.truncate(parameters);
        }
    }

    /// A function to call; where it `writes`, it changes its first parameter.
    pub fn inner(&mut self, writes: bool) -> Option<Function> {
        if self.depth == MOST_DEPTH {
            return None;
        }
        let styles = [
            (4, Style::Plain),
            (1, Style::Returning),
            (2, Style::Host),
            (1, Style::Early),
            (1, Style::Gpu),
            (1, Style::Fallback),
        ];
        let style = self.random.weighted(&styles);
        let mut maker = Maker::new(self.random, self.domain, style, Limits::FEW);
        maker.depth = self.depth + 1;
        maker.scalar = self.scalar;
        if writes {
            let target = maker.target();
            compound_on(&mut maker, target)?;
        }
        let nodes = 1 + maker.random.below(4);
        maker.make(nodes);
        Some(maker.function)
    }

    pub fn type_of(&self, source: Source) -> Type {
        let ty = self.function.type_in(&self.types, source);
        ty.unwrap_or_else(|| Type::scalar(self.scalar))
    }

    /// A value that is there, mostly the last one that fits.
    pub fn pick(&mut self, fits: impl Fn(&Type) -> bool) -> Option<Source> {
        let known: Vec<Source> = self
            .values()
            .into_iter()
            .filter(|&source| fits(&self.type_of(source)))
            .collect();
        match known.last() {
            Some(&last) if self.random.chance(60) => Some(last),
            Some(_) => Some(self.random.one(&known)),
            None => None,
        }
    }

    /// A tensor that fits: one that is there, or a new parameter where none does.
    pub fn tensor(&mut self, fits: impl Fn(&Type) -> bool) -> Option<Source> {
        if let Some(known) = self.pick(|ty| ty.is_tensor() && fits(ty)) {
            return Some(known);
        }
        let ty = Type::tensor(self.scalar, &self.shape());
        match fits(&ty) {
            true => Some(self.parameter(ty, Want::Any)),
            false => None,
        }
    }

    /// A value of just this type: one that is there, or a new parameter.
    pub fn of_type(&mut self, ty: &Type, want: Want) -> Source {
        let known =
            match self.random.chance(60) || self.function.parameters.len() >= MOST_PARAMETERS {
                true => self.pick(|known| known == ty),
                false => None,
            };
        known.unwrap_or_else(|| self.parameter(ty.clone(), want))
    }

    /// A scalar: one that is there, or a new parameter.
    pub fn scalar(&mut self, scalar: ScalarType, want: Want) -> Source {
        self.of_type(&Type::scalar(scalar), want)
    }

    /// A literal.
    pub fn number(&mut self, scalar: ScalarType, want: Want) -> Source {
        Source::Number(scalar, element::literal(scalar, want, self.random))
    }

    pub fn parameter(&mut self, ty: Type, want: Want) -> Source {
        let mix = match self.random.chance(80) {
            true => self.mix,
            false => self
                .random
                .one(&[Mix::Calm, Mix::Rough, Mix::Wild, Mix::Repeated]),
        };
        let passing = [
            (6, Passing::Borrowed),
            (3, Passing::Owned),
            (1, Passing::BorrowedMut),
        ];
        let parameter = Parameter {
            passing: self.random.weighted(&passing),
            named: ty.is_tensor() && self.random.chance(25),
            aliased: self.random.chance(10),
            contents: Contents::drawn(self.random, mix, want),
            ty,
        };
        self.function.parameters.push(parameter);
        Source::Parameter(self.function.parameters.len() - 1)
    }

    /// Adds an operation, where the language takes it and neither its operands nor its results are
    /// too large.
    pub fn add(&mut self, operation: impl Operation + 'static, operands: &[Source]) -> Option<()> {
        let types: Vec<Type> = operands
            .iter()
            .map(|&operand| self.type_of(operand))
            .collect();
        let results = operation.results(&types)?;
        let is_large = |ty: &Type| ty.elements() > self.limits.elements || ty.rank() > 6;
        let mut tensors = types.iter().chain(&results).filter(|ty| ty.is_tensor());
        let is_refused = |ty: &Type| !self.fits_kernel(ty);
        if tensors.clone().any(is_large)
            || self.is_gpu() && (!self.fits_gpu(&operation) || tensors.any(is_refused))
        {
            return None;
        }
        let node = Node {
            operation: Arc::new(operation),
            operands: operands.to_vec(),
            bound: self.random.chance(30),
            named: self.random.chance(15),
            moves: self.random.chance(30),
        };
        self.function.nodes.push(node);
        self.types.push(results);
        Some(())
    }

    pub fn is_gpu(&self) -> bool {
        self.function.style.is_gpu()
    }

    /// A parameter to assign to.
    pub fn target(&mut self) -> Source {
        let ty = Type::tensor(self.number_type(), &self.shape());
        let target = self.parameter(ty, Want::Any);
        if let Some(parameter) = self.function.parameters.last_mut() {
            parameter.passing = Passing::BorrowedMut;
        }
        target
    }

    /// Whether a device computes tensors of the type, where there is one.
    fn fits_kernel(&self, ty: &Type) -> bool {
        let computes = !ty.scalar.is_half() && ty.scalar != ScalarType::Bool && ty.rank() > 0;
        match self.domain {
            Domain::Host => true,
            Domain::Device => computes,
        }
    }

    /// Whether a `@gpu` body takes an operation beside those that it has. An assignment ends it.
    fn fits_gpu(&self, operation: &dyn Operation) -> bool {
        let nodes = &self.function.nodes;
        let beside = |place| nodes.iter().any(|node| node.operation.place() == place);
        !beside(Place::Host)
            && !beside(Place::End)
            && match operation.place() {
                Place::Anywhere => true,
                // A scalar has no axis to launch threads over.
                Place::Runs => self.domain == Domain::Host && !beside(Place::NoRuns),
                Place::NoRuns => !beside(Place::Runs),
                Place::End => !beside(Place::Runs),
                Place::Host => false,
            }
    }

    /// What the function gives: the last value, and now and then others that nothing takes.
    fn give_results(&mut self) {
        let is_gpu = self.is_gpu();
        let last = self.function.nodes.last();
        if is_gpu && last.is_some_and(|last| last.operation.assigns()) {
            return;
        }
        let taken: Vec<Source> = self
            .function
            .nodes
            .iter()
            .flat_map(|node| node.operands.clone())
            .collect();
        let values = self.values().into_iter();
        let mut values: Vec<Source> = values
            .filter(|&value| !taken.contains(&value) && matches!(value, Source::Node(..)))
            .collect();
        values.retain(|&value| !is_gpu || self.type_of(value).is_tensor());
        let last = values.pop();
        let mut results: Vec<Source> = match self.random.chance(30) {
            true => values.into_iter().rev().take(3).collect(),
            false => Vec::new(),
        };
        results.reverse();
        results.extend(last);
        if results.is_empty() {
            let ty = Type::tensor(self.scalar, &self.shape());
            let parameter = self.parameter(ty, Want::Any);
            self.function.style = Style::Plain;
            results.push(parameter);
        }
        self.function.results = results;
        // As where a `@gpu` body reads a scalar and gives two tensors.
        if self.function.types().is_none() {
            self.function.style = Style::Plain;
        }
    }

    /// What there is to take. A target that was assigned to is read by its new name alone.
    fn values(&self) -> Vec<Source> {
        let is_assigned = |parameter: usize| {
            self.function.parameters[parameter].passing == Passing::BorrowedMut
                && self.function.nodes.iter().any(|node| {
                    let target = node.operands.first();
                    node.operation.assigns() && target == Some(&Source::Parameter(parameter))
                })
        };
        let parameters = (0..self.function.parameters.len()).filter(|&at| !is_assigned(at));
        let nodes = self.types.iter().enumerate();
        let nodes = nodes
            .flat_map(|(at, types)| (0..types.len()).map(move |member| Source::Node(at, member)));
        parameters.map(Source::Parameter).chain(nodes).collect()
    }

    /// The element type of a tensor made from nothing.
    pub fn scalar_type(&mut self) -> ScalarType {
        match self.random.chance(85) {
            true => self.scalar,
            false => self.random.one(&types()),
        }
    }

    pub fn number_type(&mut self) -> ScalarType {
        match self.scalar.is_number() {
            true => self.scalar,
            false => ScalarType::F32,
        }
    }

    pub fn integers(&self) -> Vec<ScalarType> {
        types()
            .into_iter()
            .filter(|scalar| scalar.is_integer())
            .collect()
    }

    pub fn most_points(&self) -> u64 {
        self.limits.points
    }

    pub fn small_extent(&mut self) -> u64 {
        self.random.weighted(&SMALL)
    }

    /// Large now and then, where tensors may be.
    pub fn extent(&mut self) -> u64 {
        match self.limits.has_large && self.random.chance(25) {
            true => self.random.one(&LARGE),
            false => self.small_extent(),
        }
    }

    /// A shape of rank 0 to 6 that is not too large.
    pub fn shape(&mut self) -> Vec<u64> {
        let ranks = [(1, 0), (4, 1), (6, 2), (4, 3), (2, 4), (1, 5), (1, 6)];
        let rank = self.random.weighted(&ranks);
        let mut shape: Vec<u64> = (0..rank).map(|_| self.small_extent()).collect();
        if self.limits.has_large && rank > 0 {
            let at = self.random.below(rank);
            shape[at] = self.random.one(&LARGE);
        }
        let mut elements = 1;
        for extent in &mut shape {
            if elements * *extent > self.limits.elements {
                *extent = 1;
            }
            elements *= (*extent).max(1);
        }
        shape
    }

    /// A shape that broadcasts to this one.
    pub fn narrower(&mut self, shape: &[u64]) -> Vec<u64> {
        let dropped = match self.random.chance(50) {
            true => self.random.below(shape.len() + 1),
            false => 0,
        };
        let kept = shape[dropped..].iter();
        kept.map(|&extent| if self.random.chance(30) { 1 } else { extent })
            .collect()
    }

    /// A shape that broadcasts with this one: each axis may be stretched on either side.
    pub fn partner(&mut self, shape: &[u64]) -> Vec<u64> {
        let mut partner = self.narrower(shape);
        let offset = shape.len() - partner.len();
        for at in 0..partner.len() {
            if shape[offset + at] == 1 && self.random.chance(50) {
                partner[at] = self.extent();
            }
        }
        while partner.len() >= shape.len() && partner.len() < 6 && self.random.chance(20) {
            let extent = self.small_extent();
            partner.insert(0, extent);
        }
        partner
    }
}
