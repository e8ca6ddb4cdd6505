import { beforeAll, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { AskToolContext } from '#services/ask/define-ask-tool.ts'
import { ASK_TOOLS } from '#services/ask/tools/index.ts'
import { createAskDb } from '#store/ask/ask-db.ts'
import type { Db } from '#store/db.ts'
import { createKnowledgeSearch } from '#store/knowledge/knowledge-search.ts'
import { askUrl } from '#store/make-app-role.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { writeManyRecords } from '#test/support/many-records.ts'
import { NEIGHBOURS, writeManyRows, writeManyRuns } from '#test/support/many-runs.ts'
import { onePack } from '#test/support/one-pack.ts'
import { processTime } from '#test/support/process-time.ts'

const RUNS = 10_000
const CALLS = 100
const ROUNDS = 3
/** half of the 100 ms that a call may take: the rest is for the way there and back */
const MAX_MS = 50
/** on a slow machine, what the database takes to hash and count so many numbers */
const COUNTED = 32_000
const RUN = `run_${'11'.padStart(26, '0')}`
/** arguments of each tool that read as much as it may */
const ARGUMENTS: Record<string, object[]> = {
  list_runs: [
    {},
    { status: 'failed', limit: 20 },
    { template: 'bench/three', since_hours: 1 },
    { text: 'operator_failed' },
    { text: 'nothing has this' },
  ],
  count_runs: [{}, { group_by: 'failure' }, { group_by: 'day' }, { group_by: 'template', status: 'succeeded' }],
  get_run: [{ run_id: RUN }],
  list_run_steps: [{ run_id: RUN }],
  get_run_step: [{ run_id: RUN, step: 'one' }],
  list_run_events: [{ run_id: RUN, limit: 20 }],
  list_gates: [{}, { status: 'approved' }, { status: 'rejected' }],
  sum_costs: [{}, { group_by: 'run' }, { group_by: 'day', since_hours: 24 * 300 }],
  search_audit: [
    {},
    { category: 'approval' },
    { run_id: RUN },
    { action: 'gate.approved' },
    { action: 'nobody.did' },
    { actor: 'usr_rare' },
    { since_hours: 1 },
  ],
  list_pipelines: [{}, { status: 'failed' }, { name: 'pipeline-7' }],
  get_pipeline: [{ pipeline_id: `pl_${'11'.padStart(26, '0')}` }],
  list_schedules: [{}],
  list_schedule_firings: [{ schedule_id: `sch_${'1'.padStart(26, '0')}` }],
  list_halts: [{}],
  list_packs: [{ text: 'recover' }],
  search_knowledge: [{ query: 'restart' }, { query: 'passage 77 of the pool' }],
  get_contract: [{ template: 'incident/service-recovery' }],
}

let corpus: string
/** of the one session that all tools read through */
let pid: number

const database = testDatabase()
const ask = fileFixture(() => createAskDb(askUrl(database.url), { max: 1 }))
beforeAll(async () => {
  pid = await ask.in(DEFAULT_WORKSPACE_ID, async (db) => (await db`select pg_backend_pid() as pid`)[0]?.['pid'])
  await writeManyRuns(database.owner_url, { to: RUNS })
  await writeManyRows(database.owner_url, RUNS)
  corpus = await writeManyRecords(database.owner_url, RUNS)
})

/** A neighbour has few of the runs, and its plans are not those of who has most. */
function contextOf(workspace_id: string): AskToolContext {
  const search = createKnowledgeSearch(ask)
  return {
    read: { workspace_id, in: <T>(query: (db: Db) => PromiseLike<T>) => ask.in(workspace_id, query) },
    ...{ packs: onePack(), clock: Date.now, concerns: () => true, countedOn: async () => [] },
    findChunks: async ({ query, limit = 8 }) => {
      const found = await search.byText(workspace_id, { corpora: [corpus], query, limit: 100 })
      return found.slice(0, limit).map(({ heading: _heading, ordinal: _ordinal, ...each }) => ({ ...each, score: 1 }))
    },
  }
}

/** The time within which the database is done with 99 of 100 calls, one after the other. */
async function p99(run: (ctx: AskToolContext) => Promise<unknown>): Promise<number> {
  const contexts = [DEFAULT_WORKSPACE_ID, NEIGHBOURS[0] ?? ''].map(contextOf)
  const times: number[] = []
  for (let n = 0; n < CALLS; n += 1) {
    const ctx = contexts[n % 2]
    if (ctx === undefined) throw new Error('nobody asks')
    const before = processTime(pid)
    await run(ctx).catch((error: unknown) => expect(error).toMatchObject({ code: 'not_found' }))
    times.push(processTime(pid) - before)
  }
  return times.sort((a, b) => a - b)[Math.ceil(CALLS * 0.99) - 1] ?? 0
}

const count = ({ read }: AskToolContext) =>
  read.in((db) => db`select count(distinct sha256(n::text::bytea)) from generate_series(1, ${COUNTED}::int) n`)

test('every tool has its arguments here', () => {
  expect(Object.keys(ARGUMENTS).sort()).toEqual(ASK_TOOLS.map(({ name }) => name).sort())
})

test.each(ASK_TOOLS.flatMap(({ name, run }) => (ARGUMENTS[name] ?? []).map((args) => [name, args, run] as const)))(
  'among ten thousand runs, 99 of 100 calls of %s %j are done within 50 ms',
  async (_, args, run) => {
    // a busy machine makes also this longer: one round of three is as fast as the tool is
    const rounds: { ms: number; most_ms: number }[] = []
    while (rounds.length < ROUNDS && !rounds.some(({ ms, most_ms }) => ms <= most_ms)) {
      const ms = await p99((ctx) => run(ctx, args))
      rounds.push({ ms, most_ms: ms <= MAX_MS ? MAX_MS : Math.max(MAX_MS, await p99(count)) })
    }
    const last = rounds.at(-1) ?? { ms: Infinity, most_ms: MAX_MS }
    expect(last.ms, JSON.stringify(rounds)).toBeLessThanOrEqual(last.most_ms)
  },
  120_000,
)
