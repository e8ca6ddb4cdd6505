import { afterEach, expect, test, vi } from 'vitest'
import { startRefused } from '../../../console/src/features/admin/api.ts'
import { credentials, send } from '../../../console/src/lib/api.ts'

const HERE = 'ws_0000000000000000000000000a'
const THERE = 'ws_0000000000000000000000000b'

afterEach(() => {
  vi.unstubAllGlobals()
  credentials.workspace = null
})

test('what a halt has refused in another workspace than the chosen one starts there, and nothing else does', async () => {
  const sent: Request[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push(request)
    return new Response('{}', { status: 202 })
  })
  credentials.workspace = HERE
  const start = { operation: 'runTemplate', method: 'POST', path: '/packs/a/b/run', body: { inputs: {} } } as const
  await startRefused({ id: 'hrf_1', workspace_id: THERE }, start)
  await send(new Request('http://svc.test/runs'))
  expect(sent.map(({ headers }) => headers.get('x-svc-workspace'))).toEqual([THERE, HERE])
})
