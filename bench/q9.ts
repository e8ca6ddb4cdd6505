import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { createDb } from '#store/db.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { writeManyRuns } from '#test/support/many-runs.ts'
import { runDraft } from '#test/support/run-drafts.ts'
import { defineScenario, type Given } from './scenario.ts'
import { serve } from './served.ts'
import { type BenchStack, startBenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

interface Q9Options {
  /** runs there are, in rising order */
  sizes: number[]
  /** requests of each list at each size */
  requests: number
  /** runs a second that others start and end meanwhile */
  writes_per_s: number
}

/** Filters, as query strings. */
const FILTERS = [
  { name: 'every run', query: '' },
  { name: 'lane', query: 'lane=realtime' },
  { name: 'the usual status', query: 'status=succeeded' },
  { name: 'one in twenty', query: 'status=failed' },
  { name: 'one in five hundred', query: 'status=awaiting_approval' },
  { name: 'one in five thousand', query: 'status=cancelling' },
  { name: 'lane and usual status', query: 'lane=background&status=succeeded' },
  { name: 'lane and rare status', query: 'lane=realtime&status=cancelling' },
  { name: 'what is under way', query: 'status=queued,running,awaiting_approval,cancelling' },
  { name: 'usual and rare', query: 'status=succeeded,expired,cancelling' },
]
const COUNTED = 1_000

interface Case {
  name: string
  page: 'first' | 'deep'
  limit: 50 | 200
  query: string
  took: number[]
}

export const q9 = defineScenario({
  id: 'q9',
  // without a worker: the rows do not change
  stack: () => startBenchStack({}, { worker: false }),
  run: (given: Given, stack: BenchStack) => {
    const { quick } = given
    return measure(stack, {
      sizes: quick ? [1_000, 20_000] : given.has('full') ? [1_000, 100_000, 1_000_000] : [1_000, 100_000],
      requests: given.number('requests', quick ? 20 : 200),
      writes_per_s: 20,
    })
  },
  show(row) {
    console.log('\nQ9 lists that stay fast: GET /runs with every filter, while runs are written')
    for (const { runs, cases } of row.levels) {
      console.log(`${runs} runs`)
      console.table(
        cases.map(({ name, page, limit, p50_ms, p99_ms }) => ({
          filter: name,
          page,
          limit,
          'p50 ms': p50_ms,
          'p99 ms': p99_ms,
        })),
      )
    }
    console.table(
      row.levels.map(({ runs, writes_per_s, limit_50, limit_200, raw_keyset, cpu_ms_per_list }) => ({
        runs,
        'written/s': writes_per_s,
        'limit 50, p50 / p99 ms': `${limit_50.p50_ms} / ${limit_50.p99_ms}`,
        'limit 200, p50 / p99 ms': `${limit_200.p50_ms} / ${limit_200.p99_ms}`,
        'the rows alone, p50 / p99 ms': `${raw_keyset.p50_ms} / ${raw_keyset.p99_ms}`,
        'CPU ms a list, API / PostgreSQL': `${cpu_ms_per_list.api} / ${cpu_ms_per_list.postgres}`,
      })),
    )
  },
})

/**
 * Measures lists: `GET /runs` of the largest of ten workspaces through the API as it is deployed, in a process of its own, with every
 * filter, first pages and pages from the middle on, while runs are admitted, begun and ended beside it. The lists take turns, so that other
 * load on the machine affects all of them.
 */
async function measure(stack: BenchStack, { sizes, requests, writes_per_s }: Q9Options) {
  const api = await serve('bench/api-main.ts', { ...stack.env, SVC_PORT: String(await findFreePort(19_290)) })
  const levels = []
  let written = 0
  try {
    for (const size of sizes) {
      await writeManyRuns(stack.database_url, { from: written + 1, to: size })
      written = size
      await rightCounts(stack, api.url)
      const cases = casesFrom(await middle(stack, size))
      for (let round = 0; round < 20; round += 1) for (const each of cases) await ask(api.url, each.query)
      const writer = startWriter(stack, writes_per_s)
      const raw: number[] = []
      const cpu = { api: api.cpu_ms(), postgres: stack.cpu().postgres }
      for (let turn = 0; turn < requests; turn += 1) {
        for (const each of cases) each.took.push(await timed(() => ask(api.url, each.query)))
        raw.push(await timed(() => rawPage(stack)))
      }
      const spent = { api: api.cpu_ms() - cpu.api, postgres: stack.cpu().postgres - cpu.postgres }
      const writes = await writer.stop()
      const of = (limit: number) => cases.filter((each) => each.limit === limit).flatMap((each) => each.took)
      levels.push({
        runs: size,
        writes_per_s: writes,
        limit_50: figures(of(50)),
        limit_200: figures(of(200)),
        raw_keyset: figures(raw),
        /** CPU time is independent of other load; writes count with PostgreSQL */
        cpu_ms_per_list: {
          api: round(spent.api / requests / cases.length),
          postgres: round(spent.postgres / requests / cases.length),
        },
        cases: cases.map(({ took, query: _query, ...each }) => ({ ...each, ...figures(took) })),
      })
    }
  } finally {
    await api.stop()
  }
  return { levels }
}

function casesFrom(cursor: string): Case[] {
  return FILTERS.flatMap(({ name, query }) =>
    ([50, 200] as const).flatMap((limit) =>
      (['first', 'deep'] as const).map((page) => ({
        name,
        page,
        limit,
        query: `limit=${limit}${query && `&${query}`}${page === 'deep' ? `&cursor=${cursor}` : ''}`,
        took: [],
      })),
    ),
  )
}

async function ask(api: string, query: string): Promise<Headers> {
  const response = await fetch(`${api}/runs?${query}`)
  const runs = (await response.json()) as unknown[]
  if (!response.ok || !Array.isArray(runs)) throw new Error(`${query}: ${response.status}`)
  return response.headers
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const figures = (took: number[]) => ({ p50_ms: round(quantile(took, 0.5)), p99_ms: round(quantile(took, 0.99)) })

/** Checks the counts in the headers, or that they are capped. */
async function rightCounts({ db }: BenchStack, api: string): Promise<void> {
  for (const { query } of FILTERS) {
    const wanted = new URLSearchParams(query)
    const [row] = await db<{ runs: number }[]>`
      select count(*) as runs from runs where workspace_id = ${DEFAULT_WORKSPACE_ID}
        and (lane = ${wanted.get('lane')} or ${wanted.get('lane')}::text is null)
        and (status = any(${wanted.get('status')?.split(',') ?? []}::text[]) or ${wanted.get('status')}::text is null)`
    const runs = row?.runs ?? 0
    const headers = await ask(api, `limit=1&${query}`)
    const totals = [headers.get('x-total-count'), headers.get('x-total-at-least')]
    const right = runs > COUNTED ? [null, String(COUNTED)] : [String(runs), null]
    if (String(totals) !== String(right)) throw new Error(`${query}: ${runs} runs, and the headers say ${totals}`)
  }
}

/** A place halfway, as a page that ends there gives it out. */
async function middle({ db }: BenchStack, size: number): Promise<string> {
  const id = `run_${String(Math.floor(size / 2)).padStart(26, '0')}`
  const [row] = await db<{ at: string }[]>`select created_at::text as at from runs where id = ${id}`
  return Buffer.from(`${row?.at}|${id}`).toString('base64url')
}

const rawPage = ({ db }: BenchStack) => db`
  select * from runs where workspace_id = ${DEFAULT_WORKSPACE_ID} order by created_at desc, id desc limit 50`

/** Runs that are admitted, taken up and ended by the statements of the product. */
function startWriter({ env }: BenchStack, per_s: number) {
  const db = createDb(env['DATABASE_URL'] ?? '', { max: 2, name: 'q9-writer' })
  const runs = createRunStore(db)
  const began = performance.now()
  let stopped = false
  let ended = 0
  const loop = (async () => {
    for (let n = 0; !stopped; n += 1) {
      const draft = runDraft()
      await runs.admit([draft])
      const taken = await runs.take(draft.id)
      if ('refused' in taken) throw new Error(taken.refused)
      await runs.record({ run_id: draft.id, fence: taken.recorded.fence, run: { status: 'succeeded' } })
      ended += 1
      await new Promise((resolve) => setTimeout(resolve, began + ((n + 1) * 1_000) / per_s - performance.now()))
    }
  })()
  return {
    async stop(): Promise<number> {
      stopped = true
      await loop
      const rate = round((ended * 1_000) / (performance.now() - began), 1)
      await db.end()
      return rate
    },
  }
}
