const DECIMAL = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i
const SURE_DIGITS = 15
const LEAST_NORMAL = 2.3e-308

/** Whether a number that is typed can be sent as one: with up to fifteen digits, or an integer within 2^53, nothing is rounded. */
export function isExact(text: string): boolean {
  const value = Number(text)
  if (!DECIMAL.test(text) || Number.isNaN(value)) return true
  if (/^[-+]?\d+$/.test(text)) return Number.isSafeInteger(value)
  const [mantissa = ''] = text.toLowerCase().split('e')
  const digits = withoutZeros(withoutZeros(mantissa.replace(/\D/g, '')))
  if (digits === '') return true
  return digits.length <= SURE_DIGITS && Number.isFinite(value) && Math.abs(value) > LEAST_NORMAL
}

/** Without its zeros in front, and turned round. */
function withoutZeros(digits: string): string {
  return Array.from(digits.replace(/^0+/, '')).reverse().join('')
}
