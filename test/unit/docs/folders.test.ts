import { existsSync, readdirSync } from 'node:fs'
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

test('the README names each folder that it leads through', () => {
  const table = textOf('README.md').split('## Where things are')[1]?.split('\n\n')[1] ?? ''
  const named = [...table.matchAll(/`([a-z]+)`/g)].map(([, name]) => name)
  expect(named.sort()).toEqual(FOLDERS.filter((folder) => !folder.startsWith('.')).sort())
})

test('the changelog says up to which migration an upgrade runs', () => {
  const last = readdirSync(join(ROOT, 'store/migrations'))
    .filter((name) => /^\d{4}_/.test(name))
    .sort()
    .at(-1)
  expect(textOf('CHANGELOG.md')).toContain(`Migrations up to ${last?.slice(0, 4)} run`)
})
