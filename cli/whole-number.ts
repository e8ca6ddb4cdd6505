import { InvalidArgumentError } from 'commander'

/** The number that an option takes. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1')
  return value
}
