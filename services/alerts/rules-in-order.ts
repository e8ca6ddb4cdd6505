import { orderRules, type TriggerRule } from '#core/trigger/rule.ts'
import type { ServiceContext } from '../context.ts'

type Rules = readonly TriggerRule[]

/** By the list of the packs, whose every reload makes a new one, and that of the console; the overlay's is compared. */
const ordered = new WeakMap<Rules, WeakMap<Rules, { overlay: Rules; rules: Rules }>>()

/** The rules of the console, the overlay and the packs in the order in which they are tried. */
export async function rulesInOrder({
  environments,
  packs,
  console_rules,
  workspace_id,
}: Pick<ServiceContext, 'environments' | 'packs' | 'console_rules' | 'workspace_id'>): Promise<Rules> {
  const authored = await console_rules.current(workspace_id)
  const [overlay, shipped] = [environments.rules(), packs.rules()]
  const byShipped = ordered.get(shipped) ?? new WeakMap<Rules, { overlay: Rules; rules: Rules }>()
  ordered.set(shipped, byShipped)
  const known = byShipped.get(authored)
  if (known?.overlay === overlay) return known.rules
  const rules = orderRules([...authored, ...overlay, ...shipped])
  byShipped.set(authored, { overlay, rules })
  return rules
}
