import type { FileFault } from '#core/file-fault.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { AuthoredStore } from '#store/authored/authored.ts'
import type { ServiceContext } from '../context.ts'

/** What authoring rules stands on. */
export interface RulePorts {
  store: AuthoredStore
  /** the rule where it is sound, and everything that `svc check` would say of it; `environments` are those that its runs may use */
  lint(
    text: string,
    origin: { author: string; environments: string[] },
  ): { rule?: TriggerRule | undefined; faults: FileFault[] }
}

export type RulePortsContext = ServiceContext & { rule_ports: RulePorts }
