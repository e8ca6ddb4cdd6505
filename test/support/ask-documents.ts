import { createHash } from 'node:crypto'
import type { TestDatabase } from './database.ts'
import { ids } from './run-drafts.ts'

/** A corpus of one document, whose chunks these are, by their headings. */
export async function addChunks(
  { db }: Pick<TestDatabase, 'db'>,
  workspace_id: string,
  { name, path = 'runbook.md', chunks }: { name: string; path?: string; chunks: { heading: string; text: string }[] },
): Promise<string> {
  const id = ids.next('corpus')
  const source = db.json({ kind: 'inline' })
  await db`
    insert into knowledge_corpora (id, workspace_id, name, source, author) values (${id}, ${workspace_id}, ${name}, ${source}, 'usr_x')`
  await db`
    insert into knowledge_documents (workspace_id, corpus_id, path, digest, size_bytes, state)
    values (${workspace_id}, ${id}, ${path}, 'sha256:d', 1, 'indexed')`
  for (const [ordinal, { heading, text }] of chunks.entries()) {
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    await db`
      insert into knowledge_chunks (workspace_id, corpus_id, path, ordinal, from_line, to_line, heading, text, digest)
      values (${workspace_id}, ${id}, ${path}, ${ordinal}, ${ordinal + 1}, ${ordinal + 1}, ${heading}, ${text}, ${digest})`
  }
  return id
}
