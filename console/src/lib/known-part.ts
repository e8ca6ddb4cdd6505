import { readSearch } from './read-search.ts'

const NAMES = ['part', 'name', 'create'] as const
export type PartSearch = Partial<Record<(typeof NAMES)[number], string>>

/** Which part of a page is looked at, which thing of it, or that a new one is written. */
export const readPartSearch = (given: Record<string, unknown>): PartSearch => readSearch(NAMES, given)

/** The part of a page that an address names; the first where it names none that there is. */
export function knownPart<Part extends string>({ part }: PartSearch, parts: readonly [Part, ...Part[]]): Part {
  return parts.find((each) => each === part) ?? parts[0]
}
