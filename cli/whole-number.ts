import { InvalidArgumentError } from 'commander'

/**
 * Takes the number of an option, of `least` at least and `most` at most. Made for each option, because Commander hands a parser the value
 * before as well.
 */
export function wholeNumber(most: number = Number.MAX_SAFE_INTEGER, least = 1): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value
    const to = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`
    throw new InvalidArgumentError(`a whole number from ${least}${to}`)
  }
}
