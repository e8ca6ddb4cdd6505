import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import { createWorkspaceStore, type WorkspaceRow, type WorkspaceStore } from '#store/workspaces.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'

let store: WorkspaceStore

const database = testDatabase()
beforeAll(async () => {
  store = createWorkspaceStore(database.db)
})

const audit = (action: string) => ({ ...runDraft().audit, id: ids.next('audit'), action })
const draft = (slug: string) => ({
  id: ids.next('workspace'),
  slug,
  name: slug,
  default_environment: 'staging',
  limits: { realtime: 2 },
})

async function created(slug: string): Promise<WorkspaceRow> {
  const row = await store.create(draft(slug), audit('workspace.created'))
  if (row === undefined) throw new Error(`${slug} is taken`)
  return row
}

const auditOf = async (action: string) =>
  (await database.db`select 1 from audit_outbox where draft ->> 'action' = ${action}`).length

describe('workspaces', () => {
  test('are made once a slug, each with its audit record', async () => {
    const row = await created('payments')
    expect(row).toMatchObject({
      slug: 'payments',
      status: 'active',
      protected: true,
      limits: { realtime: 2 },
      version: 1,
    })
    expect(await store.create(draft('payments'), audit('workspace.refused'))).toBeUndefined()
    expect([await auditOf('workspace.created'), await auditOf('workspace.refused')]).toEqual([1, 0])
  })

  test('change only as they were seen, and of many at once one succeeds', async () => {
    const row = await created('search')
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        store.update(row.id, row.version, { ...row, name: `name ${n}` }, audit('workspace.raced')),
      ),
    )
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1)
    expect((await store.find(row.id))?.version).toBe(2)
    expect(await auditOf('workspace.raced')).toBe(1)
  })

  test('keep the time of their archiving until they are taken out again', async () => {
    const row = await created('old')
    const archived = await store.update(row.id, 1, { ...row, status: 'archived' }, audit('workspace.archived'))
    const renamed = await store.update(row.id, 2, { ...row, status: 'archived', name: 'x' }, audit('workspace.updated'))
    const active = await store.update(row.id, 3, { ...row, status: 'active' }, audit('workspace.updated'))
    expect(archived?.archived_at).toBeTruthy()
    expect(renamed?.archived_at).toBe(archived?.archived_at)
    expect(active?.archived_at).toBeNull()
  })

  test('are listed newest first, a page at a time, and only those asked for', async () => {
    const made = [await created('page-1'), await created('page-2'), await created('page-3')]
    const wanted = made.map((row) => row.id)
    const first = await store.list(wanted, { limit: 2 })
    const rest = await store.list(wanted, { limit: 2, after: first[1] })
    expect([...first, ...rest].map((row) => row.slug)).toEqual(['page-3', 'page-2', 'page-1'])
    expect(await store.count(wanted, 1_000)).toBe(3)
    expect(await store.count([], 1_000)).toBe(0)
    expect(await store.count('*', 1_000)).toBeGreaterThan(3)
  })
})

describe('the directory', () => {
  const reading = (find: WorkspaceStore['find'] = store.find) => {
    const asked: string[] = []
    let now = 1_000
    const counted = (id: string) => {
      asked.push(id)
      return find(id)
    }
    return {
      directory: createWorkspaceDirectory({ find: counted }, () => now),
      asked,
      pass: (ms: number) => (now += ms),
    }
  }

  test('reads a workspace once in two seconds, however many ask', async () => {
    const { directory, asked, pass } = reading()
    await Promise.all(Array.from({ length: 50 }, () => directory.find(DEFAULT_WORKSPACE_ID)))
    pass(1_999)
    expect((await directory.find(DEFAULT_WORKSPACE_ID))?.slug).toBe('default')
    expect(asked).toHaveLength(1)
    pass(1)
    await directory.find(DEFAULT_WORKSPACE_ID)
    expect(asked).toHaveLength(2)
  })

  test('remembers who is not there, within bounds, and asks the database for nothing that is not an id', async () => {
    const { directory, asked } = reading(async () => undefined)
    const strangers = Array.from({ length: 1_500 }, () => ids.next('workspace'))
    for (const id of [...strangers, strangers.at(-1) ?? '']) expect(await directory.find(id)).toBeUndefined()
    expect(asked).toHaveLength(1_500)
    await directory.find(strangers[0] ?? '')
    expect(asked).toHaveLength(1_501)
    for (const text of ['default', '', '*', `${DEFAULT_WORKSPACE_ID}x`])
      expect(await directory.find(text)).toBeUndefined()
    expect(asked).toHaveLength(1_501)
  })

  test('forgets what this process has changed, and a failure at once', async () => {
    const { directory, asked } = reading()
    await directory.find(DEFAULT_WORKSPACE_ID)
    directory.forget(DEFAULT_WORKSPACE_ID)
    await directory.find(DEFAULT_WORKSPACE_ID)
    expect(asked).toHaveLength(2)
    let up = false
    const flaky = reading(async (id) => (up ? store.find(id) : Promise.reject(new Error('away'))))
    await expect(flaky.directory.find(DEFAULT_WORKSPACE_ID)).rejects.toThrow('away')
    up = true
    expect((await flaky.directory.find(DEFAULT_WORKSPACE_ID))?.slug).toBe('default')
  })
})
