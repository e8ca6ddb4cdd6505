import { InvalidArgumentError } from 'commander'

/** Takes the number of an option, of `most` at most. Made for each option, because Commander hands a parser the value before as well. */
export function wholeNumber(most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value
    throw new InvalidArgumentError(`a whole number from 1${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}`)
  }
}
