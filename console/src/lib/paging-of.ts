import { cursorOf } from './cursor-of.ts'

/** Where a list goes on, and how long it is: exactly, or at least. */
export function pagingOf(headers: Headers) {
  return {
    next: cursorOf(headers),
    total: headers.get('x-total-count') ?? undefined,
    at_least: headers.get('x-total-at-least') ?? undefined,
  }
}
