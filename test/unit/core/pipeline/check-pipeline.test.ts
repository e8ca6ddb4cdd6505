import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BundleSpec } from '#core/pipeline/bundle-file-schema.ts'
import { checkPipeline } from '#core/pipeline/check-pipeline.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const FACTS = {
  templates: new Map([
    ['data/free', { inputs_schema: { type: 'object' }, outputs: {}, plan: { digest: DIGEST } }],
    ['data/undo', { inputs_schema: { type: 'object' }, outputs: {}, plan: { digest: DIGEST } }],
  ]),
  bundle_digest: DIGEST,
}

function check(steps: object[], more: object = {}) {
  const { pipelines } = BundleSpec.parse({ apiVersion: 'svc/v1', pipelines: { p: { title: 'P', steps, ...more } } })
  const [spec] = Object.values(pipelines)
  if (spec === undefined) throw new Error('there is a pipeline')
  return checkPipeline('p', spec, FACTS)
}

/** Step by step the places of those that it needs, no matter what they are but itself. */
const graphs = fc
  .integer({ min: 2, max: 12 })
  .chain((size) =>
    fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }),
  )
  .map((graph) => graph.map((needs, index) => needs.filter((each) => each !== index)))

function isCyclic(graph: number[][]): boolean {
  const left = new Set(graph.keys())
  for (let next: number | undefined = 0; next !== undefined; ) {
    next = [...left].find((each) => graph[each]?.every((needed) => !left.has(needed)))
    if (next !== undefined) left.delete(next)
  }
  return left.size > 0
}

it('a graph with a circle is refused, and any other is compiled with each step after what it needs', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const steps = graph.map((needs, index) => ({
        id: `s${index}`,
        uses: 'data/free',
        timeout: '1m',
        needs: needs.map((each) => `s${each}`),
      }))
      const { definition, faults } = check(steps)
      if (isCyclic(graph)) {
        expect(definition).toBeUndefined()
        expect(faults).not.toEqual([])
        for (const { message } of faults) expect(message).toMatch(/^these steps wait for each other.* needs /)
        return
      }
      expect(faults).toEqual([])
      const ids = definition?.steps.map(({ id }) => id) ?? []
      expect([...ids].sort()).toEqual(steps.map(({ id }) => id).sort())
      for (const step of definition?.steps ?? [])
        for (const needed of step.needs) expect(ids.indexOf(needed)).toBeLessThan(ids.indexOf(step.id))
    }),
    { numRuns: 200 },
  )
})

it('every kind of step is compiled, with what it leaves out filled in', () => {
  const { definition, faults } = check(
    [
      { id: 'last', uses: 'data/free', timeout: '90s', needs: ['wait', 'cron', 'come'], compensate: 'data/undo' },
      { id: 'wait', schedule: '15m' },
      { id: 'cron', schedule: { cron: '0 0 2 * * *', timezone: 'Europe/Berlin' }, when: true },
      { id: 'come', on: 'pack.data.*', timeout: '2d', look_back: '5m', matches: 'event.data.ok', title: 'It comes' },
      {
        id: 'each',
        uses: 'data/free',
        timeout: '1h',
        gate: 'manual',
        on_failure: 'continue',
        for_each: { items: '[1, 2]' },
      },
    ],
    { max_usd: 2.5, description: 'All of it', outputs: { when: '$' + '{{ steps.wait.outputs.fired_at }}' } },
  )
  expect(faults).toEqual([])
  const base = { needs: [], on_failure: 'fail' }
  expect(definition).toEqual({
    v: 1,
    name: 'p',
    title: 'P',
    description: 'All of it',
    inputs_schema: { type: 'object', properties: {} },
    steps: [
      { ...base, id: 'wait', title: 'wait', kind: 'timer', timer: { delay_ms: 900_000 } },
      {
        ...base,
        id: 'cron',
        title: 'cron',
        when: 'true',
        kind: 'timer',
        timer: { cron: '0 0 2 * * *', timezone: 'Europe/Berlin' },
      },
      {
        ...base,
        id: 'come',
        title: 'It comes',
        kind: 'event',
        topic: 'pack.data.*',
        matches: 'event.data.ok',
        look_back_ms: 300_000,
        timeout_ms: 172_800_000,
      },
      {
        id: 'last',
        title: 'last',
        needs: ['wait', 'cron', 'come'],
        on_failure: 'fail',
        kind: 'run',
        uses: { pack: 'data', template: 'free' },
        with: {},
        gate: 'none',
        timeout_ms: 90_000,
        compensate: { pack: 'data', template: 'undo' },
      },
      {
        id: 'each',
        title: 'each',
        needs: [],
        on_failure: 'continue',
        kind: 'run',
        uses: { pack: 'data', template: 'free' },
        with: {},
        gate: 'manual',
        timeout_ms: 3_600_000,
        for_each: { items: '[1, 2]', parallel: 1 },
      },
    ],
    outputs: { when: '$' + '{{ steps.wait.outputs.fired_at }}' },
    cap_micro_usd: 2_500_000,
    template_digests: { 'data/free': DIGEST, 'data/undo': DIGEST },
    bundle_digest: DIGEST,
  })
  expect(JSON.parse(JSON.stringify(definition))).toEqual(definition)
})
