import { createLocalTokens } from '../platform/tokens.ts'
import { defineScenario, type Given } from './scenario.ts'
import { type BenchStack, startBenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

/** shared by this bench and its service, so that a start may come from the console */
const KEY = 'the key of a bench that nobody else can reach'
const clients = createLocalTokens(KEY, Date.now)

interface Q8Options {
  /** numbers of queued background runs, ascending */
  backlogs: number[]
  /** runs that another workspace has waiting in the realtime lane itself */
  noisy: number
  /** realtime alerts at each level, and how many are sent a second, independent of their outcome */
  probes: number
  per_s: number
  /** time that each background run keeps its slot */
  hold_ms: number
  /** for which the background lane's own rate is counted */
  alone_ms: number
}

export const q8 = defineScenario({
  id: 'q8',
  // here the limits of the lanes are what is measured
  stack: () => startBenchStack({ SVC_LANE_REALTIME: '4', SVC_LANE_BACKGROUND: '2', SVC_SECRET_KEY: KEY }),
  run: (given: Given, stack: BenchStack) => {
    const { quick } = given
    return measure(stack, {
      backlogs: quick ? [100, 300] : given.has('deep') ? [100, 10_000] : [300, 1_000],
      noisy: quick ? 700 : 2_200,
      probes: quick ? 40 : 100,
      per_s: quick ? 4 : 2,
      hold_ms: 200,
      alone_ms: quick ? 5_000 : 20_000,
    })
  },
  show(row) {
    console.log('\nQ8 lanes do not leak: an alert to the first step of its run, alone and beside a background queue')
    console.table([
      { beside: 'nothing', 'p50 ms': row.idle.p50_ms, 'p99 ms': row.idle.p99_ms },
      {
        beside: `${row.noisy.queued.before} to ${row.noisy.queued.after} of another workspace in its lane`,
        'p50 ms': row.noisy.p50_ms,
        'p99 ms': row.noisy.p99_ms,
        'p50 ×': row.noisy.p50_ratio,
        'p99 ×': row.noisy.p99_ratio,
      },
      ...row.levels.map((level) => ({
        beside: `${level.queued.before} to ${level.queued.after} queued`,
        'p50 ms': level.p50_ms,
        'p99 ms': level.p99_ms,
        'p50 ×': level.p50_ratio,
        'p99 ×': level.p99_ratio,
        'background/s': `${level.background_per_s} / ${row.background_alone_per_s}`,
      })),
    ])
  },
})

/**
 * Lanes do not leak: alerts that start realtime runs while nothing else happens, against the same while the background lane has a
 * long queue, and while another workspace has one in the realtime lane.
 */
async function measure(stack: BenchStack, options: Q8Options) {
  await probe(stack, { probes: 20, per_s: 10 })
  const idle = side(await probe(stack, options))
  const levels = []
  const noisy = await besideNoisy(stack, options, idle)
  let alone_per_s = 0
  for (const backlog of options.backlogs) {
    await flood(stack, backlog - (await queued(stack)), { ms: options.hold_ms, lane: 'background' })
    if (alone_per_s === 0) alone_per_s = (await progress(stack, () => pause(options.alone_ms))).per_s
    await flood(stack, backlog - (await queued(stack)), { ms: options.hold_ms, lane: 'background' })
    const before = await queued(stack)
    let sample: number[] = []
    const { per_s } = await progress(stack, async () => {
      sample = await probe(stack, options)
    })
    const flooded = side(sample)
    levels.push({
      backlog,
      /** the queue before the first probe and after the last: the figures need both */
      queued: { before, after: await queued(stack) },
      ...flooded,
      p50_ratio: round(flooded.p50_ms / idle.p50_ms),
      p99_ratio: round(flooded.p99_ms / idle.p99_ms),
      background_per_s: round(per_s, 1),
      background_ratio: round(per_s / alone_per_s),
    })
  }
  return { idle, noisy, background_alone_per_s: round(alone_per_s, 1), levels }
}

/** The alerts of one workspace while another one's runs fill the lane: fairness, not a free slot, is what lets them through. */
async function besideNoisy(stack: BenchStack, options: Q8Options, idle: ReturnType<typeof side>) {
  const { id } = await post(`${stack.api}/workspaces`, { slug: 'noisy', name: 'Noisy' })
  await flood(stack, options.noisy, { ms: options.hold_ms, lane: 'realtime', workspace: String(id) })
  const before = await queued(stack, 'realtime')
  const beside = side(await probe(stack, options))
  const after = await queued(stack, 'realtime')
  if (after === 0) throw new Error('the queue of the other workspace was over before the last probe')
  while ((await queued(stack, 'realtime')) > 0) await pause(200)
  return {
    queued: { before, after },
    ...beside,
    p50_ratio: round(beside.p50_ms / idle.p50_ms),
    p99_ratio: round(beside.p99_ms / idle.p99_ms),
  }
}

const side = (sample: number[]) => ({
  p50_ms: round(quantile(sample, 0.5), 1),
  p99_ms: round(quantile(sample, 0.99), 1),
  n: sample.length,
})

let probes_sent = 0

/** Milliseconds from the moment at which an alert was due to be sent to the first line of the first step of its run. */
async function probe(stack: BenchStack, { probes, per_s }: Pick<Q8Options, 'probes' | 'per_s'>): Promise<number[]> {
  const began = performance.now()
  return await Promise.all(
    Array.from({ length: probes }, async (_, n) => {
      const due = began + (n * 1_000) / per_s
      await pause(due - performance.now())
      probes_sent += 1
      const answer = await post(`${stack.api}/triggers/alert`, {
        source: 'bench',
        service: `probe-${probes_sent}`,
        symptom: 'BenchProbe',
      })
      const [result] = answer['results'] as { outcome: string; run_id: string }[]
      if (result?.outcome !== 'started') throw new Error(`probe: ${JSON.stringify(answer)}`)
      return (await stack.marked(result.run_id)) - performance.timeOrigin - due
    }),
  )
}

/** Counts background runs that end during some work, a second. */
async function progress(stack: BenchStack, during: () => Promise<void>): Promise<{ per_s: number }> {
  const [before, began] = [await ended(stack), performance.now()]
  await during()
  return { per_s: (((await ended(stack)) - before) / (performance.now() - began)) * 1_000 }
}

interface Held {
  ms: number
  lane: 'realtime' | 'background'
  workspace?: string
}

async function flood(stack: BenchStack, count: number, { ms, lane, workspace }: Held): Promise<void> {
  const headers = {
    ...(workspace !== undefined && { 'x-svc-workspace': workspace }),
    // a start of a person at a screen is realtime
    ...(lane === 'realtime' && { authorization: `Bearer ${await clients.issue('svc-console')}` }),
  }
  let left = count
  const send = async () => {
    while (left > 0) {
      left -= 1
      await post(`${stack.api}/triggers/manual`, { pack: 'bench', template: 'hold', inputs: { ms } }, headers)
    }
  }
  await Promise.all(Array.from({ length: 16 }, send))
  // sending is not measured, and the engine is notified after the answer
  while ((await untold(stack)) > 0) await pause(100)
  await pause(2_000)
}

async function untold({ db }: BenchStack): Promise<number> {
  const [row] = await db<{ runs: number }[]>`select count(*)::int as runs from start_outbox`
  return row?.runs ?? 0
}

async function queued({ db }: BenchStack, lane: Held['lane'] = 'background'): Promise<number> {
  const [row] = await db<{ runs: number }[]>`
    select count(*)::int as runs from runs where lane = ${lane} and status = 'queued'`
  return row?.runs ?? 0
}

async function ended({ db }: BenchStack): Promise<number> {
  const [row] = await db<{ runs: number }[]>`
    select count(*)::int as runs from runs where lane = 'background' and status = 'succeeded'`
  return row?.runs ?? 0
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, ms)))

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}
