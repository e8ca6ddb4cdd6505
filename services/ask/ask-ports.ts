import type { MicroUsd } from '#core/money.ts'
import type { AskDb } from '#store/ask-db.ts'
import type { AskThreadStore } from '#store/ask-threads.ts'
import type { ModelContext } from '../models/model-ports.ts'
import type { CheckContext } from '../packs/preflight-checks.ts'
import type { PlanContext } from '../packs/plan-context.ts'

/** What the ask agent stands on. */
export interface AskPorts {
  threads: AskThreadStore
  /** reads alone; absent where there is no database for it */
  reads?: AskDb
  turn_cap_micro_usd: MicroUsd
  /** of a thread on one UTC day */
  thread_cap_micro_usd: MicroUsd
}

export type AskContext = ModelContext & CheckContext & PlanContext & { ask: AskPorts }

/** Whose threads a caller has: their own, in their account and in the workspace that the request is for. */
export function ownerOf({ workspace_id, actor }: Pick<AskContext, 'workspace_id' | 'actor'>) {
  return { workspace_id, account_id: actor.account_id, owner_id: actor.id }
}
