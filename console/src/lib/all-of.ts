/** All values of a kind that the API describes: one that it adds or drops fails the type check of whoever lists them. */
export function allOf<Value extends string>(values: Record<Value, true>): Value[] {
  return Object.keys(values) as Value[]
}
