import { defineOperator, type Operator } from '#core/operator.ts'

const facts: Pick<
  Operator,
  'version' | 'risk' | 'action_type' | 'capabilities' | 'requires_approval' | 'input_schema' | 'replay' | 'describe'
> = {
  version: 1,
  risk: 'low',
  action_type: 'bench.effect',
  capabilities: ['bench'],
  requires_approval: false,
  input_schema: { type: 'object' },
  replay: () => 'safe',
  describe: () => ({ summary: 'nothing', targets: { kind: 'none', ids: [] } }),
}

/** Tells the bench's main process that an operator has begun, in milliseconds of this machine's clock. */
export function markStart(id: string): void {
  process.send?.({ type: 'mark', id, at: performance.timeOrigin + performance.now() })
}

/** Steps that do nothing, but cost something, so that the budget works as well. */
export const benchOperators: Operator[] = [
  defineOperator({
    ...facts,
    id: 'bench.noop',
    title: 'Nothing',
    parse: (input) => input,
    estimate: () => ({ llm: 10 }),
    execute: async (_ctx, input) => ({ outputs: { echo: input['payload'] ?? null }, cost: { llm: 7 } }),
  }),
  defineOperator({
    ...facts,
    id: 'bench.hold',
    title: 'Keeps its slot for a while',
    parse: (input) => input,
    execute: async (_ctx, input) => {
      await new Promise((resolve) => setTimeout(resolve, Number(input['ms'])))
      return { outputs: {} }
    },
  }),
  defineOperator({
    ...facts,
    id: 'bench.mark',
    title: 'A mark of its start',
    parse: (input) => input,
    execute: async (ctx) => {
      markStart(ctx.run_id)
      return { outputs: {} }
    },
  }),
]
