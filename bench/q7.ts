import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startLitellm } from './litellm.ts'
import { askModels, type ModelLoad } from './model-load.ts'
import { defineScenario, type Given } from './scenario.ts'
import { type Served, serve } from './served.ts'
import { type BenchStack, startBenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

const MODELS = ['at-0', 'at-20'] as const
const WARM_UP = 20
/** calls of each kind on each side before anything counts, so that no side is measured while its code is still being compiled */
const FIRST_CALLS = 200

interface Q7Options {
  /** duration of each side in a block */
  block_s: number
  pairs: number
  /** requests a second: what LiteLLM, too, can bear on this machine, and what the bar names */
  rates: number[]
  ledger: number[]
}

type Side = 'direct' | 'proxy' | 'svc' | 'litellm'

export const q7 = defineScenario({
  id: 'q7',
  stack: () => startBenchStack({ SVC_LOG_LEVEL: 'error' }),
  run: ({ quick, number }: Given, stack: BenchStack) =>
    measureAll(
      stack,
      quick
        ? { block_s: 3, pairs: number('pairs', 3), rates: [20, 100], ledger: [1_000, 100_000] }
        : { block_s: 5, pairs: number('pairs', 7), rates: [20, 200], ledger: [1_000, 1_000_000] },
    ),
  show({ blocks, growth }) {
    console.log('\nQ7 a gateway that never overshoots: what it adds to the same calls without it, in ms')
    console.table(
      blocks.map(({ per_s, model, stream, side, p50, p99, first, not_200 }) => ({
        'requests/s': per_s,
        model: `${model}${stream ? ' streamed' : ''}`,
        side,
        '+p50': p50,
        '+p99': p99,
        '+first byte': first,
        'not 200': not_200,
      })),
    )
    console.log('the same with more calls in the ledger: p50 of all and of what is added')
    console.table(growth)
  },
})

async function measureAll(stack: BenchStack, options: Q7Options) {
  const upstream = await serve('bench/model-upstream-main.ts', {})
  const served: Served[] = [upstream]
  try {
    await bindModels(stack, upstream.url)
    const proxy = await serve('bench/model-proxy-main.ts', { BENCH_UPSTREAM: upstream.url })
    served.push(proxy)
    const gateway = await serve('bench/api-main.ts', { ...stack.env, SVC_PORT: '19391' })
    served.push(gateway)
    const litellm = await startLitellm(upstream.url, MODELS)
    if (litellm !== undefined) served.push(litellm)
    const sides: [Side, string][] = [
      ['direct', upstream.url],
      ['proxy', proxy.url],
      ['svc', gateway.url],
      ...(litellm === undefined ? [] : [['litellm', litellm.url] as [Side, string]]),
    ]
    await warmUp(sides)
    const blocks = []
    for (const per_s of options.rates)
      for (const model of MODELS)
        for (const stream of [false, true]) blocks.push(...(await measure(sides, { per_s, model, stream }, options)))
    return { blocks, growth: await grow(stack, sides, options) }
  } finally {
    for (const each of served.reverse()) await each.stop()
  }
}

async function warmUp(sides: [Side, string][]): Promise<void> {
  for (const [, url] of sides)
    for (const stream of [false, true])
      await askModels(url, { model: 'at-0', stream, amount: FIRST_CALLS, per_s: 25, warm_up: FIRST_CALLS })
}

interface Asked {
  per_s: number
  model: string
  stream: boolean
}

/**
 * Every side in turn, forwards and back. What one adds is the difference of medians to the direct calls of the same round, and of p99
 * over all rounds.
 */
async function measure(sides: [Side, string][], asked: Asked, { block_s, pairs }: Q7Options) {
  const loads = new Map<Side, ModelLoad[]>(sides.map(([side]) => [side, []]))
  const amount = WARM_UP + asked.per_s * block_s
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const [side, url] of pair % 2 === 0 ? sides : sides.toReversed())
      loads.get(side)?.push(await askModels(url, { ...asked, amount, warm_up: WARM_UP }))
  }
  const direct = loads.get('direct') ?? []
  return sides
    .filter(([side]) => side !== 'direct')
    .map(([side]) => {
      const own = loads.get(side) ?? []
      const median = (name: 'total_ms' | 'first_ms') =>
        own.map((load, n) => quantile(load[name], 0.5) - quantile(direct[n]?.[name] ?? [], 0.5))
      return {
        ...asked,
        side,
        p50: round(quantile(median('total_ms'), 0.5)),
        p99: round(p99(own) - p99(direct)),
        first: round(quantile(median('first_ms'), 0.5)),
        not_200: own.reduce((sum, { not_200 }) => sum + not_200, 0),
      }
    })
}

function p99(loads: readonly ModelLoad[]): number {
  return quantile(
    loads.flatMap(({ total_ms }) => total_ms),
    0.99,
  )
}

/** The same calls when the ledger has grown. */
async function grow(stack: BenchStack, sides: [Side, string][], options: Q7Options) {
  const rows = []
  for (const calls of options.ledger) {
    await fillLedger(stack, calls)
    const [svc] = (
      await measure(
        sides.filter(([side]) => side === 'direct' || side === 'svc'),
        { per_s: options.rates[0] ?? 20, model: 'at-0', stream: false },
        options,
      )
    ).filter(({ side }) => side === 'svc')
    rows.push({ 'calls in the ledger': calls, '+p50 ms': svc?.p50, '+p99 ms': svc?.p99 })
  }
  return rows
}

async function fillLedger({ db }: BenchStack, calls: number): Promise<void> {
  const [found] = await db<{ count: number }[]>`select count(*)::int as count from model_calls`
  const missing = calls - (found?.count ?? 0)
  if (missing <= 0) return
  await db`
    insert into model_calls (id, workspace_id, environment, model, state, basis, reserved_micro_usd, charged_micro_usd, record, leased_until, settled_at)
    select 'mcl_' || lpad(nextval('bench_calls')::text, 26, '0'), (select id from workspaces order by id limit 1), 'development', 'at-0', 'settled', 'reported', 10, 5, '{}',
      now(), now()
    from generate_series(1, ${missing})`
  await db`vacuum analyze model_calls`
}

async function bindModels(stack: BenchStack, upstream: string): Promise<void> {
  const { SVC_HOME: home = '' } = stack.env
  const models = MODELS.map((id) => ({
    id,
    provider: 'openai_compatible',
    base_url: `${upstream}/v1`,
    prices: { input: 150_000, output: 600_000 },
    limits: { context: 8_000, output: 100 },
  }))
  await writeFile(join(home, 'models.yaml'), JSON.stringify({ models }))
  await mkdir(join(home, 'environments'), { recursive: true })
  const environment = { name: 'development', egress: ['loopback'], cost_gate: { max_usd: 1_000, daily_usd: 1_000_000 } }
  await writeFile(join(home, 'environments', 'development.yaml'), JSON.stringify(environment))
  await stack.db`create sequence if not exists bench_calls`
}
