import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { CorpusSource } from '#core/knowledge/schema.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { createCorpus } from '#services/knowledge/corpora.ts'
import type { KnowledgeContext } from '#services/knowledge/knowledge-ports.ts'
import { createTestApi, type TestApiOptions } from './api-client.ts'
import { createTestDatabase } from './database.ts'

/** Folders of documents, and the verbs of knowledge over a real database. */
export async function openKnowledgeWorld(postgresUrl: string, options: TestApiOptions = {}) {
  const home = mkdtempSync(join(tmpdir(), 'svc-knowledge-'))
  const [root, packs] = [join(home, 'knowledge'), join(home, 'packs')]
  for (const folder of [root, packs]) mkdirSync(folder)
  const database = await createTestDatabase(postgresUrl)
  const places = { SVC_KNOWLEDGE_DIR: root, SVC_PACKS_DIR: packs }
  const api = await createTestApi(database, { places, ...options })
  const { services, reads, models, knowledge } = api.deps
  const ctx = (changes: Partial<KnowledgeContext> = {}): KnowledgeContext => ({
    ...{ ...services, ...reads, ...models, knowledge },
    ...{ actor: LOCAL_ACTOR, workspace_id: DEFAULT_WORKSPACE_ID, workspace_slug: 'default', channel: 'api' },
    request_id: 'req_test',
    ...changes,
  })
  let corpora = 0
  return {
    home,
    root,
    packs,
    database,
    api,
    ctx,
    /** writes files below the folder of folders, or elsewhere in `home` */
    write(files: Record<string, string | Uint8Array>, base = root): void {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(base, path)), { recursive: true })
        writeFileSync(join(base, path), text)
      }
    },
    async corpus(source: CorpusSource, changes: Partial<KnowledgeContext> = {}): Promise<string> {
      corpora += 1
      return (await createCorpus(ctx(changes), { name: `corpus-${corpora}`, source })).id
    },
    async close() {
      await api.close()
      await database.drop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export type KnowledgeWorld = Awaited<ReturnType<typeof openKnowledgeWorld>>
