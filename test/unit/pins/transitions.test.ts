import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GATE_TRANSITIONS } from '#core/gate/types.ts'
import { PIPELINE_STEP_TRANSITIONS, PIPELINE_TRANSITIONS } from '#core/pipeline/transitions.ts'
import { RUN_TRANSITIONS, STEP_TRANSITIONS } from '#core/run/status.ts'
import { type Transitions, transitionsOf } from '#core/transitions.ts'
import { transitionsSql } from '#store/sql/transitions-sql.ts'
import { expectWritten } from './pin.ts'

const PAGE = new URL('../../../docs/states.md', import.meta.url)
const SECTION = /(<!-- transitions[^\n]*-->\n)([\s\S]*?)(<!-- \/transitions -->)/

test('docs/states.md shows the tables of transitions', () => {
  const page = readFileSync(PAGE, 'utf8')
  const shown = [
    tableOf('run', RUN_TRANSITIONS),
    tableOf('step', STEP_TRANSITIONS),
    tableOf('gate', GATE_TRANSITIONS),
    tableOf('pipeline', PIPELINE_TRANSITIONS),
    tableOf('step of a pipeline', PIPELINE_STEP_TRANSITIONS),
  ].join('\n')

  if (process.env['UPDATE_PINS'] === '1')
    writeFileSync(
      PAGE,
      page.replace(SECTION, (_all, start: string, _old, end: string) => `${start}${shown}${end}`),
    )
  const [, , section] = SECTION.exec(readFileSync(PAGE, 'utf8')) ?? []
  expect(section, 'docs/states.md shows other tables. If that is on purpose, run: npm run pins').toBe(shown)
})

test('the functions of the database know the tables of transitions', () => {
  const head =
    '-- The tables of transitions, as the triggers of runs, steps, gates and pipelines ask them. Written by npm run pins from core/run, core/gate and core/pipeline.\n'
  expectWritten('store/functions/transitions.sql', `${head}${transitionsSql()}\n`)
})

function tableOf(what: string, table: Transitions<string, never>): string {
  const nameOf = (state: string) => (state === 'none' ? 'not there yet' : `\`${state}\``)
  const waysFrom = (from: string) =>
    transitionsOf({ [from]: table[from] ?? {} }).map(
      ({ to, by }) => `\`${to}\` by ${by.map((name) => `\`${name}\``).join(' or ')}`,
    )
  const states = Object.keys(table)
  const last = states.filter((state) => waysFrom(state).length === 0)
  const rows = states
    .filter((state) => !last.includes(state))
    .map((state) => `| ${nameOf(state)} | ${waysFrom(state).join('; ')} |`)
  const end = `| ${last.map(nameOf).join(', ')} | nothing more |`
  return [`| a ${what} that is | becomes |`, '|---|---|', ...rows, end, ''].join('\n')
}
