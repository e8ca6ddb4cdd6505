import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SettingRecord } from '#core/config/setting-schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('listSettings')

describe('GET /console/api/settings', () => {
  it('says every setting and where its value is from, and hides secrets', async () => {
    const { api, as } = await sharedWorld()
    const answer = await api.app.request('/console/api/settings', { headers: as('owner') })
    const text = await answer.text()
    expect(text).not.toContain(SECRET)
    const settings = z.array(SettingRecord).parse(JSON.parse(text))
    const named = (name: string) => settings.find((each) => each.name === name)
    expect(named('OBS_JWT_SECRET')).toMatchObject({ value: '(hidden)', source: 'env' })
    expect(named('SVC_PORT')).toMatchObject({ value: '9090', default: '9090', source: 'default' })
  })

  it('takes an admin of all workspaces', async () => {
    const { api } = await sharedWorld()
    const admin = await addUser(api.deps, { roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID] })
    const answer = await api.app.request('/console/api/settings', { headers: await bearer(api.deps, admin) })
    expect(await codeOf(answer)).toEqual([403, 'forbidden'])
  })
})
