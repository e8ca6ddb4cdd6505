import { createHash } from 'node:crypto'
import type { Environment } from '#core/environment/environment.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createConnectionBox } from '#platform/connection-box.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createOAuthClient } from '#platform/oauth/oauth-client.ts'
import { createS3Client } from '#platform/s3/s3-client.ts'
import { createArtifactObjects } from '#services/runs/artifact-objects.ts'
import { createAuthorizationStore } from '#store/connections/authorizations.ts'
import { createConnectionStore } from '#store/connections/connections.ts'
import { createMcpToolStore } from '#store/connections/mcp-tools.ts'
import { TEST_MASTER_KEY, type TestApi } from './api-client.ts'
import type { TestDatabase } from './database.ts'
import { operatorContext } from './operator-context.ts'
import { ids } from './run-drafts.ts'
import { S3_SECRET, type S3Server } from './s3-server.ts'
import { storeConnection } from './stored-connection.ts'
import { admitTestRun, finishTestRun } from './test-runs.ts'

/** A connection of the console to the bucket of a server, granted to all workspaces. */
export async function connectBucket(
  { db }: Pick<TestDatabase, 'db'>,
  server: S3Server,
  { name = 'artifacts', secret = S3_SECRET, workspaces = ['*'] } = {},
): Promise<string> {
  const config = { ...server.config, prefix: 'svc', path_style: true }
  await storeConnection({ db }, { kind: 's3', auth: 'key', config, name, workspaces }, { key: TEST_MASTER_KEY, secret })
  return name
}

/** Objects of artifacts over a database; every environment may reach this machine, unless `egress` says what it may. */
export function artifactObjects({ db }: Pick<TestDatabase, 'db'>, egress: string[] = ['loopback']) {
  const client = createEgressClient()
  const environments = { get: () => ({ egress }) }
  const log = { error: () => undefined }
  return createArtifactObjects({
    connections: {
      ...{ store: createConnectionStore(db), authorizations: createAuthorizationStore(db) },
      tools: createMcpToolStore(db),
      ...{ box: createConnectionBox([TEST_MASTER_KEY]), oauth: createOAuthClient(client), egress: client },
      ...{ environments, clock: Date.now, ids, log },
      workspaces: { find: async () => ({ slug: 'default' }) as never },
    },
    s3: createS3Client(client),
    environments,
  })
}

/** An environment that keeps artifacts in that bucket. */
export function keepingEnvironment(object_connection = 'artifacts', egress: string[] = ['loopback']): Environment {
  return { ...operatorContext({ egress }).environment, backends: { object_store: 's3', object_connection } }
}

/** A run that has ended and left one artifact in the bucket. */
export async function keptArtifact(
  api: TestApi,
  database: Pick<TestDatabase, 'db'>,
  { text, name }: { text: string; name: string },
) {
  const id = await admitTestRun(api)
  const body = Buffer.from(text)
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`
  const object = await artifactObjects(database).put({
    ...{ environment: keepingEnvironment(), run: { id, workspace_id: DEFAULT_WORKSPACE_ID }, step_id: 'act' },
    ...{ signal: new AbortController().signal, body, media_type: 'text/markdown', digest },
  })
  if (object === undefined) throw new Error('was not put')
  const facts = { name, media_type: 'text/markdown', size_bytes: body.byteLength, digest, object }
  const settle = { step_id: 'act', ordinal: 1, state: 'succeeded' as const, attempt: 1 }
  await finishTestRun(api, id, { ...settle, artifacts: [{ id: `art_${id.slice('run_'.length)}`, ...facts }] })
  const path = `/runs/${id}/artifacts/download?name=${encodeURIComponent(name)}`
  return { id, path, text, digest, key: `svc/${object.key}` }
}
