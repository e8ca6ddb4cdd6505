import type { MicroUsd } from '#core/money.ts'
import type { AskDb } from '#store/ask/ask-db.ts'
import type { AskThreadStore } from '#store/ask/ask-threads.ts'
import type { GateDecisions } from '#store/gates/gate-decisions.ts'
import type { VotePorts } from '../approvals/current-votes.ts'
import type { KnowledgePorts } from '../knowledge/knowledge-ports.ts'
import type { ModelContext } from '../models/model-ports.ts'
import type { PlanContext } from '../packs/plan-context.ts'
import type { CheckContext } from '../packs/preflight-checks.ts'

/** The dependencies of the ask agent. */
export interface AskPorts {
  threads: AskThreadStore
  /** reads alone; absent where there is no database for it */
  reads?: AskDb
  /** search in corpora with the same role */
  knowledge?: Pick<KnowledgePorts, 'store' | 'search'>
  turn_cap_micro_usd: MicroUsd
  /** of one person in one workspace on one UTC day */
  day_cap_micro_usd: MicroUsd
}

export type AskContext = ModelContext &
  VotePorts & { decisions: Pick<GateDecisions, 'read'> } & CheckContext &
  PlanContext & {
    ask: AskPorts
    /** search in corpora; a turn gets one that reads as the ask agent */
    knowledge: KnowledgePorts
  }

/** Returns the owner of a caller's threads, in their account and the workspace of the request. */
export function ownerOf({ workspace_id, actor }: Pick<AskContext, 'workspace_id' | 'actor'>) {
  return { workspace_id, account_id: actor.account_id, owner_id: actor.id }
}
