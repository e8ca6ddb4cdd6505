import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { programArgs } from '#platform/program/program-args.ts'
import { openConnection } from '#services/connections/open-connection.ts'
import { openTokens } from '#services/connections/refresh-tokens.ts'
import { createConnectionStore } from '#store/connections/connections.ts'
import { authorizedConnection, boxOf, CALLBACK, openPorts } from '#test/support/authorized-connection.ts'
import { exitSignal, killHard } from '#test/support/crash-service.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { startOauthProvider } from '#test/support/oauth-provider.ts'
import type { RefreshOrder } from '#test/support/refresh-child.ts'

const KEY = 'the key of this test; 32 bytes and more'
const CHILD = 'test/support/refresh-child.ts'

const database = testDatabase()
const provider = fileFixture(() => startOauthProvider({ redirect_uri: CALLBACK }))
const box = boxOf(KEY)

/** What the provider has done with the request when its process is killed. */
type Meanwhile = 'nothing' | 'tokens'

/** Refreshes in a process that is killed at a point; `asked` while the provider has its request. */
async function killedAt(connection: string, at: RefreshOrder['at'], meanwhile: Meanwhile): Promise<void> {
  const order: RefreshOrder = { url: database.url, key: KEY, connection, at }
  const child = spawn(process.execPath, programArgs(CHILD, JSON.stringify(order)), { stdio: 'inherit' })
  if (at === 'asked') provider.state[meanwhile === 'tokens' ? 'whenAnswering' : 'whenAsked'] = () => killHard(child)
  expect(await exitSignal(child)).toBe('SIGKILL')
}

const found = async (id: string) => {
  const row = await createConnectionStore(database.db).find(id)
  if (row === undefined || row.authorization === null) throw new Error('what was authorised is gone')
  return { ...row, authorization: row.authorization }
}

/** As the next worker meets it: the lease of the dead one is over, and the access token has ended. */
async function later(id: string): Promise<void> {
  await database.db`
    update connection_grants set expires_at = now(), refresh_at = now(),
      refreshing_until = case when refreshing_until is not null then now() end
    where connection_id = ${id}`
}

test.each<[RefreshOrder['at'], Meanwhile, 'active' | 'failed']>([
  ['before_lease', 'nothing', 'active'],
  ['leased', 'nothing', 'active'],
  ['asked', 'nothing', 'active'],
  ['asked', 'tokens', 'failed'],
  ['answered', 'tokens', 'failed'],
  ['stored', 'tokens', 'active'],
  ['released', 'tokens', 'active'],
])('a process killed at %s, the provider having made %s: what it still honours works (%s)', async (at, made, state) => {
  const { row } = await authorizedConnection({ db: database.db, box, provider })
  await later(row.id)
  await killedAt(row.id, at, made)
  provider.state.whenAsked = undefined
  provider.state.whenAnswering = undefined
  const ports = openPorts(database.db, box)
  const kept = await openTokens(ports, await found(row.id))
  const honoured = await provider.honours(kept?.refresh_token ?? '')
  await later(row.id)
  const opened = await openConnection(ports, {
    ...{ stored: row.id, kind: 'http', id: 'api', workspaceId: DEFAULT_WORKSPACE_ID },
  }).then(
    () => true,
    () => false,
  )
  const works = state === 'active'
  expect([honoured, opened, (await found(row.id)).authorization.state]).toEqual([works, works, state])
})
