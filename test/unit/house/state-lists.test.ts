import { expect, test } from 'vitest'
import { GATE_STATUSES } from '#core/gate/types.ts'
import { INBOX_STATUSES } from '#core/inbox/item.ts'
import { PIPELINE_ENDS, PIPELINE_STATUSES, PIPELINE_STEP_STATES } from '#core/pipeline/transitions.ts'
import {
  ACTIVE_STATUSES,
  hasEnded,
  RUN_STATUSES,
  STEP_STATES,
  STEP_TRANSITIONS,
  TERMINAL_STATUSES,
} from '#core/run/status.ts'
import { FIRE_OUTCOMES } from '#core/schedule/schema.ts'
import { transitionsOf } from '#core/transitions.ts'
import { REFUSED_OUTCOMES } from '#core/trigger/outcome.ts'
import { ROLE_NAMES } from '#core/user/schema.ts'
import { readFunctions } from '#store/read-sql.ts'
import { read, readFolders } from './sources.ts'

/** Every list of states, outcomes or roles that SQL may write out: SQL cannot derive them. */
const LISTS: Record<string, readonly string[]> = {
  'every run status': RUN_STATUSES,
  'a run that is active': ACTIVE_STATUSES,
  'a run that has ended': TERMINAL_STATUSES,
  'a run that people, or its deadline, stopped': TERMINAL_STATUSES.filter(
    (status) => status !== 'succeeded' && status !== 'failed',
  ),
  'a step that has a row': STEP_STATES.filter((state) => state !== 'pending'),
  'a step that has ended': STEP_STATES.filter(hasEnded),
  'a step that ends with its run': transitionsOf(STEP_TRANSITIONS).flatMap(({ from, by }) =>
    by.includes('closeRun') ? [from] : [],
  ),
  'every gate status': GATE_STATUSES,
  'every status of a pipeline': PIPELINE_STATUSES,
  'a pipeline that has ended': PIPELINE_ENDS,
  'every state of a step of a pipeline': PIPELINE_STEP_STATES,
  'every status of a run of a pipeline': ['starting', 'refused', ...RUN_STATUSES],
  'every status of a delivery': INBOX_STATUSES,
  'every end of a firing': FIRE_OUTCOMES,
  'a firing that is a run, or is to become one': ['claimed', 'waiting', 'started'],
  'every end of a skill’s firing': ['started', ...REFUSED_OUTCOMES, 'invalid', 'suppressed'],
  'every role': ROLE_NAMES,
  // held by test/store/standing.test.ts as well
  'roles that may start runs': ROLE_NAMES.filter((name) => !['viewer', 'approver', 'auditor'].includes(name)),
}
const WORDS = new Set(Object.values(LISTS).flat())
const text = (words: Iterable<string>) => [...new Set(words)].sort().join(', ')
const known = new Set(Object.values(LISTS).map(text))

/** Lists of at least three words of which every one is a state, an outcome or a role. */
function listsIn(source: string, separator: string, least: number): string[] {
  const list = new RegExp(`'\\w+'(?:::text)?(?:\\s*${separator}\\s*'\\w+'(?:::text)?)+`, 'g')
  return (source.match(list) ?? []).flatMap((found) => {
    const words = [...found.matchAll(/'(\w+)'/g)].map(([, word]) => word ?? '')
    return words.length >= least && words.every((word) => WORDS.has(word)) ? [text(words)] : []
  })
}

test('a list in SQL is one of those that the tables of transitions, outcomes and roles come to', () => {
  // what the tables of transitions wrote is compared with them by test/unit/pins/transitions.test.ts
  const queries = readFolders(['store']).filter(
    ({ path }) => !path.startsWith('store/migrations/') && path !== 'store/functions/transitions.sql',
  )
  const lists = [read('store/schema.sql'), ...queries.map(({ text }) => text)].flatMap((each) => listsIn(each, ',', 3))
  expect(lists.length).toBeGreaterThan(15)
  expect(lists.filter((list) => !known.has(list))).toEqual([])
})

test('every end of a run is told on the bus', () => {
  const bus = readFunctions().find(({ name }) => name === 'bus')?.text ?? ''
  const [, reported] = /is_on_bus\(p_type text\)[\s\S]*?(?:array\[|in \()([^\])]*)[\])]/i.exec(bus) ?? []
  for (const status of TERMINAL_STATUSES) expect(reported).toContain(`'run.${status}'`)
})

test('the code writes no list of states, outcomes or roles a second time', () => {
  const own = [
    ...['core/run/status.ts', 'core/gate/types.ts', 'core/inbox/item.ts', 'core/trigger/outcome.ts'],
    ...['core/schedule/schema.ts', 'core/pipeline/transitions.ts'],
  ]
  const folders = ['activities', 'api', 'cli', 'core', 'platform', 'services', 'workers', 'workflows']
  const twice = readFolders(folders)
    .filter(({ path }) => !own.includes(path))
    .flatMap((source) =>
      [',', '\\|'].flatMap((separator) => listsIn(source.text, separator, 4).map((list) => `${source.path}: ${list}`)),
    )
  expect(twice).toEqual([])
})
