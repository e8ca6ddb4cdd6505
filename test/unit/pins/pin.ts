import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'

const ROOT = new URL('../../../', import.meta.url)
const PINS = new URL('test/pins/', ROOT)

/** Compares what others see of the product with the file that was reviewed; `npm run pins` rewrites it. */
export function expectPinned(name: string, seen: string): void {
  expectWritten(`test/pins/${name}`, seen)
}

/** The same for a file that stands elsewhere. */
export function expectWritten(path: string, seen: string): void {
  const file = new URL(path, ROOT)
  if (process.env['UPDATE_PINS'] === '1') writeFileSync(file, seen)
  const written = existsSync(file) ? readFileSync(file, 'utf8') : ''
  expect(seen, `${path} is another. If that is on purpose, run: npm run pins`).toBe(written)
}

export const pinnedFiles = () => readdirSync(PINS).sort()
