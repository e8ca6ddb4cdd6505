import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { admitRun } from '#services/runs/admit-run.ts'
import { q13Parked } from './q13-parked.ts'
import { q13Raw } from './q13-raw.ts'
import { defineScenario, type Given } from './scenario.ts'
import { type BenchStack, startBenchStack } from './stack.ts'
import { interval, quantile, ratioWithInterval, round } from './stats.ts'

const PAYLOAD = 'x'.repeat(100)
/** branches that run side by side */
const BRANCHES = 20
const SIZES = [10, 100, 200]

type Cpu = ReturnType<BenchStack['cpu']>
interface Timed {
  ms: number
  cpu: Cpu
}

export const q13 = defineScenario({
  id: 'q13',
  stack: pipelineStack,
  async run({ quick, number }: Given, stack: BenchStack) {
    const pairs = number('pairs', quick ? 3 : 7)
    const rows = []
    for (const runs of SIZES) rows.push(await compare(stack, runs, pairs))
    return {
      rows,
      growth: growthOf(rows),
      raw: await q13Raw(stack, { branches: BRANCHES, runs: 100, pairs: quick ? 2 : 5 }),
      parked: await q13Parked(stack, number('parked', 1_000)),
    }
  },
  show({ rows, growth, raw, parked }) {
    console.log(`\nQ13 a pipeline of n runs in ${BRANCHES} branches / n direct runs, as many at once`)
    console.table(
      rows.map(({ runs, ratio, pipeline, direct, events, looks }) => ({
        runs,
        'time ×': interval(ratio),
        ms: `${pipeline.ms} / ${direct.ms}`,
        'worker CPU ms/run': `${pipeline.cpu.worker} / ${direct.cpu.worker}`,
        'Temporal CPU ms/run': `${pipeline.cpu.temporal} / ${direct.cpu.temporal}`,
        'Postgres CPU ms/run': `${pipeline.cpu.postgres} / ${direct.cpu.postgres}`,
        // the direct runs are admitted beside the bench, those of a pipeline in the worker
        'all CPU ms/run': `${pipeline.cpu.all} / ${direct.cpu.all}`,
        'history events': events,
        versions: looks,
      })),
    )
    console.log(`growth of time from 100 to 200 runs: n^${growth.pipeline}, of direct runs n^${growth.direct}`)
    console.log('plain Temporal: child workflows, and workflows of their own that signal their parent')
    console.table(raw)
    console.log('pipelines that wait for times and events')
    console.table(parked)
  },
})

async function pipelineStack(): Promise<BenchStack> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-pipelines-'))
  await mkdir(join(dir, 'bench'))
  const pipelines = {
    ...Object.fromEntries(SIZES.map((runs) => [`n${runs}`, { title: `${runs} runs`, steps: stepsOf(runs) }])),
    timer: { title: 'Waits for a time', steps: [{ id: 'rest', schedule: '6h' }] },
    event: { title: 'Waits for an event', steps: [{ id: 'heard', on: 'bench.never', timeout: '6h' }] },
  }
  await writeFile(join(dir, 'bench', 'pipeline.yaml'), JSON.stringify({ apiVersion: 'svc/v1', pipelines }))
  return await startBenchStack({ SVC_BUS: 'postgres', SVC_PIPELINES_DIR: dir, SVC_RATE_LIMIT: '0' })
}

/** Branches side by side, in each one run after the other. */
function stepsOf(runs: number) {
  return Array.from({ length: runs }, (_, index) => ({
    id: `s${index}`,
    uses: 'bench/noop',
    needs: index < BRANCHES ? [] : [`s${index - BRANCHES}`],
    with: { payload: PAYLOAD },
    timeout: '5m',
  }))
}

/** Measures blocks in the order A B B A, after an uncounted one of each. */
async function compare(stack: BenchStack, runs: number, pairs: number) {
  const sides = { pipeline: () => pipelineOf(stack, runs), direct: () => directRuns(stack, runs) }
  await sides.pipeline()
  await sides.direct()
  const times = { pipeline: [] as Timed[], direct: [] as Timed[] }
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? (['pipeline', 'direct'] as const) : (['direct', 'pipeline'] as const)
    for (const side of order) times[side].push(await timed(stack, sides[side]))
  }
  const ratios = times.pipeline.map(({ ms }, index) => ms / (times.direct[index]?.ms ?? Number.NaN))
  const { median, low, high } = ratioWithInterval(ratios)
  const [last] = await stack.db<{ id: string; version: number }[]>`
    select id, version from pipelines where name = ${`n${runs}`} order by created_at desc limit 1`
  return {
    runs,
    ratio: { median: round(median), low: round(low), high: round(high) },
    pipeline: summary(times.pipeline, runs),
    direct: summary(times.direct, runs),
    events: await historyOf(stack, last?.id ?? ''),
    looks: last?.version ?? 0,
  }
}

