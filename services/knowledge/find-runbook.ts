import { chunkOf, mentions, namedDocuments, wordsOf } from '#core/knowledge/runbook.ts'
import type { KnowledgePassage } from '#core/knowledge/schema.ts'
import type { RunContext } from '#core/run/context-schema.ts'
import type { AlertRecord } from '#core/trigger/alert-record.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'
import { toChunk } from './search-corpora.ts'

interface Subject {
  environment: string
  template: string
  alert: AlertRecord | undefined
  service: string | undefined
}

const CANDIDATES = 20
const MAX_CHUNKS = 200

/**
 * Finds the passage of a runbook for what a run is about: in the document that its alert names, else the best hit by words that mentions
 * service, symptom or template. It asks no model: it is read whenever somebody looks at a gate. Only in corpora that the environment
 * attaches, or in all where it attaches none.
 */
export async function findRunbook(
  ctx: Pick<KnowledgeContext, 'workspace_id' | 'environments' | 'knowledge'>,
  { environment, template, alert, service }: Subject,
): Promise<RunContext['runbook']> {
  const attached = ctx.environments.get(environment)?.knowledge ?? []
  const all = await ctx.knowledge.store.named(ctx.workspace_id)
  const corpora = all.filter(({ name }) => attached.length === 0 || attached.includes(name)).map(({ id }) => id)
  if (corpora.length === 0) return undefined
  const { search } = ctx.knowledge
  const subjects = [service, alert?.symptom].filter((name) => name !== undefined && name !== 'unknown')
  const names = [...new Set([...subjects, template])].filter((name) => name !== undefined)
  for (const { paths, section } of alert === undefined ? [] : namedDocuments(alert)) {
    const chunks = (await search.ofDocument(ctx.workspace_id, { corpora, paths, limit: MAX_CHUNKS })).map(toChunk)
    const passage = chunkOf(chunks, section, names)
    if (passage !== undefined) return { why: 'named', passage }
  }
  const query = wordsOf([...names, alert?.title].join(' ')).join(' ')
  if (query === '') return undefined
  const found = (await search.byText(ctx.workspace_id, { corpora, query, limit: CANDIDATES })).map(toChunk)
  const isAbout = (passage: KnowledgePassage) => mentions(passage, names)
  const passage = found.find(isAbout)
  return passage && { why: 'found', passage }
}
