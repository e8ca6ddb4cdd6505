import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { chainWaiting } from '#test/support/chain-waiting.ts'
import { runCliInProcess } from '#test/support/cli-in-process.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

const database = testDatabase()
const api = testSealedApi(database)
let server: Awaited<ReturnType<typeof serveApi>>
let tokens: { ann: string; vic: string }
let annId: string

beforeAll(async () => {
  server = await serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
  const ann = await addUser(api.deps, { roles: ['approver'], display_name: 'Ann Approver', email: 'ann@example.test' })
  annId = ann.id
  const tokenOf = async (user: Awaited<ReturnType<typeof addUser>>) =>
    (await bearer(api.deps, user)).authorization.slice('Bearer '.length)
  tokens = { ann: await tokenOf(ann), vic: await tokenOf(await addUser(api.deps, { roles: ['viewer'] })) }
})
afterAll(() => server.close())

const svc = (args: string[], who: keyof typeof tokens = 'ann') =>
  runCliInProcess(args, { url: server.url, env: { SVC_TOKEN: tokens[who] } })

async function parked(): Promise<string> {
  const run = await admitTestRun(api)
  await parkTestRun(api, run)
  return run
}

test('a gate is acknowledged and commented on by its run, and what was said is shown with names', async () => {
  const run = await parked()
  const first = await svc(['gates', 'acknowledge', run])
  expect(first).toMatchObject({ code: 0, stdout: `${run}  looked at by Ann Approver\n` })
  const commented = await svc(['gates', 'comment', run, 'the host is \u202ein maintenance'])
  expect(commented.stdout).toMatch(/\n {2}\S+Z {2}Ann Approver: the host is \\u\{202e\}in maintenance\n$/)
  const { stdout } = await svc(['gates', 'comment', run.slice(0, 30), 'still is', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ run_id: run, comments: [{ by: annId }, { text: 'still is' }] })
})

test('people who may not, and runs that do not wait, are refused', async () => {
  const run = await parked()
  expect((await svc(['gates', 'comment', run, 'hello'], 'vic')).code).toBe(77)
  expect((await svc(['gates', 'comment', run, ' '])).code).toBe(64)
  expect((await svc(['gates', 'acknowledge', await admitTestRun(api)])).code).toBe(75)
  expect((await svc(['gates', 'acknowledge', 'run_nosuch'])).code).toBe(66)
})

test('the audit log is a list of who did what, in names, newest first, with the filters of the API', async () => {
  const run = await parked()
  await svc(['gates', 'acknowledge', run])
  await svc(['gates', 'comment', run, 'look at the disk'])
  await chainWaiting(database.db)
  const { stdout, stderr } = await svc(['audit', '--run', run.slice(0, 30), '--category', 'approval'])
  const [titles, newest, before] = stdout.split('\n')
  expect(titles, stderr).toMatch(/^TIME +WHO +DID +ABOUT +WHAT$/)
  expect(newest).toMatch(
    /^\d{4}-\d\d-\d\d \S+Z +Ann Approver +Comment on the gate +act of incident\/service-recovery +look at the disk$/,
  )
  expect(before).toMatch(/Ann Approver +Somebody looks at the gate/)
  const wide = await svc(['audit', '--actor', 'ann@example.test', '--since', '1h', '-o', 'wide', '--limit', '1'])
  expect(wide.stdout).toContain(run)
  const [line = ''] = (await svc(['audit', '--run', run, '--json', '--limit', '1'])).stdout.split('\n')
  expect(JSON.parse(line)).toMatchObject({ event: { action: 'gate.commented', run_id: run } })
  const nothing = await svc(['audit', '--until', '2000-01-01T00:00:00Z'])
  expect(nothing).toMatchObject({ code: 0, stdout: '', stderr: 'no record matches\n' })
})
