import type { TriggerRule } from '#core/trigger/rule.ts'
import type { FileFault } from '#platform/packs/file-fault.ts'
import type { AuthoredStore } from '#store/authored.ts'
import type { ServiceContext } from '../context.ts'

/** What authoring rules stands on. */
export interface RuleDesk {
  store: AuthoredStore
  /** the rule where it is sound, and everything that `svc check` would say of it; `environments` are those that its runs may use */
  lint(
    text: string,
    origin: { author: string; environments: string[] },
  ): { rule?: TriggerRule | undefined; faults: FileFault[] }
}

export type RuleDeskContext = ServiceContext & { rule_desk: RuleDesk }
