import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createIds } from '#platform/ids.ts'
import { createLogger } from '#platform/logger.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'
import { recordConfig } from '#services/config/record-config.ts'
import { createConfigItems } from '#store/authored/config-items.ts'
import { createDb } from '#store/db.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createConfig } from '#workers/create-config.ts'

interface ConfigEvent {
  action: string
  category: string
  workspace_id: string
  actor: { type: string; id: string }
  subject: { type: string; id: string }
  data: Record<string, unknown> & { before: string | null; after: string | null; loosens?: string[] }
}

const log = createLogger({ level: 'fatal', name: 'test' })
const guard = (rule: string) => `name: guard\napplies_to: { environments: [production] }\nrules: [{ ${rule} }]\n`
const DENY = guard('effect: deny, reason: nobody')
const ALLOW = guard('effect: allow_auto, reason: everybody')

let home: string
let watches: ReturnType<typeof createConfig>[] = []
let leader: number

const database = testDatabase()
beforeEach(async () => {
  for (const watch of watches) await watch.stop()
  const owner = createDb(database.owner_url, { max: 1, name: 'test-owner' })
  await owner`truncate config_items, audit_outbox, console_policies`
  await owner.end()
  home = mkdtempSync(join(tmpdir(), 'svc-config-'))
  watches = []
  leader = 0
})
afterAll(async () => {
  for (const watch of watches) await watch.stop()
})

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}
const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** As many processes as there are; those that `speaks` names believe that they lead. */
async function start(count: number, speaks: (index: number) => boolean = (index) => index === leader) {
  watches = Array.from({ length: count }, (_, index) =>
    createConfig({
      config: { home, policiesDir: join(home, 'policies'), packsDir: join(home, 'packs') },
      db: database.db,
      audit: { offer: () => undefined },
      leading: () => speaks(index),
      ids: createIds(),
      clock: Date.now,
      log,
    }),
  )
  await Promise.all(watches.map((watch) => watch.start()))
}

async function stop() {
  for (const watch of watches) await watch.stop()
}

async function events(action?: string): Promise<ConfigEvent[]> {
  const rows = await database.db<{ draft: ConfigEvent }[]>`
    select draft from audit_outbox where draft ->> 'category' = 'config' order by id`
  return rows
    .map(({ draft }) => draft)
    .filter((draft) => draft.action !== 'config.baseline' && (action ?? draft.action) === draft.action)
}

async function recorded(count: number): Promise<ConfigEvent[]> {
  await expect.poll(async () => (await events()).length, PATIENCE).toBeGreaterThanOrEqual(count)
  return await events()
}

describe('what protects', () => {
  test('is on record once as it was first found, and then each change with both digests and the owner of the file', async () => {
    write('policies/guard.yaml', DENY)
    await start(1)
    const [baseline] = await database.db<{ draft: ConfigEvent }[]>`
      select draft from audit_outbox where draft ->> 'action' = 'config.baseline'`
    expect(baseline?.draft.data['items']).toMatchObject({
      'policies/guard.yaml': digest(DENY),
      'packs/sre': expect.stringMatching(/^sha256:/),
      'svc/policies/reads-run-unattended.yaml': expect.stringMatching(/^sha256:/),
    })
    write('environments/production.yaml', 'name: production\n')
    await recorded(2)
    write('policies/guard.yaml', ALLOW)
    await recorded(3)
    rmSync(join(home, 'policies/guard.yaml'))
    const all = await recorded(4)
    const { uid, username } = userInfo()
    expect(all.map(({ action, subject, data }) => [action, subject.id, data.before, data.after])).toEqual([
      ['config.added', 'environments/', null, 'folder'],
      ['config.added', 'environments/production.yaml', null, digest('name: production\n')],
      ['config.changed', 'policies/guard.yaml', digest(DENY), digest(ALLOW)],
      ['config.removed', 'policies/guard.yaml', digest(ALLOW), null],
    ])
    expect(all[2]?.data).toMatchObject({
      owner: { uid, name: username },
      mtime: expect.stringMatching(/Z$/),
      loosens: ['guard'],
      noticed: 'running',
    })
  })

  test('that changed while nothing ran is noticed at the next start, and only that', async () => {
    write('policies/guard.yaml', DENY)
    write('profiles/exact.yaml', 'name: exact\nrequire_plan_hash: true\n')
    await start(1)
    await stop()
    write('policies/guard.yaml', guard('effect: require_hitl, reason: ask'))
    renameSync(join(home, 'profiles'), join(home, 'away'))
    await start(2)
    expect((await recorded(3)).map(({ action, subject, data }) => [action, subject.id, data['noticed']])).toEqual([
      ['config.changed', 'policies/guard.yaml', 'at_start'],
      ['config.removed', 'profiles/', 'at_start'],
      ['config.removed', 'profiles/exact.yaml', 'at_start'],
    ])
    expect((await events('config.changed'))[0]?.data.loosens).toEqual(['guard'])
    await stop()
    await start(2)
    expect(await events()).toHaveLength(3)
  })

  test('is on record once also when several processes believe that they lead, and nothing is told that was not so', async () => {
    write('policies/guard.yaml', DENY)
    await start(4, () => true)
    for (let n = 1; n <= 25; n += 1) {
      write('policies/guard.yaml', guard(`effect: deny, reason: "${n}"`))
      write(`rules/${n}.yaml`, `[] # ${n}`)
      await recorded(n * 2 + 1)
    }
    const all = await recorded(51)
    expect(all).toHaveLength(51)
    const changes = all.filter(({ subject }) => subject.id === 'policies/guard.yaml').map(({ data }) => data)
    const texts = [DENY, ...Array.from({ length: 25 }, (_, n) => guard(`effect: deny, reason: "${n + 1}"`))]
    expect(changes.map(({ before, after }) => [before, after])).toEqual(
      texts.slice(1).map((text, index) => [digest(texts[index] ?? ''), digest(text)]),
    )
    expect(changes.every(({ loosens }) => loosens === undefined)).toBe(true)
  })

  test('says which settings of an environment or a profile may be laxer, also when its folder is gone', async () => {
    const strict = 'name: production\napproval: { min_approvals: 2, prevent_self: true }\negress: [a.test]\n'
    write('environments/production.yaml', strict)
    write('profiles/exact.yaml', 'name: exact\nrequires_approval: [sql.write]\nrequire_plan_hash: true\n')
    await start(1)
    write('environments/production.yaml', strict.replace('2', '1').replace('a.test', 'b.test'))
    await recorded(1)
    write('environments/production.yaml', 'name: [')
    await recorded(2)
    write('environments/production.yaml', strict)
    await recorded(3)
    renameSync(join(home, 'environments/production.yaml'), join(home, 'environments/prodction.yaml'))
    await recorded(5)
    renameSync(join(home, 'profiles'), join(home, 'profiles.x'))
    expect((await recorded(7)).map(({ action, subject, data }) => [action, subject.id, data.loosens])).toEqual([
      ['config.changed', 'environments/production.yaml', ['approval.min_approvals', 'egress']],
      ['config.changed', 'environments/production.yaml', undefined],
      ['config.changed', 'environments/production.yaml', ['unknown']],
      ['config.added', 'environments/prodction.yaml', undefined],
      ['config.removed', 'environments/production.yaml', ['approval.prevent_self', 'approval.min_approvals']],
      ['config.removed', 'profiles/', undefined],
      ['config.removed', 'profiles/exact.yaml', ['requires_approval', 'require_plan_hash']],
    ])
  })

  test('goes on being told by anyone who leads next', async () => {
    await start(2)
    write('channels.yaml', '[]')
    await recorded(1)
    leader = 1
    write('channels.yaml', '[] # other')
    const all = await recorded(2)
    expect(all.map(({ subject }) => subject)).toEqual([
      { type: 'channels', id: 'channels.yaml' },
      { type: 'channels', id: 'channels.yaml' },
    ])
    expect(all[1]?.data).toMatchObject({ before: digest('[]'), after: digest('[] # other') })
  })

  test('in a folder that cannot be listed is not said to be gone', async () => {
    write('policies/guard.yaml', DENY)
    await start(1)
    await stop()
    renameSync(join(home, 'policies'), join(home, 'away'))
    writeFileSync(join(home, 'policies'), 'a file in the place of the folder')
    await start(1)
    expect((await recorded(1)).map(({ action, subject, data }) => [action, subject.id, data.after])).toEqual([
      ['config.changed', 'policies/', 'unreadable:ENOTDIR'],
    ])
  })
})

