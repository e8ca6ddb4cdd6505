import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { openChildLog } from '#platform/embedded/child-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-child-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  [
    { level: 40, msg: 'a notice was not delivered', channel: 'ops-hook', detail: 'hooks.example.test answered 500' },
    'a notice was not delivered: ops-hook: hooks.example.test answered 500',
  ],
  [
    {
      level: 40,
      msg: 'broken pack',
      pack: 'shop',
      problems: ['shop/pack.yaml:3:1: unknown key "titel"; did you mean title?'],
    },
    'broken pack: shop: shop/pack.yaml:3:1: unknown key "titel"; did you mean title?',
  ],
  [{ level: 50, msg: 'the drain failed', err: { message: 'away' } }, 'the drain failed: away'],
  [{ level: 30, msg: 'pack loaded', pack: 'shop' }, undefined],
])('a person reads what happened, to what, and why: %j', async (entry, line) => {
  const reported: string[] = []
  const log = openChildLog(
    join(folder, 'api.log'),
    (text) => reported.push(text),
    () => true,
  )
  const stream = Readable.from([`${JSON.stringify(entry)}\n`])
  log.follow(stream, 'json')
  await new Promise((resolve) => stream.once('close', resolve))
  await new Promise((resolve) => setImmediate(resolve))
  log.close()
  expect(reported).toEqual(line === undefined ? [] : [line])
})

test('a log that cannot be written is told once, and what matters is told all the same', async () => {
  const reported: string[] = []
  const log = openChildLog(
    join(folder, 'gone', 'api.log'),
    (text) => reported.push(text),
    () => true,
  )
  await expect.poll(() => reported).toEqual([expect.stringMatching(/^the log can no longer be written: ENOENT/)])
  const stream = Readable.from(['{"level":50,"msg":"one"}\n{"level":50,"msg":"two"}\n'])
  log.follow(stream, 'json')
  await expect.poll(() => reported.slice(1)).toEqual(['one', 'two'])
  log.close()
})
