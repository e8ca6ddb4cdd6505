import { checkStartNames } from '#core/names/check-start-names.ts'
import { knownNames, type NameSources } from '#platform/check/known-names.ts'
import { policyLayer } from '#platform/check/policy-names.ts'
import { loadRule } from '#platform/packs/load-rules.ts'
import type { LivePolicySource } from '#platform/policies/policy-source.ts'
import type { Identity } from '#services/auth/identity.ts'
import type { PolicyDesk } from '#services/console-policies/policy-ports.ts'
import type { RuleDesk } from '#services/console-rules/rule-ports.ts'
import { createConsoleDocuments } from '#store/console-documents.ts'
import type { Db } from '#store/db.ts'
import { createPolicyDocuments } from '#store/policy-documents.ts'
import type { TenantDb } from '#store/tenant-db.ts'

/** Where people write down in the console what a deployment should do. */
export interface Desks {
  policy_desk: PolicyDesk
  rule_desk: RuleDesk
}

export interface DeskParts {
  db: Db
  tenants: TenantDb
  names: NameSources
  policies: Pick<LivePolicySource, 'layers' | 'invalidate'>
  identity: Pick<Identity, 'users' | 'tokens'>
}

/** What authoring stands on: the tables, and the checks that files go through. */
export function createDesks({ db, tenants, names, policies, identity }: DeskParts): Desks {
  return {
    policy_desk: {
      store: createPolicyDocuments(db, tenants),
      layers: policies.layers,
      async lint(text, origin) {
        // nobody holds a role where nobody signs in
        const approval_roles = identity.tokens === undefined ? undefined : await identity.users.heldApprovalRoles()
        const known = { ...knownNames(names), ...(approval_roles !== undefined && { approval_roles }) }
        return policyLayer([{ file: 'policy', text, layer: 'console', ...origin }], known)
      },
      changed: policies.invalidate,
    },
    rule_desk: {
      store: createConsoleDocuments(db, 'rule'),
      lint(text, { author, environments }) {
        const known = { ...knownNames(names), environments }
        const loaded = loadRule(new TextEncoder().encode(text), author, (rule) =>
          checkStartNames(rule, { run: ['run'], at: [] }, known),
        )
        return 'faults' in loaded ? { faults: loaded.faults } : { rule: loaded.rule, faults: [] }
      },
    },
  }
}
