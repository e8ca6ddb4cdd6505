import { readFileSync } from 'node:fs'
import {
  createPipelineActivities,
  createRemoteJobActivities,
  createScheduleActivities,
} from '#activities/claims/other-workflows.ts'
import { createLaneActivities, createLedgerActivities } from '#activities/index.ts'
import { createNoticeActivities } from '#activities/notify/index.ts'
import * as contract from '#core/contract.ts'
import { ClaimShapes } from '#core/gate/command-schema.ts'

/** A stand-in for whatever a factory is given: nothing is ever called, only the names that it registers are read. */
const anything: never = new Proxy(() => anything, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything,
}) as never

const exported: readonly unknown[] = Object.values(contract)
const strings = exported.filter((value): value is string => typeof value === 'string')
const bundle = readFileSync(new URL('../../workflows/index.ts', import.meta.url), 'utf8')

/** The names under which our workers answer, read where they are given, so that a renamed entry point is still tried. */
export const QUEUES: readonly string[] = [...contract.LANES, contract.LEDGER_QUEUE]
export const RUN_TYPE: string = contract.RUN_WORKFLOW
const types = [...bundle.matchAll(/\b(\w+V)(\d+)\b/g)]
export const TYPES: readonly string[] = types.map(([name]) => name)
/** the types before them, of which an engine may still hold workflows */
export const EARLIER_TYPES: readonly string[] = types.flatMap(([, name, version]) =>
  Number(version) > 1 ? [`${name}${Number(version) - 1}`] : [],
)
export const MESSAGES: readonly string[] = strings.filter((name) => /^[a-z]+\.[a-z_]+$/.test(name))
export const LANE_ACTIVITIES: readonly string[] = Object.keys(createLaneActivities(anything))
export const LEDGER_ACTIVITIES: readonly string[] = Object.keys(createLedgerActivities(anything))
/** of the workers for notices, schedules, pipelines and remote jobs, which have factories with more needs */
export const OTHER_ACTIVITIES: readonly string[] = [
  ...Object.keys(createNoticeActivities(anything)),
  ...Object.keys(createScheduleActivities(anything)),
  ...Object.keys(createPipelineActivities(anything)),
  ...Object.keys(createRemoteJobActivities(anything)),
]
/** activities whose very purpose is to end a run */
export const ENDS_RUNS = /close|cancel|fail|end/i
/** the fields that an activity takes, for forgeries that are not refused for their shape alone */
export const FIELDS: Record<string, readonly string[]> = Object.fromEntries(
  Object.entries(ClaimShapes).map(([name, shape]) => [name, Object.keys(shape.shape)]),
)
