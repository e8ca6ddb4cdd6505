import { type Environment, isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { objectOf } from '#core/json/json.ts'
import { estimatePlan } from '#core/plan/estimate-plan.ts'
import { type PlanGraph, planGraph } from '#core/plan/graph.ts'
import type { Contract } from '#core/plan/preflight-schema.ts'
import { planRisk } from '#core/policy/plan-subjects.ts'
import { secretPaths } from '#core/secret/secret-paths.ts'
import type { LoadedPack } from '#platform/packs/loaded-pack.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import type { PresetStore } from '#store/authored/presets.ts'
import type { ServiceContext } from '../context.ts'
import { environmentOf, explainIn, type PlanContext } from './plan-context.ts'

/** Describes a template in an environment: its inputs, its actions, its needs and its possible gates. */
export async function getContract(
  ctx: PlanContext & { preset_store: Pick<PresetStore, 'list'> },
  asked: { pack: string; template: string; environment?: string | undefined },
): Promise<Contract> {
  const found = findTemplate(ctx, asked.pack, asked.template)
  const { plan, inputs_schema } = found
  const place = environmentOf(ctx, { environment: asked.environment })
  const explained = await explainIn(ctx, plan, place)
  const pack = ctx.packs.list().find(({ name }) => name === found.pack)
  const presets = await ctx.preset_store.list(ctx.workspace_id, 'config', {
    pack: found.pack,
    template: found.template,
  })
  const granted = ctx.environments.list().filter((each) => isGranted(each, ctx.workspace_slug))
  return {
    pack: found.pack,
    template: found.template,
    version: found.version,
    digest: found.digest,
    template_digest: plan.digest,
    title: found.title,
    ...(found.description !== undefined && { description: found.description }),
    risk: planRisk(plan),
    environment: place.environment.name,
    inputs: inputs_schema,
    ui: { order: Object.keys(objectOf(inputs_schema['properties'])), secret: secretPaths(inputs_schema) },
    outputs: found.outputs,
    plan: plan.steps.map(({ id, operator, action_type, capabilities }, index) => {
      const predicted = explained?.steps[index]
      const gate =
        predicted === undefined
          ? { possible: true, because: ['the policies cannot be read'] }
          : { possible: predicted.outcome === 'gate', because: predicted.outcome === 'gate' ? predicted.because : [] }
      return { step: id, operator, action_type, capabilities, gate }
    }),
    integrations: integrationsOf(pack, place.environment),
    presets: presets.map(({ id, name, version, is_default }) => ({ id, name, version, is_default })),
    metrics: pack?.metrics ?? [],
    sandbox: granted.some((each) => each.class === 'sandbox'),
    estimate_usd: estimatePlan(plan, ctx.operators),
  }
}

/** The steps of a template as a graph, with the gates that are to be expected where it would run. */
export async function getGraph(
  ctx: PlanContext,
  asked: { pack: string; template: string; environment?: string | undefined },
): Promise<PlanGraph> {
  const { plan } = findTemplate(ctx, asked.pack, asked.template)
  const explained = await explainIn(ctx, plan, environmentOf(ctx, { environment: asked.environment }))
  const gates = explained && new Set(explained.steps.filter((each) => each.outcome === 'gate').map(({ step }) => step))
  return planGraph(plan, (step) => gates?.has(step) ?? true)
}

/** A template of an installed pack. Throws `not_found`. */
export function findTemplate(
  { packs }: { packs: Pick<ServiceContext['packs'], 'findTemplate'> },
  pack: string,
  template: string,
): LoadedTemplate {
  const found = packs.findTemplate(pack, template)
  if (found === undefined) throw new DomainError('not_found', `there is no template ${pack}/${template}`)
  return found
}

/** Returns the connections that a pack needs, by their state in an environment. */
export function integrationsOf(
  pack: Pick<LoadedPack, 'connections'> | undefined,
  { connections }: Pick<Environment, 'connections'>,
): Contract['integrations'] {
  return (pack?.connections ?? []).map(({ id, kind, optional }) => {
    const known = Object.hasOwn(connections, id) ? connections[id] : undefined
    const status = known === undefined ? 'unbound' : known.kind === kind ? 'bound' : 'other_kind'
    return { connection: id, kind, required: !optional, bound: status === 'bound', status } as const
  })
}
