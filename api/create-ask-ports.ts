import { capFromUsd } from '#core/money.ts'
import type { Config } from '#platform/config.ts'
import type { KnowledgeContext } from '#services/knowledge/knowledge-ports.ts'
import type { AskDb } from '#store/ask/ask-db.ts'
import { createAskThreads } from '#store/ask/ask-threads.ts'
import type { Db } from '#store/db.ts'
import { createKnowledgeStore } from '#store/knowledge/knowledge.ts'
import { createKnowledgeSearch } from '#store/knowledge/knowledge-search.ts'
import type { TenantDb } from '#store/tenant-db.ts'
import type { ApiContext } from './context.ts'
import type { ApiDeps } from './deps.ts'
import { createTurnLimit } from './rate-limit.ts'

/** Makes the dependencies of the ask agent: its threads, its caps, and a read-only way to the database. */
export function createAskPorts(
  { ask }: Config,
  { db, tenants, ask_reads }: { db: Db; tenants: TenantDb; ask_reads?: AskDb },
): ApiDeps['ask'] {
  return {
    ports: {
      threads: createAskThreads(db, tenants),
      ...(ask_reads && {
        reads: ask_reads,
        knowledge: { store: createKnowledgeStore(db, ask_reads), search: createKnowledgeSearch(ask_reads) },
      }),
      turn_cap_micro_usd: capFromUsd(ask.turnUsd),
      day_cap_micro_usd: capFromUsd(ask.dayUsd),
    },
    limit: createTurnLimit(ask.turnsPerMinute),
  }
}

/** Returns the context of corpora's verbs. */
export function knowledgeContext(c: ApiContext): KnowledgeContext {
  const { models, knowledge } = c.get('deps')
  return { ...c.get('ctx'), ...models, knowledge }
}
