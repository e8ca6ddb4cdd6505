import type { KnowledgeFiles } from '#platform/knowledge/knowledge-files.ts'
import type { KnowledgeStore } from '#store/knowledge/knowledge.ts'
import type { KnowledgeSearch } from '#store/knowledge/knowledge-search.ts'
import type { ServiceContext } from '../context.ts'
import type { AskBudget } from '../models/model-call.ts'
import type { ModelContext } from '../models/model-ports.ts'

/** The dependencies of corpora. */
export interface KnowledgePorts {
  store: KnowledgeStore
  search: KnowledgeSearch
  files: KnowledgeFiles
}

/** Vectors come from models, so embedding is judged, paid and recorded like any model call. */
export type KnowledgeContext = ServiceContext &
  ModelContext & {
    knowledge: KnowledgePorts
    /** a turn of the ask agent that pays for vectors */
    ask_budget?: AskBudget
  }
