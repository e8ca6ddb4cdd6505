import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { PAGES, proseOf, ROOT } from './pages.ts'

/** The names that a page's headings have in an address. */
function headingsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function isBroken(page: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(ROOT, file))) return true
  return heading !== undefined && !headingsOf(file).includes(heading)
}

test.each(PAGES)('every link of %s leads to a file and a heading that there are', (page) => {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const ours = targets.filter((target) => !/^[a-z]+:/.test(target))
  expect(ours.filter((target) => isBroken(page, target))).toEqual([])
})
