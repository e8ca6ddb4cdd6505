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

const NAMES = ['part', 'name', 'create'] as const
type PartSearch = Partial<Record<(typeof NAMES)[number], string>>

/** Which part of a page is looked at, which thing of it, or that a new one is written. */
export const readPartSearch = (given: Record<string, unknown>): PartSearch => readSearch(NAMES, given)

/** The part of a page that an address names; the first where it names none that there is. */
export function knownPart<Part extends string>({ part }: PartSearch, parts: readonly [Part, ...Part[]]): Part {
  return parts.find((each) => each === part) ?? parts[0]
}
