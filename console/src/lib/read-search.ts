/** Reads the filters in an address. Unknown values are left out rather than refused. */
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

/** The search of a page alone; the workspace belongs to every address. */
export const ownSearch = <Search extends { workspace?: string }>({ workspace: _common, ...own }: Search) => own

const NAMES = ['part', 'name', 'create'] as const
type PartSearch = Partial<Record<(typeof NAMES)[number], string>>

/** Reads the part of a page that is open, the selected item, or that a new one is written. */
export const readPartSearch = (given: Record<string, unknown>): PartSearch => readSearch(NAMES, given)

/** The part of a page that an address names; the first where it names none that there is. */
export function knownPart<Part extends string>({ part }: PartSearch, parts: readonly [Part, ...Part[]]): Part {
  return parts.find((each) => each === part) ?? parts[0]
}
