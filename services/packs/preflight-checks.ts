import { runCapUsd } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { compileExpression } from '#core/expression/compile-expression.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import { freezesOn, isBlocking } from '#core/freeze/active-freeze.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { TOOL_NAME } from '#core/mcp/tool-schema.ts'
import { capFromUsd, usdFromMicro } from '#core/money.ts'
import { planActionTypes } from '#core/plan/estimate-plan.ts'
import type { PreflightCheck } from '#core/plan/preflight-schema.ts'
import type { CheckedInputs } from '#core/plan/validate-inputs.ts'
import { cutText } from '#core/text/text.ts'
import { visibleLine } from '#core/text/visible-text.ts'
import { isoTime } from '#core/time/time.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import type { BudgetViews } from '#store/budget-views.ts'
import { may } from '../auth/may.ts'
import { type NamedTool, type StoredContext, storedProblems } from '../connections/stored-problems.ts'
import { humanRoot, type StartContext } from '../context.ts'
import type { ReadPorts } from '../read-ports.ts'
import { runTemplate } from '../runs/admit-run.ts'
import type { chooseEnvironment } from '../runs/choose-environment.ts'
import type { ConfiguredInputs } from '../runs/configure-inputs.ts'
import { refuseFrozen, refuseHalted } from '../runs/refuse-start.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'
import { integrationsOf } from './contracts.ts'
import type { PlanContext } from './plan-context.ts'

export type CheckContext = StartContext & {
  budgets: BudgetViews
  directory: Pick<WorkspaceDirectory, 'find'>
} & StoredContext &
  Pick<ReadPorts, 'remote_jobs'>

type Place = ReturnType<typeof chooseEnvironment>

/** Returns the parts of a plan that can never run with these inputs, as far as that is known without running a step. */
export function invalidSteps(operators: PlanContext['operators'], template: LoadedTemplate, inputs: JsonObject) {
  return writtenSteps(operators, template, inputs).flatMap(({ id, operator, written }) => {
    const found = operator.findInvalid?.(written)
    return found === undefined ? [] : [`step ${id}: ${found.message}`]
  })
}

/** Checks the environment: what its steps may use of it, such as the processes that it allows. */
export function environmentCheck(
  { operators }: Pick<PlanContext, 'operators'>,
  template: LoadedTemplate,
  { inputs, place: { environment } }: { inputs: JsonObject | undefined; place: Place },
): PreflightCheck {
  const found = writtenSteps(operators, template, inputs ?? {}).flatMap(({ id, operator, written }) => {
    const refused = operator.refusedIn?.(environment, written)
    return refused === undefined ? [] : [{ ...refused, message: `step ${id}: ${refused.message}` }]
  })
  if (found.length === 0) return { id: 'environment', status: 'pass', message: `it runs in ${environment.name}` }
  const message = found.map((each) => each.message).join('; ')
  return { id: 'environment', status: 'fail', message, fix: [...new Set(found.map(({ fix }) => fix))].join('; ') }
}

/** The steps that surely run, with their input as far as it is known: the rest is as the template writes it. */
function writtenSteps(operators: PlanContext['operators'], { plan }: LoadedTemplate, inputs: JsonObject) {
  const scope = { inputs, steps: {}, run: {}, trigger: {} }
  return plan.steps.flatMap((step) => {
    const operator = operators.get(step.operator)
    const runs = step.when === undefined || known(() => compileExpression(step.when ?? '').evaluate(scope)) === true
    if (operator === undefined || !runs) return []
    const written = Object.entries(step.with).map(([key, value]) => [
      key,
      known(() => renderValue(value, scope)) ?? value,
    ])
    return [{ id: step.id, operator, written: Object.fromEntries(written) as JsonObject }]
  })
}

