const DECIMAL = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i

/** Tells whether a typed number can be sent as one, by the rules of `core/json/exact-number.ts`. */
export function isExact(text: string): boolean {
  const value = Number(text)
  if (!DECIMAL.test(text) || Number.isNaN(value)) return true
  if (/^[-+]?\d+$/.test(text)) return Number.isSafeInteger(value)
  return Number.isFinite(value) && (digitsOf(text) === '' || digitsOf(text) === digitsOf(value.toExponential()))
}

/** The digits between the first and the last that is not zero, from the last to the first of them. */
function digitsOf(text: string): string {
  const [mantissa = ''] = text.toLowerCase().split('e')
  return withoutZeros(withoutZeros(mantissa.replace(/\D/g, '')))
}

/** Without its zeros in front, and turned round. */
function withoutZeros(digits: string): string {
  return Array.from(digits.replace(/^0+/, '')).reverse().join('')
}
