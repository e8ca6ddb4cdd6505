import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { testAuthApi } from '#test/support/auth-api.ts'
import { runCliInProcess } from '#test/support/cli-in-process.ts'
import { docBlocks } from '#test/support/doc-blocks.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { addUser, bearer } from '#test/support/users.ts'

const api = testAuthApi(testDatabase())
let server: Awaited<ReturnType<typeof serveApi>>
beforeAll(async () => {
  server = await serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
})
afterAll(() => server.close())

test('the commands of the page about Alertmanager make a key that lasts a year and can start runs alone', async () => {
  const owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
  const env = { SVC_TOKEN: owner.authorization.slice('Bearer '.length) }
  const [commands = ''] = docBlocks('integrations/alertmanager', 'sh')
  const answers: string[] = []
  for (const line of commands.trim().split('\n')) {
    const [, ...args] = line.replace(/ \|.*$/, '').split(' ')
    const { code, stdout, stderr } = await runCliInProcess(args, { url: server.url, env })
    expect(code, `${line}\n${stderr}`).toBe(0)
    answers.push(stdout)
  }
  const { token, expires_at } = JSON.parse(answers.at(-1) ?? '') as { token: string; expires_at: string }
  expect((Date.parse(expires_at) - Date.now()) / 86_400_000).toBeGreaterThan(364)
  const headers = { authorization: `Bearer ${token}` }
  const alert = { source: 'lab', service: 'shop', symptom: 'ShopDown' }
  expect((await api.post('/triggers/alert', alert, headers)).status).toBe(202)
  expect((await api.get('/runs', headers)).status).toBe(403)
})
