//! bf16 moves as its 16 bits.

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::types::BasicType;
use inkwell::values::{
    AnyValue, AnyValueEnum, BasicValue, BasicValueEnum, FloatValue, FunctionValue,
    InstructionOpcode, InstructionValue, IntValue, Operand, PhiValue, PointerValue,
};

/// Loads, stores, selections and merges of control flow work on a `bfloat`'s bits as an integer.
/// LLVM's code generator would pass a `bfloat` from block to block through an `f32` and round it
/// again, which is a call of the C compiler's library, or an instruction that flushes subnormals.
pub(crate) fn move_bfloats_as_bits(module: &Module<'_>) -> Result<(), BuilderError> {
    let context = module.get_context();
    for function in module.get_functions() {
        let bits = Bits {
            context,
            builder: context.create_builder(),
            known: HashMap::new(),
        };
        bits.rewrite(function)?;
    }
    Ok(())
}

struct Bits<'l> {
    context: ContextRef<'l>,
    builder: Builder<'l>,
    /// The bits of the values seen so far.
    known: HashMap<FloatValue<'l>, IntValue<'l>>,
}

impl<'l> Bits<'l> {
    fn rewrite(mut self, function: FunctionValue<'l>) -> Result<(), BuilderError> {
        let mut replaced = Vec::new();
        let mut merges = Vec::new();
        for block in function.get_basic_block_iter() {
            self.merges(block, &mut merges)?;
        }
        let blocks = function.get_basic_block_iter();
        let all: Vec<InstructionValue> =
            blocks.flat_map(|block| block.get_instructions()).collect();
        self.parameters(function)?;
        for &instruction in &all {
            if self.instruction(instruction)? {
                replaced.push(instruction);
            }
        }
        for (phi, merged) in merges {
            for (value, block) in phi.get_incomings() {
                let bits = self.leaving(value.into_float_value(), block)?;
                merged.add_incoming(&[(&bits, block)]);
            }
            phi.as_instruction().erase_from_basic_block();
        }
        // What only the others used goes once they have gone.
        for instruction in replaced.into_iter().rev() {
            if instruction.get_first_use().is_none() {
                instruction.erase_from_basic_block();
            }
        }
        Ok(())
    }