function known(evaluate: () => Json): Json | undefined {
  try {
    return evaluate()
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

/** Checks the inputs, with the defaults of a start. An unknown preset is a result here. */
export function inputsCheck(
  configured: ConfiguredInputs | DomainError,
  checked: CheckedInputs | undefined,
  unfit: string[] = [],
): PreflightCheck {
  if (unfit.length > 0 && checked?.valid === true)
    return { id: 'inputs', status: 'fail', message: unfit.join('; '), fix: 'correct the inputs, or the template' }
  if (configured instanceof DomainError) {
    const { message, details } = configured
    return { id: 'inputs', status: 'fail', message, fix: 'name another config preset', evidence: { ...details } }
  }
  const { valid, errors } = checked ?? { valid: true, errors: [] }
  if (valid) {
    const preset = configured.config_preset === undefined ? '' : `, with the config preset ${configured.config_preset}`
    const evidence = configured.provenance
    return { id: 'inputs', status: 'pass', message: `the inputs fit the template${preset}`, evidence }
  }
  const message = errors.map(({ pointer, msg }) => `${pointer || '/'}: ${msg}`).join('; ')
  return { id: 'inputs', status: 'fail', message, fix: 'correct the inputs', evidence: { errors } }
}

/**
 * Checks that connections are bound, and those of the console also for what soon stops a step that uses them, such as a tool that nobody
 * has accepted.
 */
export async function connectionsCheck(
  ctx: CheckContext & Pick<PlanContext, 'operators'>,
  template: LoadedTemplate,
  { inputs = {}, place: { environment } }: { inputs: JsonObject | undefined; place: Place },
): Promise<PreflightCheck> {
  const { pack, plan } = template
  const integrations = integrationsOf(
    ctx.packs.list().find(({ name }) => name === pack),
    environment,
  )
  const missing = integrations.filter(({ bound }) => !bound)
  if (missing.length > 0) {
    const words = missing.map(({ connection, kind, status }) =>
      status === 'unbound' ? `${connection} (${kind}) is not bound` : `${connection} is of another kind than ${kind}`,
    )
    return {
      id: 'connections',
      status: missing.some(({ required }) => required) ? 'fail' : 'warn',
      message: `in ${environment.name} ${words.join('; ')}`,
      fix: `bind ${missing.map(({ connection }) => connection).join(', ')} under connections of environments/${environment.name}.yaml`,
      evidence: { integrations },
    }
  }
  const named = plan.steps.flatMap(({ with: { connection } }) => (typeof connection === 'string' ? [connection] : []))
  const optional = integrations.filter(({ required }) => !required).map(({ connection }) => connection)
  const used = [...new Set([...integrations.map(({ connection }) => connection), ...named])]
  const found = await storedProblems(ctx, environment, used, namedTools(ctx.operators, template, inputs))
  if (found.length > 0) {
    const isFatal = ({ as, is_unusable }: (typeof found)[number]) => is_unusable && !optional.includes(as)
    return {
      id: 'connections',
      status: found.some(isFatal) ? 'fail' : 'warn',
      message: found.map(({ as, connection, what }) => `${as} (${connection}): ${what}`).join('; '),
      fix: [...new Set(found.map(({ fix }) => fix))].join('; '),
      evidence: { connections: found },
    }
  }
  const message = integrations.length === 0 ? 'the pack asks for no connections' : 'all connections are bound'
  return { id: 'connections', status: integrations.length === 0 ? 'skipped' : 'pass', message }
}

/** Those whose names are known before anything has run. */
function namedTools(operators: PlanContext['operators'], template: LoadedTemplate, inputs: JsonObject): NamedTool[] {
  return writtenSteps(operators, template, inputs).flatMap(({ operator, written }) => {
    const [as, tool] = [operator.connection?.(written), operator.tool?.(written)]
    return as === undefined || tool === undefined || !TOOL_NAME.test(tool) ? [] : [{ as, tool }]
  })
}

/** Checks that the queues of the steps are bound here, and that somebody listens there now. */
export async function queuesCheck(
  { operators, remote_jobs: { engine } }: CheckContext & Pick<PlanContext, 'operators'>,
  { plan }: LoadedTemplate,
  { environment }: Place,
): Promise<PreflightCheck> {
  const id = 'queues' as const
  const named = [...new Set(plan.steps.flatMap((step) => operators.get(step.operator)?.queue?.(step.with) ?? []))]
  if (named.length === 0) return { id, status: 'skipped', message: 'no step is done by an external worker' }
  const { name, queues = {} } = environment
  const bound = new Map(Object.entries(queues))
  const unbound = named.filter((queue) => !bound.has(queue))
  if (unbound.length > 0) {
    const message = `in ${name} the queue ${unbound.join(', ')} is not bound`
    return { id, status: 'fail', message, fix: `add ${unbound.join(', ')} under queues of environments/${name}.yaml` }
  }
  const workers: Record<string, string[]> = {}
  for (const queue of named) {
    const found = await engine?.pollers(bound.get(queue)?.task_queue ?? '').catch(() => undefined)
    if (found !== undefined) workers[queue] = found.map((identity) => cutText(visibleLine(identity), 200))
  }
  const alone = named.filter((queue) => workers[queue]?.length === 0)
  if (alone.length > 0) {
    const message = `no worker listens on ${alone.map((queue) => `${queue} (${bound.get(queue)?.task_queue})`).join(', ')}`
    return { id, status: 'warn', message, fix: 'start the worker of that task queue', evidence: { workers } }
  }
  return { id, status: 'pass', message: 'all queues are bound', evidence: { workers } }
}

/** Checks freezes: one without approvers refuses the start; one with approvers makes its steps wait for them. */
export function freezesCheck(ctx: CheckContext, { plan }: LoadedTemplate, { environment }: Place): PreflightCheck {
  const refused = refuseFrozen(ctx, plan, environment)
  const writes = planActionTypes(plan).some((type) => type !== 'read')
  const freezes = freezesOn(environment, ctx.clock(), writes)
  const evidence = { freezes }
  if (refused !== undefined) {
    const until = freezes.find(isBlocking)?.until
    return { id: 'freezes', status: 'fail', message: refused.error.message, fix: `wait until ${until}`, evidence }
  }
  if (freezes.length === 0) return { id: 'freezes', status: 'pass', message: 'no freeze is on' }
  const names = freezes.map(({ name, until }) => `${name} until ${until}`).join(', ')
  return { id: 'freezes', status: 'warn', message: `steps wait for the approvers of ${names}`, evidence }
}

export async function haltsCheck(
  ctx: CheckContext,
  { pack, template }: LoadedTemplate,
  { environment }: Place,
): Promise<PreflightCheck> {
  const provenance = { actor: { id: ctx.actor.id }, human_root: humanRoot(ctx) }
  const subject = { pack, template, environment: environment.name, provenance }
  const refused = refuseHalted(ctx, subject, await ctx.halts.inForce())
  if (refused === undefined) return { id: 'halts', status: 'pass', message: 'no halt is in force here' }
  const { message, details } = refused.error
  return { id: 'halts', status: 'fail', message, fix: 'wait until it is lifted', evidence: { ...details } }
}

export async function budgetCheck(
  ctx: CheckContext,
  { environment, profile }: Place,
  estimate_usd: number | null,
): Promise<PreflightCheck> {
  const day = isoTime(ctx.clock()).slice(0, 10)
  const workspace = await ctx.directory.find(ctx.workspace_id)
  const left = async (of: string, daily_usd: number | undefined) =>
    daily_usd === undefined
      ? undefined
      : Math.max(0, usdFromMicro(capFromUsd(daily_usd) - (await ctx.budgets.taken(ctx.workspace_id, of, day))))
  const [environment_left, workspace_left] = await Promise.all([
    left(environment.name, environment.cost_gate.daily_usd),
    left('*', workspace?.limits.daily_usd),
  ])
  const run_cap = runCapUsd(environment, profile)
  const smallest = Math.min(run_cap, environment_left ?? run_cap, workspace_left ?? run_cap)
  const evidence = {
    run_cap_usd: run_cap,
    ...(environment_left !== undefined && { environment_left_usd: environment_left }),
    ...(workspace_left !== undefined && { workspace_left_usd: workspace_left }),
  }
  if ((estimate_usd ?? 0) > smallest) {
    const message = `it may cost ${estimate_usd} USD, and ${smallest} USD are left`
    return { id: 'budget', status: 'fail', message, fix: 'raise the cap, or wait for the next UTC day', evidence }
  }
  if (estimate_usd === null || smallest === 0) {
    const why = estimate_usd === null ? 'what it costs is not known yet' : 'nothing that costs can run'
    return { id: 'budget', status: 'warn', message: `${why}; ${smallest} USD are left`, evidence }
  }
  return { id: 'budget', status: 'pass', message: `${smallest} USD are left`, evidence }
}

export async function callerCheck(ctx: CheckContext): Promise<PreflightCheck> {
  const refused = (message: string, fix: string): PreflightCheck => ({ id: 'caller', status: 'fail', message, fix })
  if ((await ctx.directory.find(ctx.workspace_id))?.status === 'archived')
    return refused('the workspace is archived', 'use another workspace')
  const { role } = runTemplate.needs
  if (!may(ctx.actor, role)) return refused(`starting takes the role ${role}`, `ask an ${role} to start it`)
  if (ctx.actor.key?.scopes.includes('runs:start') === false)
    return refused('the API key lacks the scope runs:start', 'use a key that has it')
  return { id: 'caller', status: 'pass', message: 'you may start it' }
}
