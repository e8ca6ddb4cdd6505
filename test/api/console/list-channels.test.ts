import { describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('listChannels')

describe('GET /console/api/channels', () => {
  it('says whom each channel reaches, and nothing of its address or secret', async () => {
    const { api, as } = await sharedWorld()
    const answer = await api.app.request('/console/api/channels', { headers: as('owner') })
    const text = await answer.text()
    expect(text).not.toContain('/svc')
    expect(JSON.parse(text)).toEqual([
      { name: 'ops-hook', kind: 'webhook', recipients: [expect.stringMatching(/^hooks\.example\.test#[0-9a-f]{8}$/)] },
    ])
  })

  it('takes an admin of all workspaces', async () => {
    const { api } = await sharedWorld()
    const admin = await addUser(api.deps, { roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID] })
    const answer = await api.app.request('/console/api/channels', { headers: await bearer(api.deps, admin) })
    expect(await codeOf(answer)).toEqual([403, 'forbidden'])
  })
})
