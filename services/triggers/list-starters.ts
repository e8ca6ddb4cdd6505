import { isGranted } from '#core/environment/environment.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { Starters, TriedRule } from '#core/trigger/starters-schema.ts'
import { rulesInOrder } from '../alerts/match-alerts.ts'
import type { ServiceContext } from '../context.ts'

/** The rules of all layers in the order in which they are tried, and signed ingress. Rules for environments of others are left out. */
export async function listStarters(
  ctx: Pick<ServiceContext, 'console_rules' | 'environments' | 'packs' | 'workspace_id' | 'workspace_slug'>,
): Promise<Starters> {
  const places = ctx.environments.list()
  const isOurs = ({ environment }: TriggerRule) => {
    const place = places.find(({ name }) => name === environment)
    return place === undefined || isGranted(place, ctx.workspace_slug)
  }
  const rules = await rulesInOrder(ctx)
  return {
    rules: rules
      .filter(({ on }) => on !== 'ingress')
      .filter(isOurs)
      .map(toTriedRule),
    ingress: ctx.packs
      .list()
      .flatMap((pack) => pack.ingress)
      .map(({ pack, name, verify, rules: own }) => ({
        pack,
        name,
        path: `/triggers/ingress/${pack}/${name}`,
        scheme: verify.scheme,
        rules: own.filter(isOurs).map(toTriedRule),
      })),
  }
}

function toTriedRule(rule: TriggerRule): TriedRule {
  const { name, description, layer, origin, pack, on, match, run, environment, profile, on_resolved } = rule
  return {
    name,
    layer,
    origin,
    on,
    match,
    run,
    on_resolved,
    ...(description !== undefined && { description }),
    ...(pack !== undefined && { pack }),
    ...(environment !== undefined && { environment }),
    ...(profile !== undefined && { profile }),
  }
}
