import { describe, expect, test } from 'vitest'
import { GATE_TRANSITIONS } from '#core/gate/types.ts'
import {
  ACTIVE_STATUSES,
  hasEnded,
  RUN_STATUSES,
  RUN_TRANSITIONS,
  STEP_STATES,
  STEP_TRANSITIONS,
  TERMINAL_STATUSES,
} from '#core/run/status.ts'
import { type Transitions, transitionsOf } from '#core/transitions.ts'
import { readFolders } from '../../house/sources.ts'

const TABLES: Record<string, Transitions<string, never>> = {
  runs: RUN_TRANSITIONS,
  steps: STEP_TRANSITIONS,
  gates: GATE_TRANSITIONS,
}

/** Every state that can follow, sooner or later. */
function reach(table: Transitions<string, never>, from: string): Set<string> {
  const found = new Set<string>()
  for (const queue = [from]; queue.length > 0; ) {
    for (const to of Object.keys(table[queue.pop() ?? ''] ?? {})) {
      if (!found.has(to)) queue.push(to)
      found.add(to)
    }
  }
  return found
}

describe.each(Object.entries(TABLES))('the life of %s', (_name, table) => {
  const [start = '', ...states] = Object.keys(table)
  const isFinal = (state: string) => Object.keys(table[state] ?? {}).length === 0

  test('begins once and reaches every state', () => {
    expect([...reach(table, start)].sort()).toEqual(states.sort())
  })

  test('can end, wherever it stands', () => {
    for (const state of states) expect(isFinal(state) || [...reach(table, state)].some(isFinal), state).toBe(true)
  })

  test('is moved by functions that there are', () => {
    const code = readFolders(['core', 'activities', 'services']).map(({ text }) => text)
    const movers = new Set(transitionsOf(table).flatMap(({ by }) => by))
    const known = [...movers].filter((name) =>
      code.some((text) => new RegExp(`(export (async )?|return async )function ${name}\\b`).test(text)),
    )
    expect([...movers]).toEqual(known)
  })
})

test('the last statuses of the list are the terminal ones, as the description of the API says', () => {
  expect(RUN_STATUSES.slice(-TERMINAL_STATUSES.length)).toEqual(TERMINAL_STATUSES)
})

test('a run is active until nothing leaves its status, and a step has ended when nothing leaves its state', () => {
  expect(ACTIVE_STATUSES).toEqual(['queued', 'running', 'awaiting_approval', 'cancelling'])
  expect(TERMINAL_STATUSES).toEqual(['succeeded', 'failed', 'rejected', 'cancelled', 'expired'])
  expect(STEP_STATES.filter(hasEnded)).toEqual(['succeeded', 'failed', 'skipped', 'cancelled', 'expired'])
})
