; Conversions between f32 and f16, rounded to nearest even: what LLVM calls on a processor without instructions for
; them, and what the libraries of older C compilers lack. The conversions themselves use integers, and floats only
; where these are exact or round as wanted.

define hidden float @__extendhfsf2(half %half) {
  %bits16 = bitcast half %half to i16
  %bits = zext i16 %bits16 to i32
  %sign16 = and i32 %bits, 32768
  %sign = shl i32 %sign16, 16
  %magnitude = and i32 %bits, 32767
  %shifted = shl i32 %magnitude, 13
  %normal = add i32 %shifted, 939524096              ; 112 << 23, between the exponents' biases
  %special = or i32 %shifted, 2139095040             ; an exponent of all ones
  %count = uitofp i32 %magnitude to float
  %tiny = fmul float %count, 0x3E70000000000000      ; 2^-24, what a subnormal counts
  %subnormal = bitcast float %tiny to i32
  %is_special = icmp uge i32 %magnitude, 31744
  %is_subnormal = icmp ult i32 %magnitude, 1024
  %large = select i1 %is_special, i32 %special, i32 %normal
  %value = select i1 %is_subnormal, i32 %subnormal, i32 %large
  %all = or i32 %value, %sign
  %result = bitcast i32 %all to float
  ret float %result
}

define hidden half @__truncsfhf2(float %float) {
  %bits = bitcast float %float to i32
  %sign32 = lshr i32 %bits, 16
  %sign = and i32 %sign32, 32768
  %magnitude = and i32 %bits, 2147483647
  %rebiased = sub i32 %magnitude, 939524096          ; 112 << 23
  %last = lshr i32 %magnitude, 13
  %odd = and i32 %last, 1
  %half_less = add i32 %rebiased, 4095
  %rounded = add i32 %half_less, %odd
  %normal = lshr i32 %rounded, 13                    ; a carry into the exponent is right, up to infinity
  %small = bitcast i32 %magnitude to float
  %added = fadd float %small, 5.000000e-01           ; whose last bit counts 2^-24, as a subnormal's
  %added_bits = bitcast float %added to i32
  %subnormal = sub i32 %added_bits, 1056964608       ; the bits of 0.5
  %is_nan = icmp ugt i32 %magnitude, 2139095040
  %is_large = icmp uge i32 %magnitude, 1199570944    ; 2^16
  %is_subnormal = icmp ult i32 %magnitude, 947912704 ; 2^-14
  %finite = select i1 %is_subnormal, i32 %subnormal, i32 %normal
  %number = select i1 %is_large, i32 31744, i32 %finite
  %value = select i1 %is_nan, i32 32256, i32 %number
  %all = or i32 %value, %sign
  %result16 = trunc i32 %all to i16
  %result = bitcast i16 %result16 to half
  ret half %result
}
