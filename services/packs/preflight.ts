import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import { estimatePlan } from '#core/plan/estimate-plan.ts'
import { CHECKS, type Preflight, type PreflightCheck } from '#core/plan/preflight-schema.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import type { ExplainedPlan } from '#core/policy/explain-plan.ts'
import { isoTime } from '#core/time/time.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import type { chooseEnvironment } from '../runs/choose-environment.ts'
import { type ConfiguredInputs, configureInputs, splitInputs } from '../runs/configure-inputs.ts'
import { planHash } from '../runs/plan-hash.ts'
import { forecastPolicies } from '../schedules/forecast-policies.ts'
import { findTemplate } from './contracts.ts'
import { environmentOf, explainIn, type PlanContext } from './plan-context.ts'
import {
  budgetCheck,
  type CheckContext,
  callerCheck,
  connectionsCheck,
  environmentCheck,
  freezesCheck,
  haltsCheck,
  inputsCheck,
  invalidSteps,
  queuesCheck,
} from './preflight-checks.ts'

/** Policies, freezes and budgets of a moment. */
const CURRENT_MS = 300_000

type Place = ReturnType<typeof chooseEnvironment>

export interface PreflightInput {
  pack: string
  template: string
  inputs: JsonObject
  environment?: string | undefined
  profile?: string | undefined
  config_preset?: string | undefined
  sandbox?: boolean | undefined
  dry_run?: boolean | undefined
}

/** Returns the obstacles of a start now, by the code that admits runs. Starts and writes nothing. */
export async function preflight(ctx: CheckContext & PlanContext, input: PreflightInput): Promise<Preflight> {
  const template = findTemplate(ctx, input.pack, input.template)
  const { plan } = template
  const estimate_usd = input.dry_run === true ? 0 : estimatePlan(plan, ctx.operators)
  const configured = await configureInputs(ctx, input).catch(refusal)
  const checked =
    configured instanceof DomainError ? undefined : validateInputs(template.inputs_schema, configured.inputs)
  const unfit = checked?.valid === true ? invalidSteps(ctx.operators, template, checked.normalized) : []
  const [inputs, caller] = [inputsCheck(configured, checked, unfit), await callerCheck(ctx)]
  const place = orRefusal(() => environmentOf(ctx, input))
  const common = await factsOf(ctx, input, { template, configured, inputs: checked?.normalized, place })
  if (place instanceof DomainError) {
    const environment: PreflightCheck = {
      id: 'environment',
      status: 'fail',
      message: place.message,
      fix: 'name another',
    }
    const policy = { effect: 'unknown' as const, matched: [] }
    const checks = inOrder([inputs, caller, environment])
    return { verdict: 'blocked', checks, policy, gates_expected: [], estimate_usd, ...common }
  }
  const forecast = await forecastPolicies(ctx, { template, ...place })
  const explained = await explainIn(ctx, plan, place)
  const checks = inOrder([
    inputs,
    caller,
    environmentCheck(ctx, template, { inputs: checked?.normalized, place }),
    await connectionsCheck(ctx, template, { inputs: checked?.normalized, place }),
    await queuesCheck(ctx, template, place),
    policyCheck(template, place, explained),
    freezesCheck(ctx, template, place),
    await haltsCheck(ctx, template, place),
    await budgetCheck(ctx, place, estimate_usd),
  ])
  return {
    verdict: checks.some(({ status }) => status === 'fail') ? 'blocked' : 'ready',
    checks,
    policy: { effect: forecast.effect, matched: forecast.matched },
    gates_expected: input.dry_run === true ? [] : gatesOf(template, explained),
    estimate_usd,
    ...common,
  }
}

interface Found {
  template: LoadedTemplate
  configured: ConfiguredInputs | DomainError
  inputs: JsonObject | undefined
  place: Place | DomainError
}

/** Returns the facts of a start that its hash covers. */
async function factsOf(
  ctx: CheckContext & PlanContext,
  { sandbox, dry_run }: PreflightInput,
  { template, configured, inputs, place }: Found,
): Promise<Pick<Preflight, 'environment' | 'profile' | 'config_preset' | 'inputs' | 'plan_hash' | 'expires_at'>> {
  const start = {
    template,
    sandbox,
    dry_run,
    ...(inputs !== undefined && { inputs }),
    ...(!(configured instanceof DomainError) && { configured }),
    ...(!(place instanceof DomainError) && { place }),
  }
  return {
    environment: start.place?.environment.name ?? null,
    profile: start.place?.profile.name ?? null,
    config_preset: start.configured?.config_preset ?? null,
    inputs: inputs === undefined ? {} : splitInputs(template.inputs_schema, inputs).public,
    plan_hash: await planHash(ctx, start),
    expires_at: isoTime(ctx.clock() + CURRENT_MS),
  }
}

/** A refused place is an answer here. */
function orRefusal(choose: () => Place): Place | DomainError {
  try {
    return choose()
  } catch (error) {
    return refusal(error)
  }
}

function refusal(error: unknown): DomainError {
  if (error instanceof DomainError && error.code === 'validation_failed') return error
  throw error
}

function policyCheck(
  { plan }: LoadedTemplate,
  { environment }: ReturnType<typeof chooseEnvironment>,
  explained: ExplainedPlan | undefined,
): PreflightCheck {
  if (explained === undefined)
    return { id: 'policy', status: 'warn', message: 'the policies cannot be read: each step needs approval' }
  const { denied, steps } = explained
  const evidence = { steps: steps.map(({ step, outcome, because }) => ({ step, outcome, because })) }
  const fix = `choose another environment than ${environment.name}, or change the policy`
  if (denied.length > 0) return { id: 'policy', status: 'fail', message: denied.join('; '), fix, evidence }
  const refused = steps.filter(({ outcome }) => outcome === 'deny')
  if (refused.length > 0) {
    const message = `refused: ${refused.map(({ step, because }) => `${step} (${because.join('; ')})`).join(', ')}`
    return { id: 'policy', status: 'fail', message, fix, evidence }
  }
  const asked = steps.filter(({ outcome }) => outcome === 'gate').length
  const message = asked === 0 ? 'nobody is asked' : `a person is asked before ${asked} of ${plan.steps.length} steps`
  return { id: 'policy', status: 'pass', message, evidence }
}

function gatesOf({ plan }: LoadedTemplate, explained: ExplainedPlan | undefined): Preflight['gates_expected'] {
  if (explained === undefined)
    return plan.steps.map(({ id }) => ({ step: id, because: ['the policies cannot be read'], approval_roles: [] }))
  return explained.steps
    .filter(({ outcome }) => outcome === 'gate')
    .map(({ step, because, approval_roles }) => ({ step, because, approval_roles }))
}

/** Returns every check in display order; skipped ones are marked. */
function inOrder(made: PreflightCheck[]): PreflightCheck[] {
  return CHECKS.map(
    (id) => made.find((each) => each.id === id) ?? { id, status: 'skipped', message: 'not checked: there is no place' },
  )
}
