import { afterEach, expect, it } from 'vitest'
import {
  type ConsoleSettings,
  createConsoleSettings,
  type SettingRow,
} from '#platform/environments/console-settings.ts'

let settings: ConsoleSettings | undefined
afterEach(() => settings?.close())

function open(load: () => Promise<SettingRow[]>) {
  const seen = { changes: 0, failures: 0 }
  settings = createConsoleSettings(
    { load: async () => ({ environments: await load(), profiles: [] }), poll_ms: 3_600_000 },
    { change: () => (seen.changes += 1), failure: () => (seen.failures += 1) },
  )
  return { settings, seen }
}

const row = (text: string): SettingRow => ({ name: 'live', document: `name: live\n${text}` })

it('keeps what was said while the store does not answer, and says so to the one who asked', async () => {
  let rows: SettingRow[] | undefined = [row('class: staging\n')]
  const opened = open(async () => rows ?? Promise.reject(new Error('away')))
  await opened.settings.reload()
  rows = undefined
  await expect(opened.settings.reload()).rejects.toThrow('away')
  expect(opened.settings.environments().values.get('live')).toMatchObject({ class: 'staging' })
  rows = []
  await opened.settings.reload()
  expect(opened.settings.environments().values.size).toBe(0)
  expect(opened.seen.changes).toBe(2)
})

it('keeps what was said of what cannot be read any more, and shuts what it never could', async () => {
  let rows = [row('class: staging\n')]
  const first = open(async () => rows)
  await first.settings.reload()
  rows = [row('future: yes\n')]
  await first.settings.reload()
  expect(first.settings.environments().values.get('live')).toMatchObject({ class: 'staging' })
  first.settings.close()
  const next = open(async () => rows)
  await next.settings.reload()
  expect([...next.settings.environments().shut]).toEqual(['live'])
})

it('has what was written before the question, however slow an earlier answer is', async () => {
  let rows = [row('class: staging\n')]
  let release: () => void = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  let asked = 0
  const { settings: followed } = open(async () => {
    asked += 1
    const known = rows
    if (asked === 1) await slow
    return known
  })
  const earlier = followed.reload()
  rows = [row('class: sandbox\n')]
  const later = followed.reload()
  release()
  await Promise.all([earlier, later])
  expect(followed.environments().values.get('live')).toMatchObject({ class: 'sandbox' })
})
