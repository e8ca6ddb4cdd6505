import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { artifactKey, type ObjectRecord, removeObjects } from '#services/runs/artifact-objects.ts'
import { forgetRuns } from '#services/runs/retention.ts'
import { createDb } from '#store/db.ts'
import { createArtifactRemovals } from '#store/runs/artifact-removals.ts'
import { createRunRetention } from '#store/runs/run-retention.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { artifactObjects, connectBucket, keepingEnvironment } from '#test/support/kept-objects.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { type S3Server, startS3Server } from '#test/support/s3-server.ts'

const TEXT = '# Done\n'
const DIGEST = `sha256:${createHash('sha256').update(TEXT).digest('hex')}`
const STEP = { step_id: 'act', ordinal: 1, attempt: 1 }

const database = testDatabase()
const owner = fileFixture(() => createDb(database.owner_url, { max: 1 }))
const runs = fileFixture(() => createRunStore(database.db))
const objects = fileFixture(() => artifactObjects(database))
let server: S3Server
beforeAll(async () => {
  server = await startS3Server()
  await connectBucket(database, server)
})
afterAll(() => server.close())
beforeEach(() => {
  server.objects.clear()
  server.requests.length = 0
})

async function admitted(): Promise<{ id: string; workspace_id: string }> {
  const draft = runDraft()
  await runs.admit([draft])
  await runs.markStarted([draft.id])
  return { id: draft.id, workspace_id: draft.workspace_id }
}
const putting = (run: { id: string; workspace_id: string }, changes: object = {}) => ({
  ...{ environment: keepingEnvironment(), run, step_id: 'act', signal: new AbortController().signal },
  ...{ body: Buffer.from(TEXT), media_type: 'text/markdown', digest: DIGEST, ...changes },
})

/** A run whose step has left `report.md` in the bucket. */
async function kept(): Promise<{ id: string; key: string; record: ObjectRecord }> {
  const run = await admitted()
  const object = await objects.put(putting(run))
  if (object === undefined) throw new Error('was not put')
  const artifact = {
    id: ids.next('artifact'),
    name: 'report.md',
    media_type: 'text/markdown',
    size_bytes: TEXT.length,
    digest: DIGEST,
  }
  const settle = { ...STEP, state: 'succeeded' as const, artifacts: [{ ...artifact, object }] }
  await runs.record({ run_id: run.id, any_fence: true, run: { status: 'running' } })
  await runs.record({ run_id: run.id, any_fence: true, settle })
  const { workspace_id } = run
  return { id: run.id, key: object.key, record: { ...artifact, workspace_id, environment: 'development', object } }
}

describe('an artifact in a bucket', () => {
  test('is put under workspace, run and digest, its use is on record, and it is read back', async () => {
    const { id, key, record } = await kept()
    expect(key).toBe(artifactKey({ id, workspace_id: DEFAULT_WORKSPACE_ID }, DIGEST))
    expect(key).toBe(`${DEFAULT_WORKSPACE_ID}/${id}/${DIGEST.replace(':', '-')}`)
    expect([...server.objects.keys()]).toEqual([`svc/${key}`])
    expect(server.objects.get(`svc/${key}`)?.metadata).toEqual({ 'svc-run': id, 'svc-step': 'act' })
    expect(Buffer.from(await objects.read(record)).toString()).toBe(TEXT)
    expect(await database.db`select from connection_uses where run_id = ${id} and step_id = 'act'`).toHaveLength(1)
    const [row] = await database.db`select object_connection, body_digest from artifacts where run_id = ${id}`
    expect(row).toEqual({ object_connection: 'artifacts', body_digest: null })
    expect(await runs.artifactsNamed(id, ['other.md', 'report.md'])).toEqual([{ name: 'report.md', step_id: 'act' }])
    expect(await database.db`select from artifact_bodies where digest = ${DIGEST}`).toHaveLength(0)
  })

  test('is the same object however often its step is tried', async () => {
    const run = await admitted()
    const puts = [await objects.put(putting(run)), await objects.put(putting(run))]
    expect(puts[0]).toEqual(puts[1])
    expect(server.objects.size).toBe(1)
  })

  test.each([
    ['swapped for another one', (key: string) => server.swap(key, '# Fine\n')],
    ['replaced by a larger one', (key: string) => server.swap(key, `${TEXT}and more`)],
    ['deleted', (key: string) => void server.objects.delete(key)],
  ])('that was %s is neither read nor linked', async (_what, change) => {
    const { key, record } = await kept()
    change(`svc/${key}`)
    await expect(objects.read(record)).rejects.toMatchObject({ code: 'artifact_mismatch', details: { digest: DIGEST } })
    await expect(objects.link(record, 'attachment')).rejects.toMatchObject({ code: 'artifact_mismatch' })
  })

  test('of a server without checksums is read before it is linked', async () => {
    const { key, record } = await kept()
    const held = server.objects.get(`svc/${key}`)
    if (held !== undefined) held.sha256 = undefined
    expect((await fetch(await objects.link(record, 'attachment'))).status).toBe(200)
    server.swap(`svc/${key}`, '# Fine\n')
    await expect(objects.link(record, 'attachment')).rejects.toMatchObject({ code: 'artifact_mismatch' })
  })

  test('is put once the server is no longer busy, and not for ever', async () => {
    const run = await admitted()
    server.refuse({ status: 503, code: 'SlowDown' })
    expect(await objects.put(putting(run))).toMatchObject({ connection: 'artifacts' })
    server.refuse(...Array.from({ length: 3 }, () => ({ status: 503, code: 'SlowDown' })))
    await expect(objects.put(putting(run))).rejects.toMatchObject({ code: 'dependency_unavailable', retryable: true })
  })

  test('stays in the database where the environment says nothing', async () => {
    const environment = { ...keepingEnvironment(), backends: undefined }
    expect(await objects.put(putting(await admitted(), { environment }))).toBeUndefined()
    expect(server.requests).toEqual([])
  })

  test.each([
    ['out of reach', () => keepingEnvironment('artifacts', []), { code: 'egress_denied' }],
    ['of a connection that is not there', () => keepingEnvironment('nowhere'), { code: 'not_found' }],
  ])('%s is not put', async (_what, environment, error) => {
    await expect(objects.put(putting(await admitted(), { environment: environment() }))).rejects.toMatchObject(error)
    expect(server.requests).toEqual([])
  })

  test('whose connection is gone says which one', async () => {
    const { record } = await kept()
    const lost = { ...record, object: { ...record.object, connection: 'gone' } }
    await expect(objects.read(lost)).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('gone'),
    })
  })

  test('that cannot be read now may be read later', async () => {
    const { record } = await kept()
    server.refuse({ status: 503, code: 'SlowDown' })
    await expect(objects.read(record)).rejects.toMatchObject({ code: 'dependency_unavailable' })
    expect(Buffer.from(await objects.read(record)).toString()).toBe(TEXT)
  })
})

