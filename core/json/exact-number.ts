const ZERO = 48
/** No double is written with more digits. */
const MAX_WRITTEN = 17
const EXPONENT = /[eE]/
const INTEGER = /^[-+]?\d+$/

/**
 * Tells whether a decimal literal keeps its value as a number: an integer within ±(2^53 − 1), or a decimal whose double is written as the
 * same value. Beyond 2^53 neighbouring integers are indistinguishable.
 */
export function isExact(literal: string): boolean {
  const value = Number(literal)
  const written = String(value)
  if (written === literal) return !INTEGER.test(literal) || Number.isSafeInteger(value)
  if (!Number.isFinite(value) || INTEGER.test(literal)) return Number.isSafeInteger(value)
  return sameDecimal(literal, written)
}

function sameDecimal(literal: string, written: string): boolean {
  const given = decimalOf(literal)
  if (given.digits.length > MAX_WRITTEN) return false
  const { digits, exponent } = decimalOf(written)
  return given.digits === digits && (digits === '' || given.exponent === exponent)
}

/** The value as digits without zeros at their ends, times a power of ten; without its sign, which a double always keeps. */
function decimalOf(literal: string): { digits: string; exponent: number } {
  const mark = literal.search(EXPONENT)
  const mantissa = mark === -1 ? literal : literal.slice(0, mark)
  const dot = mantissa.indexOf('.')
  const digits = (dot === -1 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1)).replace(/^[-+]/, '')
  let [start, end] = [0, digits.length]
  while (digits.charCodeAt(start) === ZERO) start += 1
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end -= 1
  const power = mark === -1 ? 0 : Number(literal.slice(mark + 1))
  const fraction = dot === -1 ? 0 : mantissa.length - dot - 1
  return { digits: digits.slice(start, end), exponent: power - fraction + digits.length - end }
}
