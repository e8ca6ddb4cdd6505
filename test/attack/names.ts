import { readFileSync } from 'node:fs'
import { createLaneActivities, createLedgerActivities } from '#activities/index.ts'
import * as contract from '#core/contract.ts'

/** A stand-in for whatever a factory is given: nothing is ever called, only the names that it registers are read. */
const anything: never = new Proxy(() => anything, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything,
}) as never

const exported: readonly unknown[] = Object.values(contract)
const strings = exported.filter((value): value is string => typeof value === 'string')
const bundle = readFileSync(new URL('../../workflows/index.ts', import.meta.url), 'utf8')

/** The names under which our workers answer, read where they are given, so that a renamed door is still tried. */
export const QUEUES: readonly string[] = [...contract.LANES, contract.LEDGER_QUEUE]
export const RUN_TYPE: string = contract.RUN_WORKFLOW
export const TYPES: readonly string[] = [...bundle.matchAll(/\b(\w+V\d+)\b/g)].map((match) => match[1] ?? '')
export const MESSAGES: readonly string[] = strings.filter((name) => /^[a-z]+\.[a-z_]+$/.test(name))
export const LANE_ACTIVITIES: readonly string[] = Object.keys(createLaneActivities(anything))
export const LEDGER_ACTIVITIES: readonly string[] = Object.keys(createLedgerActivities(anything))
/** of the workers for notices and schedules, which have factories with more needs */
export const OTHER_ACTIVITIES: readonly string[] = ['planNotice', 'announceGate', 'fireSchedule']
/** activities whose very purpose is to end a run */
export const ENDS_RUNS = /close|cancel|fail|end/i