test('a body in the database and an object of the same content do not stand for each other', async () => {
  const { id } = await kept()
  const other = await admitted()
  const body = {
    id: ids.next('artifact'),
    name: 'a',
    media_type: 'text/plain',
    size_bytes: TEXT.length,
    digest: DIGEST,
  }
  await runs.record({ run_id: other.id, any_fence: true, run: { status: 'running' } })
  const artifacts = [{ ...body, body_base64: Buffer.from(TEXT).toString('base64') }]
  await runs.record({ run_id: other.id, any_fence: true, settle: { ...STEP, state: 'succeeded', artifacts } })
  expect(await database.db`select from artifact_bodies where digest = ${DIGEST}`).toHaveLength(1)
  const places = await database.db`
    select run_id, body_digest from artifacts where digest = ${DIGEST} and run_id = any(${[id, other.id]}) order by body_digest nulls first`
  expect(places).toEqual([
    { run_id: id, body_digest: null },
    { run_id: other.id, body_digest: DIGEST },
  ])
  // a body that an artifact needs stays
  await expect(owner`delete from artifact_bodies where digest = ${DIGEST}`).rejects.toThrow(
    /artifacts_body_digest_fkey/,
  )
})

describe('a run that is deleted', () => {
  const failures: unknown[] = []
  const sweep = async (through = objects) =>
    await removeObjects(
      { removals: createArtifactRemovals(database.db), objects: through, failed: (_of, error) => failures.push(error) },
      50,
    )
  async function forgotten(id: string): Promise<void> {
    await runs.record({
      run_id: id,
      any_fence: true,
      run: { status: 'failed', error: { code: 'internal', message: 'x' } },
    })
    await database.db`update runs set ended_at = now() - interval '31 days' where id = ${id}`
    await forgetRuns({ retention: createRunRetention(database.db), ids }, 30)
    expect(await database.db`select from runs where id = ${id}`).toHaveLength(0)
  }

  test('takes its objects with it', async () => {
    const { id, key } = await kept()
    await forgotten(id)
    expect(server.objects.has(`svc/${key}`)).toBe(true)
    expect(await sweep()).toBe(1)
    expect(server.objects.size).toBe(0)
    expect(await sweep()).toBe(0)
  })

  test('leaves an object that another run still has', async () => {
    const { id, key, record } = await kept()
    const retry = await admitted()
    await database.db`
      insert into artifacts (id, run_id, workspace_id, step_id, name, media_type, size_bytes, digest, object_connection, object_key)
      values (${ids.next('artifact')}, ${retry.id}, ${retry.workspace_id}, 'act', 'report.md', 'text/markdown', 7, ${DIGEST}, 'artifacts', ${key})`
    await forgotten(id)
    expect(await sweep()).toBe(0)
    expect(Buffer.from(await objects.read(record)).toString()).toBe(TEXT)
  })

  test('keeps what cannot be deleted now for later', async () => {
    const { id } = await kept()
    await forgotten(id)
    expect(await sweep(artifactObjects(database, []))).toBe(0)
    expect(failures).toHaveLength(1)
    expect(server.objects.size).toBe(1)
    const [row] = await database.db`select attempts, due_at > now() as later from artifact_removals`
    expect(row).toEqual({ attempts: 1, later: true })
    await database.db`update artifact_removals set due_at = now()`
    expect(await sweep()).toBe(1)
  })
})
