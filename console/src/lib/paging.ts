/** Returns the next page of a list, and its length: exact, or at least. */
export function pagingOf(headers: Headers) {
  return {
    next: cursorOf(headers),
    total: headers.get('x-total-count') ?? undefined,
    at_least: headers.get('x-total-at-least') ?? undefined,
  }
}

/** Returns the cursor of a list's next page; undefined at its end. */
export function cursorOf(headers: Headers): string | undefined {
  const next = /<([^<>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1]
  if (next === undefined) return undefined
  return new URLSearchParams(next.slice(next.indexOf('?'))).get('cursor') ?? undefined
}