describe('a policy of the console', () => {
  test('is on record with its author, and with what it loosens below', async () => {
    write('policies/guard.yaml', DENY)
    await start(1)
    const workspace_id = 'ws_00000000000000000000000000'
    await database.db`
      insert into console_policies (workspace_id, name, document, author) values (${workspace_id}, 'guard', ${ALLOW}, 'usr_ann')`
    const [added] = await recorded(1)
    expect(added).toMatchObject({
      action: 'config.added',
      workspace_id,
      actor: { type: 'user', id: 'usr_ann' },
      subject: { type: 'policy', id: `console/${workspace_id}/guard` },
      data: { layer: 'console', before: null, after: digest(ALLOW), author: 'usr_ann', loosens: ['guard'] },
    })
    await database.db`delete from console_policies`
    // whose it was is known, who took it away is not
    expect((await recorded(2))[1]).toMatchObject({
      ...{ action: 'config.removed', actor: { type: 'system', id: 'svc' } },
      data: { before: digest(ALLOW), author: 'usr_ann' },
    })
  })

  test('is read again only when it was written, by whatever wrote it', async () => {
    const { db } = database
    const workspace_id = 'ws_00000000000000000000000000'
    const insert = (name: string) => db`
      insert into console_policies (workspace_id, name, document, author) values (${workspace_id}, ${name}, ${DENY}, 'usr_ann')`
    await insert('one')
    await insert('two')
    const items = createConfigItems(db)
    const read: string[][] = []
    const memory = { known: undefined, console: new Map() }
    const recordNow = () =>
      recordConfig(
        {
          items: {
            ...items,
            async consolePolicies(...which) {
              const rows = await items.consolePolicies(...which)
              read.push(rows.map(({ name }) => name).sort())
              return rows
            },
          },
          read: async () => ({ items: [], unlisted: [] }),
          parsePolicies: parsePolicyYaml,
          parseEnvironment: () => undefined,
          parseProfile: () => undefined,
          audit: { offer: () => undefined },
          sha256: (text) => createHash('sha256').update(text).digest('hex'),
          clock: Date.now,
          ids: createIds(),
        },
        memory,
        'running',
      )
    expect([await recordNow(), await recordNow(), await recordNow()]).toEqual([1, 0, 0])
    expect(read).toEqual([['one', 'two']])
    await db`update console_policies set document = ${ALLOW} where name = 'two'`
    expect([await recordNow(), await recordNow()]).toEqual([1, 0])
    await db`delete from console_policies where name = 'one'`
    await insert('three')
    expect([await recordNow(), await recordNow()]).toEqual([2, 0])
    expect(read).toEqual([['one', 'two'], ['two'], ['three']])
    expect((await events()).map(({ action, subject }) => [action, subject.id.split('/')[2]]).sort()).toEqual([
      ['config.added', 'three'],
      ['config.changed', 'two'],
      ['config.removed', 'one'],
    ])
  })
})
