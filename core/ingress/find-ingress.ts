import type { Ingress } from './ingress.ts'

/** The ingress of this name, unless it is unknown or disabled. */
export function findIngress(
  packs: readonly { name: string; ingress: Ingress[] }[],
  pack: string,
  name: string,
): Ingress | undefined {
  const found = packs.find((each) => each.name === pack)?.ingress.find((each) => each.name === name)
  return found?.enabled === true ? found : undefined
}
