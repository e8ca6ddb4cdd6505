import { expect, test } from 'vitest'
import { shapersOf } from '#core/pipeline/shapers-of.ts'
import type { PipelineStep, RunStep } from '#core/pipeline/types.ts'
import { nameOf } from '#test/support/random-pipeline.ts'

const base = { title: 'x', needs: [], on_failure: 'fail', timeout_ms: 1_000 } as const
const run = (id: string, values: RunStep['with'], items?: string): PipelineStep => ({
  ...{ ...base, id, needs: [], kind: 'run', gate: 'none', uses: nameOf('desk/act'), with: values },
  ...(items !== undefined && { for_each: { items, parallel: 1 } }),
})

const steps: PipelineStep[] = [
  { ...base, id: 'heard', needs: [], kind: 'event', topic: 'x', look_back_ms: 0 },
  run('plain', { url: 'x' }),
  run('list', { deep: [{ text: `so \${{ steps.heard.outputs.event.data.name }} it is` }] }),
  run('each', { url: `\${{ item }}` }, 'steps.list.outputs.list'),
  run('last', {
    a: `\${{ steps.each.outputs.items.map(i, i.url) }}`,
    b: `\${{ inputs.b }}`,
    c: `\${{ steps.plain.status }}`,
  }),
  // it needs the others, and takes nothing from them
  { ...run('own', { url: `\${{ pipeline.id }}` }), needs: ['last'] },
]

test.each([
  ['plain', ['plain']],
  ['list', ['list', 'heard']],
  ['each', ['each', 'list', 'heard']],
  ['last', ['last', 'each', 'list', 'heard', 'plain']],
  ['own', ['own']],
])('what %s is given comes from %j', (id, shapers) => {
  expect([...shapersOf({ steps }, id)].sort()).toEqual([...shapers].sort())
})
