import { setTimeout as sleep } from 'node:timers/promises'
import { createOperators } from '#activities/operators/index.ts'
import { compileExpression } from '#core/expression/compile-expression.ts'
import { renderValue } from '#core/expression/render-value.ts'
import type { Json, JsonObject } from '#core/json.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createPackRegistry, packDirs } from '#platform/packs/pack-registry.ts'
import { operatorContext } from './operator-context.ts'

export interface Walked {
  /** what the steps brought, by id */
  steps: Record<string, { status: string; outputs: { rows: JsonObject[]; row_count: number } & JsonObject }>
  outputs: JsonObject
  report: string
  /** what was shown of each writing step */
  shown: { summary: string; command: string }[]
}

const log = { info: () => undefined, warn: () => undefined }

/** Walks a shipped template of `db` with the real operators against a server: every step in order, gates taken as approved. */
export async function walkTemplate(template: string, url: string, given: JsonObject): Promise<Walked> {
  const operators = createOperators({ egress: createEgressClient() })
  for (const operator of operators.list()) await operator.ready?.()
  const packs = createPackRegistry({ dirs: packDirs(), catalog: operators, log })
  const found = packs.findTemplate('db', template)
  packs.close()
  if (found === undefined) throw new Error(JSON.stringify(packs.errors()))
  const { normalized: inputs, errors } = validateInputs(found.inputs_schema, given)
  if (inputs === undefined || errors.length > 0) throw new Error(JSON.stringify(errors))
  const run = { id: 'run_1', workspace_id: 'ws_1', environment: 'development', lane: 'realtime', reason: '' }
  const steps: Walked['steps'] = {}
  const scope: JsonObject = { inputs, run, trigger: {}, steps: steps as JsonObject }
  const walked: Walked = { steps, outputs: {}, report: '', shown: [] }
  for (const step of found.plan.steps) {
    const operator = operators.get(step.operator)
    if (operator === undefined) throw new Error(step.operator)
    if (step.when !== undefined && compileExpression(step.when).evaluate(scope) !== true) {
      steps[step.id] = { status: 'skipped', outputs: {} as never }
      continue
    }
    const rendered = renderValue(step.with as Json, scope) as JsonObject
    const input = operator.parse(operator.wants_scope ? { ...rendered, scope } : rendered)
    if (step.operator === 'postgres.execute') {
      const { summary, command } = operator.describe(input, { idempotency_key: '' })
      walked.shown.push({ summary, command: String(command) })
    }
    const context = operatorContext({ connections: { maintenance: url } })
    if (operator.delay_ms !== undefined) {
      await sleep(Math.min(operator.delay_ms(input), 200))
      continue
    }
    const { outputs, artifacts } = await operator.execute(context, input)
    steps[step.id] = { status: 'succeeded', outputs: outputs as never }
    walked.report = String(artifacts?.[0]?.body ?? walked.report)
  }
  walked.outputs = renderValue(found.outputs as Json, scope) as JsonObject
  return walked
}
