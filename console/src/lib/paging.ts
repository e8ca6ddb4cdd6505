/** Where a list goes on, and how long it is: exactly, or at least. */
export function pagingOf(headers: Headers) {
  return {
    next: cursorOf(headers),
    total: headers.get('x-total-count') ?? undefined,
    at_least: headers.get('x-total-at-least') ?? undefined,
  }
}

/** Where the next page of a list begins; undefined at its end. */
export function cursorOf(headers: Headers): string | undefined {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1]
  if (next === undefined) return undefined
  return new URLSearchParams(next.slice(next.indexOf('?'))).get('cursor') ?? undefined
}
