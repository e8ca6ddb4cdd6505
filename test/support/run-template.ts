import { setTimeout as sleep } from 'node:timers/promises'
import { createOperators } from '#activities/operators/index.ts'
import { compileExpression } from '#core/expression/compile-expression.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import type { PackEvent } from '#core/operator.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import { createBackupStore } from '#platform/backups/backup-store.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createPackRegistry, type LoadedTemplate, packDirs } from '#platform/packs/pack-registry.ts'
import { operatorContext } from './operator-context.ts'

export interface TemplateRun {
  /** what the steps brought, by id */
  steps: Record<string, { status: string; outputs: { rows: JsonObject[]; row_count: number } & JsonObject }>
  outputs: JsonObject
  report: string
  /** what was shown of each writing step */
  shown: { summary: string; command: string }[]
  events: PackEvent[]
}

const log = { info: () => undefined, warn: () => undefined }

export interface TemplateStart {
  /** `pack/template` */
  template: string
  /** urls by name */
  connections: Record<string, string>
  inputs: JsonObject
  /** directory of the backups */
  backups?: string
  /** default `run_1` */
  run_id?: string
}

/** Runs a shipped template of `db` on the connection `maintenance`. */
export function runDbTemplate(template: string, url: string, inputs: JsonObject): Promise<TemplateRun> {
  return runTemplate({ template: `db/${template}`, connections: { maintenance: url }, inputs })
}

const templates = new Map<string, LoadedTemplate>()

/** The packs are read once for all runs of a file. */
async function shipped(name: string): Promise<LoadedTemplate> {
  if (templates.size === 0) {
    const catalog = createOperators({ egress: createEgressClient() })
    for (const operator of catalog.list()) await operator.ready?.()
    const packs = createPackRegistry({ dirs: packDirs(), catalog, log })
    for (const pack of packs.list())
      for (const each of pack.templates) templates.set(`${pack.name}/${each.template}`, each)
    packs.close()
    if (packs.errors().length > 0) throw new Error(JSON.stringify(packs.errors()))
  }
  const found = templates.get(name)
  if (found === undefined) throw new Error(`there is no template ${name}`)
  return found
}

/** Runs a shipped template with the real operators against servers: every step in order, gates taken as approved. */
export async function runTemplate({
  template: name,
  connections,
  inputs: given,
  backups,
  run_id = 'run_1',
}: TemplateStart) {
  const operators = createOperators({
    egress: createEgressClient(),
    ...(backups !== undefined && { backups: createBackupStore(backups) }),
  })
  const found = await shipped(name)
  const { normalized: inputs, errors } = validateInputs(found.inputs_schema, given)
  if (inputs === undefined || errors.length > 0) throw new Error(JSON.stringify(errors))
  const run = {
    id: run_id,
    workspace_id: 'ws_1',
    environment: 'development',
    lane: 'realtime',
    reason: '',
    decisions: [],
  }
  const steps: TemplateRun['steps'] = {}
  const scope: JsonObject = { inputs, run, trigger: {}, steps: steps as JsonObject }
  const done: TemplateRun = { steps, outputs: {}, report: '', shown: [], events: [] }
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
      done.shown.push({ summary, command: String(command) })
    }
    const context = operatorContext({ connections, run_id, step_id: step.id, idempotency_key: `${run_id}:${step.id}` })
    if (operator.delay_ms !== undefined) {
      await sleep(Math.min(operator.delay_ms(input), 2_000))
      continue
    }
    const { outputs, artifacts, events = [] } = await operator.execute(context, input)
    steps[step.id] = { status: 'succeeded', outputs: outputs as never }
    done.events.push(...events)
    done.report = String(artifacts?.[0]?.body ?? done.report)
  }
  done.outputs = renderValue(found.outputs as Json, scope) as JsonObject
  return done
}
