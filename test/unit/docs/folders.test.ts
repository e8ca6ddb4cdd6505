import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FOLDERS, ROOT, textOf } from './pages.ts'

test.each(FOLDERS)('%s says in at most 40 lines what lives there and how to add to it', (folder) => {
  expect(
    existsSync(join(ROOT, folder, 'README.md')),
    `write ${folder}/README.md: what lives there, what it may import, how to add one`,
  ).toBe(true)
  const text = textOf(`${folder}/README.md`)
  expect(text.startsWith(`# ${folder}\n`)).toBe(true)
  expect(text.split('\n').length).toBeLessThanOrEqual(40)
})
