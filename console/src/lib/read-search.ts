/** The filters that stand in an address. What the API does not know is left out rather than refused. */
export function readSearch<Name extends string>(
  names: readonly Name[],
  given: Record<string, unknown>,
): Partial<Record<Name, string>> {
  const filters: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = given[name]
    if (typeof value === 'string' && value !== '') filters[name] = value
  }
  return filters
}
