import { orderRules, type TriggerRule } from '#core/trigger/rule.ts'
import type { ServiceContext } from '../context.ts'

type Rules = readonly TriggerRule[]

/** By the list of the packs, whose every reload makes a new one; the overlay's is compared. */
const ordered = new WeakMap<Rules, { overlay: Rules; rules: Rules }>()

/** The rules of the overlay and of the packs in the order in which they are tried. */
export function rulesInOrder({ environments, packs }: Pick<ServiceContext, 'environments' | 'packs'>): Rules {
  const [overlay, shipped] = [environments.rules(), packs.rules()]
  const known = ordered.get(shipped)
  if (known?.overlay === overlay) return known.rules
  const rules = orderRules([...overlay, ...shipped])
  ordered.set(shipped, { overlay, rules })
  return rules
}
