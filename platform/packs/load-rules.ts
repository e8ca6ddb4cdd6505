import type { FileFault } from '#core/file-fault.ts'
import type { Fault } from '#core/plan/fault.ts'
import { checkRule, type TriggerRule } from '#core/trigger/rule.ts'
import { RuleFile, RuleSpec } from '#core/trigger/rule-schema.ts'
import { parseDocument } from './parse-document.ts'

export interface RuleOrigin {
  layer: TriggerRule['layer']
  /** as people find the file */
  file: string
  pack?: string
}

export type LoadedRules = { rules: TriggerRule[] } | { faults: FileFault[] }

/** Reads a rule file: all of its rules, or everything that is wrong with it. `check` may know more, such as the templates. */
export function loadRules(
  bytes: Uint8Array,
  { layer, file, pack }: RuleOrigin,
  check: (rule: RuleSpec, path: (string | number)[]) => Fault[] = () => [],
): LoadedRules {
  const parsed = parseDocument(RuleFile, file, bytes)
  if (Array.isArray(parsed)) return { faults: parsed }
  const { data, yaml } = parsed
  const faults = data.flatMap((rule, index) => {
    const twice = data.findIndex((each) => each.name === rule.name) < index
    const repeated: Fault[] = twice ? [{ path: [index, 'name'], message: `rule name ${rule.name} is used twice` }] : []
    return [...repeated, ...checkRule(rule, [index]), ...check(rule, [index])]
  })
  if (faults.length > 0) return { faults: faults.map(yaml.place) }
  return { rules: data.map((rule) => ({ ...rule, layer, origin: file, ...(pack !== undefined && { pack }) })) }
}

/** Reads one rule of the console: an entry of a rule file, alone. */
export function loadRule(
  bytes: Uint8Array,
  author: string,
  check: (rule: RuleSpec, path: (string | number)[]) => Fault[] = () => [],
): { rule: TriggerRule } | { faults: FileFault[] } {
  const parsed = parseDocument(RuleSpec, 'rule', bytes)
  if (Array.isArray(parsed)) return { faults: parsed }
  const { data, yaml } = parsed
  const faults = [...checkRule(data, []), ...check(data, [])]
  return faults.length > 0
    ? { faults: faults.map(yaml.place) }
    : { rule: { ...data, layer: 'console', origin: author } }
}
