import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'

const PINS = new URL('../../pins/', import.meta.url)

/** Compares what others see of the product with the file that was reviewed; `npm run pins` writes it anew. */
export function expectPinned(name: string, seen: string): void {
  const file = new URL(name, PINS)
  if (process.env['UPDATE_PINS'] === '1') writeFileSync(file, seen)
  const pinned = existsSync(file) ? readFileSync(file, 'utf8') : ''
  expect(seen, `test/pins/${name} is another. If that is on purpose, run: npm run pins`).toBe(pinned)
}

export const pinnedFiles = () => readdirSync(PINS).sort()
