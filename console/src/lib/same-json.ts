import { hashKey } from '@tanstack/react-query'

/** Tells whether two values are the same JSON: the order of keys, and a key without a value, make no difference. */
export function sameJson(one: object, other: object): boolean {
  return hashKey([one]) === hashKey([other])
}
