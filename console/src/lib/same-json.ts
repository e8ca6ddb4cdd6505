import canonicalize from 'canonicalize'

/** Whether two values are the same JSON: the order of keys, and a key without a value, make no difference. */
export function sameJson(one: object, other: object): boolean {
  return canonicalize(one) === canonicalize(other)
}
