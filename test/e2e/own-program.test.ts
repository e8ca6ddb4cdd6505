import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { docBlocks } from '#test/support/doc-blocks.ts'
import { type DocShell, startDocShell } from '#test/support/doc-shell.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'

const IS_ROOT = process.getuid?.() === 0

let page: DocShell
beforeAll(async () => {
  page = await startDocShell()
})
afterAll(() => page.stop())

/** The lines of the files that the page writes. */
function linesOf(name: RegExp): number {
  const files = docBlocks('own-program', 'sh').flatMap((block) =>
    Array.from(block.matchAll(/^cat > (\S+) <<'?EOF'?\n([\s\S]*?)^EOF$/gm), ([, path = '', text = '']) => ({
      path,
      text,
    })),
  )
  const found = files.filter(({ path }) => name.test(path))
  expect(found).not.toEqual([])
  return found.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0)
}

test('a pack with a program of your own is short', () => {
  expect(linesOf(/\.yaml$|SKILL\.md$/)).toBeLessThan(60)
  expect(linesOf(/svc-programs/)).toBeLessThan(40)
})

test('every command of the page does what it says', { timeout: 600_000, ...needs('python3') }, async () => {
  const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : programOf('python3').command
  const printed = await page.follow('own-program', {
    change: (block) =>
      block
        .replace('#!/usr/bin/python3', `#!${python}`)
        .replace(/^( +)limits: .*$/m, (line, indent) => (IS_ROOT ? `${line}\n${indent}user: root` : line)),
  })
  for (const line of [
    '2 passed, 0 failed',
    /disks\/disks-weekly +starts disks\/forecast by the clock/,
    /run run_\w+ succeeded/,
    /day 1 of 14/,
    /day 14 of 14/,
    /"days_left":\s*7/,
    /forecast\/forecast\.csv/,
    /chain ok: \d+ records/,
  ])
    expect(printed).toMatch(line)
  const reported = await page.reported()
  expect(reported, reported.join('\n')).toEqual([])
})
