import type { Schema } from '#client/create-client.ts'
import { isObject, type JsonObject, pointerParts } from '#core/json/json.ts'
import { runCommand } from '#core/plan/run-command.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { ApiClient } from '../client/api-client.ts'
import { type StartPlan, sealPlan } from './start-plan.ts'

type PlanningApi = Pick<ApiClient, 'contract' | 'checkInputs' | 'preflight'>

/** The requested start. */
export interface StartRequest {
  pack: string
  template: string
  inputs: Record<string, unknown>
  environment?: string
  profile?: string
  config_preset?: string
  /** the workspace of the API calls, if it is not the caller's own */
  workspace?: string
}

/**
 * Builds the plan of a start from the API's current state. No model is involved, nothing is started, and the same state gives the same
 * plan.
 */
export async function makePlan(api: PlanningApi, { workspace, ...request }: StartRequest): Promise<StartPlan> {
  const { pack, template, ...question } = request
  const found = await api.preflight(pack, template, question)
  const contract = await api.contract(pack, template, found.environment ?? undefined)
  const errors = await errorsOf(api, request, found)
  const missing = errors.filter(isMissing).map(({ loc }) => missingOf(contract, String(loc[0])))
  const faults = errors.filter((error) => !isMissing(error)).map((error) => faultOf(contract, error))
  const hidden = new Set(contract.ui.secret.map((pointer) => pointerParts(pointer)[0] ?? ''))
  const inputs = Object.entries(found.inputs).filter(([name]) => !hidden.has(name))
  const start = {
    pack,
    template,
    workspace: workspace ?? null,
    environment: found.environment,
    profile: found.profile,
    config_preset: found.config_preset,
    inputs: Object.fromEntries(inputs) as JsonObject,
    secrets: Object.keys(request.inputs)
      .filter((name) => hidden.has(name))
      .sort(),
    plan_hash: found.plan_hash,
  }
  const runnable = found.verdict === 'ready' && errors.length === 0
  return sealPlan({
    type: 'start_plan',
    v: 1,
    ...start,
    version: contract.version,
    title: contract.title,
    risk: contract.risk,
    missing,
    faults,
    steps: contract.plan.map(({ step, operator, action_type }) => ({ step, operator, action_type })),
    checks: found.checks.map(({ id, status, message, fix }) => ({ id, status, message, ...(fix && { fix }) })),
    policy: found.policy,
    gates_expected: found.gates_expected,
    estimate_usd: found.estimate_usd,
    template_digest: contract.template_digest,
    runnable,
    command: (runnable ? runCommand(start) : undefined) ?? null,
  })
}

type InputError = Schema<'InputsAnswer'>['errors'][number]

/** Returns the places of invalid inputs. Other obstacles, such as an unknown preset, are in the checks. */
async function errorsOf(
  api: PlanningApi,
  { pack, template, inputs, config_preset }: Omit<StartRequest, 'workspace'>,
  found: Schema<'Preflight'>,
): Promise<InputError[]> {
  const hasInvalidInputs = found.checks.some(({ id, status }) => id === 'inputs' && status === 'fail')
  if (!hasInvalidInputs || (config_preset !== undefined && found.config_preset === null)) return []
  const question = { inputs, ...(config_preset !== undefined && { config_preset }) }
  return (await api.checkInputs(pack, template, question)).errors
}

/** A whole input that is still missing. */
function isMissing({ type, loc }: InputError): boolean {
  return type === 'required' && loc.length === 1
}

function missingOf({ inputs }: Schema<'TemplateContract'>, name: string): StartPlan['missing'][number] {
  const properties = inputs['properties']
  const schema = isObject(properties) ? properties[name] : undefined
  return { name, schema: isObject(schema) ? schema : {} }
}

function faultOf(
  { ui }: Schema<'TemplateContract'>,
  { pointer, loc, msg, type }: InputError,
): StartPlan['faults'][number] {
  const isUnknown = type === 'unevaluatedProperties' || type === 'additionalProperties'
  const hint = isUnknown && loc.length === 1 ? didYouMean(String(loc[0]), ui.order) : ''
  return { pointer, msg: `${msg}${hint}` }
}

/** The plan of what an answer proposes, by the planner and no model. A profile that the caller names takes the place of the proposed one. */
export async function planOfAction(
  api: PlanningApi,
  action: NonNullable<Schema<'AskAction'>>,
  of: Pick<StartRequest, 'profile' | 'workspace'>,
): Promise<StartPlan> {
  const { pack, template, inputs, environment, config_preset } = action
  const profile = of.profile ?? action.profile
  return await makePlan(api, {
    pack,
    template,
    inputs,
    environment,
    ...(profile !== undefined && { profile }),
    ...(config_preset !== undefined && { config_preset }),
    ...(of.workspace !== undefined && { workspace: of.workspace }),
  })
}
