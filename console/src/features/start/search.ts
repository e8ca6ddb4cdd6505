export interface StartSearch {
  q?: string
}

/** What the address says; anything else in it is none of this page's. */
export function readStartSearch(search: Record<string, unknown>): StartSearch {
  const { q } = search
  return typeof q === 'string' && q !== '' ? { q } : {}
}