async function timed(stack: BenchStack, work: () => Promise<void>): Promise<Timed> {
  const cpu = stack.cpu()
  const began = performance.now()
  await work()
  const ms = performance.now() - began
  const after = stack.cpu()
  const spent = (name: keyof Cpu) => after[name] - cpu[name]
  const spentBy = { api_and_load: spent('api_and_load'), worker: spent('worker') }
  return { ms, cpu: { ...spentBy, temporal: spent('temporal'), postgres: spent('postgres') } }
}

function summary(blocks: Timed[], runs: number) {
  const middle = (of: (block: Timed) => number) =>
    quantile(
      blocks.map((block) => of(block)),
      0.5,
    )
  const cpuOf = (name: keyof Cpu) => round(middle(({ cpu }) => cpu[name]) / runs, 1)
  const all = middle(({ cpu }) => Object.values(cpu).reduce((sum, each) => sum + each, 0))
  return {
    ms: Math.round(middle(({ ms }) => ms)),
    cpu: {
      worker: cpuOf('worker'),
      temporal: cpuOf('temporal'),
      postgres: cpuOf('postgres'),
      all: round(all / runs, 1),
    },
  }
}

function growthOf(rows: { runs: number; pipeline: { ms: number }; direct: { ms: number } }[]) {
  const at = (runs: number) => rows.find((row) => row.runs === runs)
  const of = (side: 'pipeline' | 'direct') => round(Math.log2((at(200)?.[side].ms ?? 0) / (at(100)?.[side].ms ?? 1)))
  return { pipeline: of('pipeline'), direct: of('direct') }
}

async function pipelineOf(stack: BenchStack, runs: number): Promise<void> {
  const id = await startPipeline(stack, `n${runs}`)
  const result: unknown = await stack.client.workflow.getHandle(id).result()
  if (!isSucceeded(result)) throw new Error(`the pipeline ended as ${JSON.stringify(result)}`)
}

function isSucceeded(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'status' in result && result.status === 'succeeded'
}

export async function startPipeline(stack: BenchStack, pipeline_name: string): Promise<string> {
  const response = await fetch(`${stack.api}/pipelines/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ bundle_path: 'bench', pipeline_name, inputs: {} }),
  })
  if (!response.ok) throw new Error(`a start was answered with ${response.status}: ${await response.text()}`)
  const { pipeline_id } = (await response.json()) as { pipeline_id: string }
  const known = () =>
    stack.client.workflow
      .getHandle(pipeline_id)
      .describe()
      .then(
        () => true,
        () => false,
      )
  while (!(await known())) await new Promise((resolve) => setTimeout(resolve, 5))
  return pipeline_id
}

/** The same runs without a pipeline: as many chains, and each starts its next run when the one before has ended. */
async function directRuns(stack: BenchStack, runs: number): Promise<void> {
  const chains = Math.min(BRANCHES, runs)
  await Promise.all(
    Array.from({ length: chains }, async () => {
      for (let left = runs / chains; left > 0; left -= 1) await directRun(stack)
    }),
  )
}

async function directRun({ services, client }: BenchStack): Promise<void> {
  const place = { workspace_id: DEFAULT_WORKSPACE_ID, default_environment: 'development' as const, limits: {} }
  const caller = { actor: LOCAL_ACTOR, channel: 'api' as const, request_id: services.ids.next('request') }
  const started: Promise<unknown>[] = []
  const later = (work: () => Promise<unknown>) => void started.push(work())
  const request = { pack: 'bench', template: 'noop', inputs: { payload: PAYLOAD }, lane: 'background' as const }
  const { run_id } = await admitRun(
    { ...services, ...place, ...caller, later },
    { ...request, trigger: { type: 'direct' } },
  )
  await Promise.all(started)
  await client.workflow.getHandle(run_id).result()
}

/** History events of all its executions. */
async function historyOf({ client }: BenchStack, id: string): Promise<number> {
  let events = 0
  for await (const { historyLength } of client.workflow.list({ query: `WorkflowId = '${id}'` }))
    events += historyLength ?? 0
  return events
}
