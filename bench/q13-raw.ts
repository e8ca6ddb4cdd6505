import { randomUUID } from 'node:crypto'
import type { BenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

interface RawOptions {
  branches: number
  runs: number
  pairs: number
}

const WAYS = { 'child workflows': 'parentOfChildren', 'of their own, with a signal': 'parentBySignals' } as const

/**
 * Measures the alternatives of the design, without us: a parent with child workflows, and workflows that notify their parent of their end.
 */
export async function q13Raw(stack: BenchStack, { branches, runs, pairs }: RawOptions) {
  const rows = []
  for (const [way, type] of Object.entries(WAYS)) {
    const times: number[] = []
    const cpu: number[] = []
    let last = ''
    for (let time = 0; time <= pairs; time += 1) {
      const before = stack.cpu()
      const began = performance.now()
      last = `raw-${randomUUID()}`
      const options = { workflowId: last, taskQueue: 'raw', args: [branches, runs] }
      await (await stack.client.workflow.start(type, options)).result()
      const after = stack.cpu()
      // the first of each warms up
      if (time === 0) continue
      times.push(performance.now() - began)
      cpu.push(after.worker + after.temporal - before.worker - before.temporal)
    }
    rows.push({
      way,
      runs,
      ms: Math.round(quantile(times, 0.5)),
      'worker and Temporal CPU ms/run': round(quantile(cpu, 0.5) / runs, 1),
      'history events of the parent': await lengthOf(stack, last),
      'of one run': await lengthOf(stack, `${last}/0/0`),
    })
  }
  return rows
}

async function lengthOf({ client }: BenchStack, id: string): Promise<number> {
  return (await client.workflow.getHandle(id).describe()).historyLength
}
