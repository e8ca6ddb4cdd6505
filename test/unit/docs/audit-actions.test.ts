import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { AUDIT_ACTIONS } from '#client/audit-actions.ts'
import { CONFIG_KINDS } from '#core/config/types.ts'
import { GATE_STATUSES } from '#core/gate/types.ts'
import { TERMINAL_STATUSES } from '#core/run/status.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDERS = ['activities', 'api', 'cli', 'core', 'services', 'store/functions', 'workers']
/** `action: 'run.admitted'`, also as a type, in a condition or in SQL. */
const ACTION = /'?action'?(?::|,)[^\n]*?'([a-z_]+\.[a-z_]+)'(?:[^\n]*?: '([a-z_]+\.[a-z_]+)')?/g
/** `sinkDraft({ ids, clock }, 'sink.healed', …)` and `draft('sink.healed', …)` */
const SINK_ACTION = /'(sink\.[a-z_]+)'/g

/** The tables of what is on record, without what the rest of the page says about it. */
function catalogue(): string {
  const [, after = ''] = readFileSync(`${ROOT}docs/audit.md`, 'utf8').split('\n## What is on record\n')
  return after.split('\n## ')[0] ?? ''
}

test('every action that the code puts on record stands in the catalogue', () => {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ts|sql)$/.test(path))
      .map((path) => readFileSync(`${ROOT}${folder}/${path}`, 'utf8')),
  )
  const actions = new Set(
    sources.flatMap((text) =>
      [...text.matchAll(ACTION), ...text.matchAll(SINK_ACTION)].flatMap(([, one, other]) => [one, other]),
    ),
  )
  actions.delete(undefined)
  expect(actions).toContain('run.admitted')
  expect(actions).toContain('config.changed')
  expect(actions).toContain('sink.healed')
  const listed = catalogue()
  expect([...actions].filter((action) => !listed.includes(`\`${action}\``))).toEqual([])
})

test('every action of the catalogue has words, and so have the ends of runs and gates', () => {
  const names = catalogue()
    .split('\n')
    .flatMap((line) => [...(/^\| (.*?) \|/.exec(line)?.[1] ?? '').matchAll(/`([a-z_]+\.[a-z_]+)`/g)])
    .map(([, name = '']) => name)
  expect(names).toContain('connection.refresh_lost')
  const ends = TERMINAL_STATUSES.map((status) => `run.${status}`)
  ends.push(...GATE_STATUSES.filter((status) => status !== 'open').map((status) => `gate.${status}`))
  expect([...names, ...ends].filter((name) => AUDIT_ACTIONS[name] === undefined)).toEqual([])
})

test('every kind of file that protects stands in the catalogue', () => {
  const listed = catalogue()
  expect(CONFIG_KINDS.filter((kind) => !listed.includes(`\`${kind}\``))).toEqual([])
})
