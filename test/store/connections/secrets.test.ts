import { beforeEach, describe, expect, test } from 'vitest'
import { addressOf, connectionUrl } from '#core/connection/kind-schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { ConnectionBox } from '#platform/connection-box.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { openConnection } from '#services/connections/open-connection.ts'
import { resealSecrets } from '#services/connections/reseal-secrets.ts'
import { type ConnectionDraft, createConnectionStore } from '#store/connections/connections.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { boxOf, connectionAudit, storeConnection } from '#test/support/stored-connection.ts'

const OLD = 'the old key of this test; 32 bytes and more'
const NEW = 'the new key of this test; 32 bytes and more'
const SECRET = 'opensesame'

const database = testDatabase()
const store = fileFixture(() => createConnectionStore(database.db))

beforeEach(async () => {
  await database.db`delete from connections`
})

const made = (changes: Partial<ConnectionDraft> = {}, key = OLD) =>
  storeConnection(
    database,
    {
      ...{ kind: 'postgres', auth: 'basic' },
      config: { host: '127.0.0.1', port: 5432, database: 'app', user: 'svc', sslmode: 'disable' },
      ...changes,
    },
    { key, secret: SECRET },
  )
const ports = (box: ConnectionBox | undefined = boxOf(OLD), slug = 'default') => ({
  ...{ store, box, egress: createEgressClient(), clock: Date.now, ids },
  workspaces: { find: async () => ({ slug }) as never },
  // of connections with OAuth, or with tools, alone
  ...({} as Pick<Parameters<typeof openConnection>[0], 'authorizations' | 'oauth' | 'environments' | 'log' | 'tools'>),
})
const asked = (stored: string, kind = 'postgres') => ({
  ...{ stored, kind, id: 'orders', workspaceId: DEFAULT_WORKSPACE_ID },
})
const user = async () => {
  const run = runDraft()
  await createRunStore(database.db).admit([run])
  return { run: { id: run.id, workspace_id: run.workspace_id }, step_id: 'read', signal: new AbortController().signal }
}

describe('a connection that a step opens', () => {
  test('is its url with the secret in it; its use is on record, and goes to the address that was checked', async () => {
    const row = await made()
    const opened = await openConnection(ports(), asked(row.name))
    expect(opened.url).toBe(connectionUrl(row, SECRET))
    const by = await user()
    expect(await opened.use?.({ ...by, egress: ['loopback'] })).toEqual({ address: '127.0.0.1' })
    const uses = await database.db`select connection_id, version from connection_uses where run_id = ${by.run.id}`
    expect(uses).toEqual([{ connection_id: row.id, version: 1 }])
    const records = await database.db`
      select draft -> 'data' as data from audit_outbox
      where draft ->> 'action' = 'connection.used' and draft ->> 'run_id' = ${by.run.id}`
    expect(records).toEqual([{ data: { name: row.name, version: 1, step: 'read' } }])
  })

  test('is opened whole while its secret is rotated', async () => {
    let row = await made()
    const box = boxOf(OLD)
    const rotating = async () => {
      for (let round = 0; round < 50; round++) {
        const version = row.version + 1
        const secret = await box.seal({ id: row.id, version, address: addressOf(row) }, SECRET)
        const changed = await store.change(
          row,
          { ...row, version, secret, keeps_authorization: false },
          {
            audit: connectionAudit('connection.updated', row.id),
            dropped: connectionAudit('connection.authorization_dropped', row.id),
          },
        )
        row = changed ?? row
      }
    }
    const opening = async () => {
      for (let round = 0; round < 100; round++) await openConnection(ports(), asked(row.name))
    }
    await Promise.all([rotating(), opening(), opening()])
    expect(row.version).toBe(51)
  })

  test('leads nowhere that the environment may not reach', async () => {
    const row = await made()
    const { use } = await openConnection(ports(), asked(row.id))
    await expect(use?.({ ...(await user()), egress: [] })).rejects.toMatchObject({ code: 'egress_denied' })
  })

  test('is not used where its use cannot be put on record', async () => {
    const row = await made()
    const { use } = await openConnection(ports(), asked(row.name))
    const by = await user()
    const nobody = { ...by, run: { ...by.run, id: ids.next('run') } }
    await expect(use?.({ ...nobody, egress: ['loopback'] })).rejects.toMatchObject({
      ...{ code: 'dependency_unavailable', retryable: true },
    })
  })

  test('is refused to other workspaces as one that does not exist', async () => {
    const row = await made()
    const other = await openConnection(ports(boxOf(OLD), 'other'), asked(row.name)).catch(String)
    expect(other).toBe(String(await openConnection(ports(), asked('absent')).catch(String)).replace('absent', row.name))
    const granted = await made({ workspaces: ['*'] })
    expect((await openConnection(ports(boxOf(OLD), 'other'), asked(granted.name))).url).toContain(SECRET)
  })

  test.each<[string, Parameters<typeof ports>, string, string]>([
    ['of another kind', [], 'http', 'is of the kind postgres, not http'],
    ['without its key', [boxOf(NEW)], 'postgres', 'which is not among SVC_SECRET_KEYS'],
  ])('%s says so', async (_what, given, kind, message) => {
    const row = await made()
    await expect(openConnection(ports(...given), asked(row.name, kind))).rejects.toMatchObject({
      ...{ code: 'not_configured', message: expect.stringContaining(message) },
    })
  })
})

describe('resealing', () => {
  const reseal = (box: ConnectionBox) => resealSecrets({ store, box, ids, clock: Date.now })

  test('seals with the first key what the others sealed, on record, and again does nothing', async () => {
    const rows = [await made(), await made()]
    const box = boxOf(NEW, OLD)
    expect(await reseal(box)).toEqual({ kid: box.kid, resealed: 2, left: [] })
    for (const { id, name } of rows) {
      expect((await openConnection(ports(boxOf(NEW)), asked(name))).url).toContain(SECRET)
      const records = await database.db`
        select draft -> 'data' as data from audit_outbox
        where draft ->> 'action' = 'connection.resealed' and draft #>> '{subject,id}' = ${id}`
      expect(records).toEqual([{ data: { version: 1, kid: box.kid } }])
    }
    expect(await reseal(box)).toEqual({ kid: box.kid, resealed: 0, left: [] })
  })

  test('leaves what no key opens as it is, and names it', async () => {
    const row = await made()
    await made({}, NEW)
    expect(await reseal(boxOf(NEW))).toMatchObject({
      ...{ resealed: 0, left: [{ id: row.id, problem: expect.stringContaining(row.kid ?? '?') }] },
    })
    expect((await openConnection(ports(), asked(row.name))).url).toContain(SECRET)
  })

  test('does not undo a rotation that comes in between', async () => {
    const row = await made()
    const rotated = await boxOf(NEW).seal({ id: row.id, version: 1, address: addressOf(row) }, 'rotated')
    const box = boxOf(NEW, OLD)
    const seal: ConnectionBox['seal'] = async (...given) => {
      await database.db`update connection_secrets set kid = ${rotated.kid}, sealed = ${rotated.sealed}`
      return await box.seal(...given)
    }
    expect(await reseal({ ...box, seal })).toMatchObject({ resealed: 0, left: [] })
    expect((await openConnection(ports(box), asked(row.name))).url).toContain('rotated')
  })
})
