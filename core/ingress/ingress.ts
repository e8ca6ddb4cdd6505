import type { TriggerRule } from '../trigger/rule.ts'
import type { IngressSpec } from './ingress-schema.ts'

/** A valid ingress and its source. */
export interface Ingress extends Omit<IngressSpec, 'rules'> {
  pack: string
  rules: TriggerRule[]
  /** in its pack's manifest */
  line?: number | undefined
}

/** Returns the sender's name in records: `sre/github-deployments`. */
export function ingressId({ pack, name }: Pick<Ingress, 'pack' | 'name'>): string {
  return `${pack}/${name}`
}

/** The ingress of this name, unless it is unknown or disabled. */
export function findIngress(
  packs: readonly { name: string; ingress: Ingress[] }[],
  pack: string,
  name: string,
): Ingress | undefined {
  const found = packs.find((each) => each.name === pack)?.ingress.find((each) => each.name === name)
  return found?.enabled === true ? found : undefined
}