    /// Takes the bits of each parameter where the function begins.
    fn parameters(&mut self, function: FunctionValue<'l>) -> Result<(), BuilderError> {
        let entry = function.get_first_basic_block();
        let Some(first) = entry.and_then(|entry| entry.get_first_instruction()) else {
            return Ok(());
        };
        for parameter in function.get_param_iter() {
            match parameter {
                BasicValueEnum::FloatValue(value)
                    if self.is_bfloat(value) && value.get_first_use().is_some() =>
                {
                    self.builder.position_before(&first);
                    let bits = self.through_memory(value, self.context.i16_type(), first)?;
                    self.known.insert(value, bits.into_int_value());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The value as another type of its size, by way of memory: LLVM's passes would move a cast to
    /// the block that uses it, or hand on what is cast. They leave a volatile load. `at` is where
    /// the builder stands.
    fn through_memory(
        &self,
        value: impl BasicValue<'l>,
        ty: impl BasicType<'l>,
        at: InstructionValue<'l>,
    ) -> Result<BasicValueEnum<'l>, BuilderError> {
        let function = at.get_parent().and_then(|block| block.get_parent());
        let entry = function.and_then(|function| function.get_first_basic_block());
        if let Some(first) = entry.and_then(|entry| entry.get_first_instruction()) {
            self.builder.position_before(&first);
        }
        let place = self.builder.build_alloca(self.context.i16_type(), "")?;
        self.builder.position_before(&at);
        self.builder.build_store(place, value)?;
        let loaded = self.builder.build_load(ty, place, "")?;
        if let Some(load) = loaded.as_instruction_value() {
            // It is one of the load that was built.
            let _ = load.set_volatile(true);
        }
        Ok(loaded)
    }

    /// Adds a merge of bits for each of a block's, whose uses then take it as a `bfloat`.
    fn merges(
        &mut self,
        block: BasicBlock<'l>,
        merges: &mut Vec<(PhiValue<'l>, PhiValue<'l>)>,
    ) -> Result<(), BuilderError> {
        let is_phi =
            |instruction: &InstructionValue| instruction.get_opcode() == InstructionOpcode::Phi;
        let phis: Vec<InstructionValue> = block.get_instructions().take_while(is_phi).collect();
        let Some(after) = block
            .get_instructions()
            .find(|instruction| !is_phi(instruction))
        else {
            return Ok(());
        };
        for instruction in phis {
            let (Some(old), Ok(phi)) = (self.bfloat(instruction), PhiValue::try_from(instruction))
            else {
                continue;
            };
            self.builder.position_before(&instruction);
            let merged = self.builder.build_phi(self.context.i16_type(), "")?;
            self.builder.position_before(&after);
            let bits = merged.as_basic_value();
            let cast = self
                .builder
                .build_bit_cast(bits, self.context.bf16_type(), "")?;
            old.replace_all_uses_with(cast.into_float_value());
            merges.push((phi, merged));
        }
        Ok(())
    }

    /// Does on bits what an instruction does; whether that is in its place now.
    fn instruction(&mut self, instruction: InstructionValue<'l>) -> Result<bool, BuilderError> {
        let float = self.bfloat(instruction);
        let opcode = instruction.get_opcode();
        self.builder.position_before(&instruction);
        let operand = |index| match instruction.get_operand(index) {
            Some(Operand::Value(value)) => Some(value),
            Some(Operand::Block(_)) | None => None,
        };
        match (opcode, float, operand(0)) {
            (InstructionOpcode::Load, Some(old), Some(BasicValueEnum::PointerValue(from))) => {
                let bits = self.load(instruction, from)?;
                self.known.insert(old, bits);
                Ok(true)
            }
            (InstructionOpcode::Store, None, Some(BasicValueEnum::FloatValue(value)))
                if self.is_bfloat(value) =>
            {
                let bits = self.bits(value)?;
                instruction.set_operand(0, bits);
                Ok(false)
            }
            (InstructionOpcode::BitCast, Some(old), Some(BasicValueEnum::IntValue(bits))) => {
                self.known.insert(old, bits);
                Ok(true)
            }
            (InstructionOpcode::BitCast, None, Some(BasicValueEnum::FloatValue(value)))
                if self.is_bfloat(value) =>
            {
                let bits = self.bits(value)?;
                if let AnyValueEnum::IntValue(old) = instruction.as_any_value_enum() {
                    old.replace_all_uses_with(bits);
                }
                Ok(true)
            }
            (InstructionOpcode::Select, Some(old), Some(BasicValueEnum::IntValue(condition))) => {
                let (
                    Some(BasicValueEnum::FloatValue(then)),
                    Some(BasicValueEnum::FloatValue(otherwise)),
                ) = (operand(1), operand(2))
                else {
                    return Ok(false);
                };
                let (then, otherwise) = (self.bits(then)?, self.bits(otherwise)?);
                let chosen = self.builder.build_select(condition, then, otherwise, "")?;
                self.known.insert(old, chosen.into_int_value());
                Ok(true)
            }
            // Of a function value.
            (InstructionOpcode::Call, answer, _) => {
                self.call(instruction, answer)?;
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Takes arguments from their bits, and the bits of the answer.
    fn call(
        &mut self,
        call: InstructionValue<'l>,
        answer: Option<FloatValue<'l>>,
    ) -> Result<(), BuilderError> {
        for index in 0..call.get_num_operands() {
            let Some(Operand::Value(BasicValueEnum::FloatValue(argument))) =
                call.get_operand(index)
            else {
                continue;
            };
            if self.is_bfloat(argument) {
                self.builder.position_before(&call);
                let bits = self.bits(argument)?;
                let argument = self.through_memory(bits, self.context.bf16_type(), call)?;
                call.set_operand(index, argument);
            }
        }
        if let (Some(answer), Some(next)) = (answer, call.get_next_instruction()) {
            self.builder.position_before(&next);
            let bits = self.through_memory(answer, self.context.i16_type(), next)?;
            self.known.insert(answer, bits.into_int_value());
        }
        Ok(())
    }

    fn load(
        &self,
        instruction: InstructionValue<'l>,
        from: PointerValue<'l>,
    ) -> Result<IntValue<'l>, BuilderError> {
        let loaded = self.builder.build_load(self.context.i16_type(), from, "")?;
        if let (Some(load), Ok(alignment)) =
            (loaded.as_instruction_value(), instruction.get_alignment())
        {
            // It is one of the load that is replaced.
            let _ = load.set_alignment(alignment);
        }
        Ok(loaded.into_int_value())
    }

    /// The bits of a value, where the builder stands.
    fn bits(&self, value: FloatValue<'l>) -> Result<IntValue<'l>, BuilderError> {
        if let Some(&bits) = self.known.get(&value) {
            return Ok(bits);
        }
        let ty = self.context.i16_type();
        let cast = self.builder.build_bit_cast(value, ty, "")?;
        Ok(cast.into_int_value())
    }

    /// The bits of a value at the end of a block.
    fn leaving(
        &self,
        value: FloatValue<'l>,
        block: BasicBlock<'l>,
    ) -> Result<IntValue<'l>, BuilderError> {
        match block.get_terminator() {
            Some(terminator) => self.builder.position_before(&terminator),
            None => self.builder.position_at_end(block),
        }
        self.bits(value)
    }

    /// The instruction as a value, if it is a `bfloat`.
    fn bfloat(&self, instruction: InstructionValue<'l>) -> Option<FloatValue<'l>> {
        let value = match instruction.as_any_value_enum() {
            AnyValueEnum::FloatValue(value) => value,
            AnyValueEnum::PhiValue(phi) => match phi.as_basic_value() {
                BasicValueEnum::FloatValue(value) => value,
                _ => return None,
            },
            _ => return None,
        };
        self.is_bfloat(value).then_some(value)
    }

    fn is_bfloat(&self, value: FloatValue<'l>) -> bool {
        value.get_type() == self.context.bf16_type()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::context::Context;
    use inkwell::memory_buffer::MemoryBuffer;

    #[test]
    fn no_block_hands_a_bfloat_on() {
        let text = c"
define void @f(i1 %c, bfloat %x, bfloat %y, ptr %code, ptr %a, ptr %r) {
entry:
  %answer = call bfloat %code()
  br label %head
head:
  %v = phi bfloat [ %x, %entry ], [ %next, %head ]
  store bfloat %y, ptr %a, align 2
  store bfloat %answer, ptr %r, align 2
  %old = load bfloat, ptr %a, align 2
  %bits = bitcast bfloat %v to i16
  %sign = xor i16 %bits, -32768
  %turned = bitcast i16 %sign to bfloat
  %either = select i1 %c, bfloat %old, bfloat %turned
  %next = select i1 %c, bfloat %either, bfloat 0xR3F80
  store bfloat %next, ptr %r, align 2
  br i1 %c, label %head, label %done
done:
  ret void
}";
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range(text.to_bytes(), "test");
        let module = context.create_module_from_ir(buffer).unwrap();
        move_bfloats_as_bits(&module).unwrap();
        module.verify().unwrap();
        let text = module.print_to_string().to_string_lossy().into_owned();
        let left: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("bfloat"))
            .collect();
        let expected = [
            "define ",
            "store bfloat %x",
            "store bfloat %y",
            "call ",
            "store bfloat %answer",
        ];
        assert_eq!(left.len(), expected.len(), "{text}");
        for (line, part) in left.iter().zip(expected) {
            assert!(line.contains(part), "{text}");
        }
        let (entry, _) = text.split_once("head:").unwrap();
        assert_eq!(entry.matches("load volatile i16").count(), 3, "{text}");
        assert!(
            text.contains("phi i16") && text.contains("i16 16256"),
            "{text}"
        );
    }
}
