use std::fmt;

use inkwell::types::{BasicMetadataTypeEnum, FunctionType};
use shared_types::ScalarType;

use crate::CodegenError;

/// What a body takes, in the order of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub symbol: String,
    pub parameters: Vec<Parameter>,
}

/// One parameter of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    Scalar(ScalarType),
    /// A tensor of this shape that the body reads: an exploded memref descriptor (backend
    /// specification, §MLIR to LLVM IR).
    Operand(ScalarType, Vec<u64>),
    /// The same for one that the body writes.
    Result(ScalarType, Vec<u64>),
    /// The status word, a `memref<i64>` (numerics, §Integer checks).
    Status,
    /// A function value: the pointers of its code and of its environment. The code takes the
    /// environment before its parameters.
    Function(FunctionSignature),
    /// What shares loops among threads: the pointers of its code and of what the code is called
    /// with.
    Threads,
}

/// The scalars that a function value takes and gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionSignature {
    pub parameters: Vec<ScalarType>,
    pub result: ScalarType,
}

/// An LLVM parameter. Each takes one 64-bit word of a packed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Pointer,
    Integer(u32),
    F16,
    Bf16,
    F32,
    F64,
    Other,
}

impl Signature {
    /// Of the function values that the body takes, in order.
    pub fn functions(&self) -> impl Iterator<Item = &FunctionSignature> {
        self.parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Function(signature) => Some(signature),
                Parameter::Scalar(_)
                | Parameter::Operand(..)
                | Parameter::Result(..)
                | Parameter::Status
                | Parameter::Threads => None,
            })
    }

    /// Compares with the function as compiled: what is checked of a call is true of the code.
    pub(crate) fn check(&self, function: FunctionType<'_>) -> Result<(), CodegenError> {
        let declared: Vec<Word> = self.parameters.iter().flat_map(Parameter::words).collect();
        let compiled: Vec<Word> = function
            .get_param_types()
            .into_iter()
            .map(Word::of)
            .collect();
        let result = function.get_return_type();
        if result.is_none() && !function.is_var_arg() && declared == compiled {
            return Ok(());
        }
        Err(CodegenError::Signature {
            symbol: self.symbol.clone(),
            reason: format!("{self} was declared, the module has {function}"),
        })
    }
}

impl Parameter {
    /// How many LLVM parameters it is, each of which takes one word of a packed call.
    pub fn word_count(&self) -> usize {
        match self {
            Parameter::Scalar(_) => 1,
            Parameter::Operand(_, shape) | Parameter::Result(_, shape) => 3 + 2 * shape.len(),
            Parameter::Status => 3,
            Parameter::Function(_) | Parameter::Threads => 2,
        }
    }

    fn words(&self) -> Vec<Word> {
        match self {
            Parameter::Scalar(scalar) => vec![Word::of_scalar(*scalar)],
            Parameter::Function(_) | Parameter::Threads => vec![Word::Pointer; 2],
            Parameter::Operand(..) | Parameter::Result(..) | Parameter::Status => {
                let mut words = vec![Word::Integer(64); self.word_count()];
                words[..2].fill(Word::Pointer);
                words
            }
        }
    }
}

impl Word {
    fn of(ty: BasicMetadataTypeEnum<'_>) -> Word {
        match ty {
            BasicMetadataTypeEnum::PointerType(_) => Word::Pointer,
            BasicMetadataTypeEnum::IntType(ty) => Word::Integer(ty.get_bit_width()),
            BasicMetadataTypeEnum::FloatType(ty) => {
                let context = ty.get_context();
                let floats = [
                    (context.f16_type(), Word::F16),
                    (context.bf16_type(), Word::Bf16),
                    (context.f32_type(), Word::F32),
                    (context.f64_type(), Word::F64),
                ];
                let found = floats.into_iter().find(|&(float, _)| float == ty);
                found.map_or(Word::Other, |(_, word)| word)
            }
            BasicMetadataTypeEnum::ArrayType(_)
            | BasicMetadataTypeEnum::StructType(_)
            | BasicMetadataTypeEnum::VectorType(_)
            | BasicMetadataTypeEnum::ScalableVectorType(_)
            | BasicMetadataTypeEnum::MetadataType(_) => Word::Other,
        }
    }

    fn of_scalar(scalar: ScalarType) -> Word {
        match scalar {
            ScalarType::F16 => Word::F16,
            ScalarType::Bf16 => Word::Bf16,
            ScalarType::F32 => Word::F32,
            ScalarType::F64 => Word::F64,
            ScalarType::Bool => Word::Integer(1),
            ScalarType::I8
            | ScalarType::I16
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::U8
            | ScalarType::U16
            | ScalarType::U32
            | ScalarType::U64
            | ScalarType::Char => Word::Integer(scalar.bytes() as u32 * 8),
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<String> = self.parameters.iter().map(Parameter::to_string).collect();
        write!(f, "({})", parameters.join(", "))
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Scalar(scalar) => scalar.fmt(f),
            Parameter::Operand(scalar, shape) => write!(f, "a Tensor<{scalar}, {shape:?}> to read"),
            Parameter::Result(scalar, shape) => write!(f, "a Tensor<{scalar}, {shape:?}> to write"),
            Parameter::Status => f.write_str("the status word"),
            Parameter::Function(signature) => write!(f, "a function {signature}"),
            Parameter::Threads => f.write_str("the threads"),
        }
    }
}

impl fmt::Display for FunctionSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.parameters.iter().map(|scalar| scalar.name()).collect();
        write!(f, "({}) -> {}", names.join(", "), self.result)
    }
}
