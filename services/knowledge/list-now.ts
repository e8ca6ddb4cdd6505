import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { CorpusProblem, InlineDocument } from '#core/knowledge/schema.ts'
import { utf8Bytes } from '#core/text/text.ts'
import type { CorpusRow, ListedDocument, ListingChanges } from '#store/knowledge/knowledge-rows.ts'
import { digestOf, overtaken } from '../authored-document.ts'
import { corpusAudit, findCorpus, refusedSource } from './corpus-record.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

const TRIES = 5

interface Listing {
  documents: ListedDocument[]
  problems: CorpusProblem[]
}

export interface ListedNow extends ListingChanges {
  problems: CorpusProblem[]
}

/** Lists the current documents of a corpus; an inline one has those that are given, or keeps its own. */
export async function listNow(
  ctx: KnowledgeContext,
  { corpus, documents }: { corpus: CorpusRow; documents: InlineDocument[] | undefined },
): Promise<ListedNow> {
  let before = corpus
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const listing = await listingOf(ctx, before, documents)
    if (listing === undefined)
      return { added: 0, changed: 0, unchanged: before.documents - before.pending, removed: 0, problems: [] }
    const changes = await put(ctx, before, listing)
    if (changes !== undefined) return { ...changes, problems: listing.problems }
    // the read may be older than another listing since: read it again
    before = await findCorpus(ctx, corpus.id)
  }
  throw overtaken()
}

async function listingOf(
  ctx: KnowledgeContext,
  { source }: CorpusRow,
  documents: InlineDocument[] | undefined,
): Promise<Listing | undefined> {
  if (source.kind === 'inline')
    return (
      documents && {
        documents: documents.map(({ path, text }) => ({
          path,
          digest: digestOf(ctx, text),
          size_bytes: utf8Bytes(text),
          content: text,
        })),
        problems: [],
      }
    )
  if (documents !== undefined)
    throw new DomainError('validation_failed', 'The documents of this corpus are files; only an inline one takes them.')
  const listing = await ctx.knowledge.files.list(source)
  if (typeof listing === 'string') throw refusedSource(listing)
  return listing
}

function put(ctx: KnowledgeContext, corpus: CorpusRow, listing: Listing): Promise<ListingChanges | undefined> {
  const list = canonicalText(listing.documents.map(({ path, digest }) => [path, digest]))
  return ctx.knowledge.store.putListing(corpus, listing, (changes) =>
    corpusAudit(ctx, {
      action: 'knowledge.indexed',
      corpus,
      after: list,
      data: { ...changes, problems: listing.problems.length },
    }),
  )
}
