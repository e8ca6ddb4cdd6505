export interface StartSearch {
  q?: string
}

/** Reads the known parameters of the address. */
export function readStartSearch(search: Record<string, unknown>): StartSearch {
  const { q } = search
  return typeof q === 'string' && q !== '' ? { q } : {}
}
