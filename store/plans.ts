import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { createLru } from '#core/lru.ts'
import type { Plan } from '#core/plan/types.ts'
import type { Db } from './db.ts'

/** Plans that a process remembers; a deployment has some dozens. */
const REMEMBERED = 200

/** Compiled templates by content. Loading checks the digest again. */
export function createPlanStore(db: Db, sha256: (text: string) => string) {
  const known = createLru<string, Plan>(REMEMBERED)
  return {
    /** Throws `internal` for an unknown plan, or one that does not match its digest. */
    async load(digest: string): Promise<Plan> {
      const remembered = known.get(digest)
      if (remembered !== undefined) return remembered
      const [row] = await db<{ plan: Plan }[]>`select plan from plans where digest = ${digest}`
      if (row === undefined) throw new DomainError('internal', `there is no plan ${digest}`)
      const { digest: named, ...content } = row.plan
      if (named !== digest || `sha256:${sha256(canonicalText(content))}` !== digest)
        throw new DomainError('internal', `the plan ${digest} is not what its digest says`)
      known.set(digest, row.plan)
      return row.plan
    },
  }
}

export type PlanStore = ReturnType<typeof createPlanStore>
