import { beforeEach, describe, expect, it } from 'vitest'
import { createLinks } from '#platform/links.ts'
import { createTestApi } from '#test/support/api-client.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { openLinkWorld } from '#test/support/link-world.ts'
import { sendTestLink, TEST_SIGNER } from '#test/support/magic-link.ts'

const UNKNOWN = `/triggers/approve/action-gate_${'0'.repeat(26)}`

const world = fileFixture(openLinkWorld)
beforeEach(() => world.reset())

/** The bytes of an answer without what names the request itself. */
async function bytes(response: Response, path: string): Promise<string> {
  const text = await response.text()
  return `${response.status} ${text.replace(/req_\w+/, 'req').replace(path.split('?', 1)[0] ?? '', '/path')}`
}

describe('a link that is none', () => {
  it('is answered with the very bytes of an unknown one, no matter what is wrong with it', async () => {
    const link = await sendTestLink(world.api)
    const other = await sendTestLink(world.api)
    const expired = await sendTestLink(world.api, { expires_at: new Date(Date.now() - 60_000).toISOString() })
    const forger = createLinks({ master_key: 'another key of at least thirty-two bytes', clock: Date.now })
    const forged = await forger.mint({
      jti: `lnk_${'0'.repeat(26)}`,
      gate_id: link.gate_id,
      plan_hash: `sha256:${'a'.repeat(64)}`,
      recipient: 'x',
      exp: 4_000_000_000,
    })
    const unissued = await TEST_SIGNER.mint({
      jti: `lnk_${'1'.repeat(26)}`,
      gate_id: link.gate_id,
      plan_hash: `sha256:${'a'.repeat(64)}`,
      recipient: 'x',
      exp: 4_000_000_000,
    })
    const [head = '', token = ''] = link.path.split('?token=')
    const none = `${Buffer.from('{"alg":"none","typ":"svc-link"}').toString('base64url')}.${token.split('.')[1]}.`
    const wrong = [
      head,
      `${head}?token=`,
      `${head}?token=x.y.z`,
      `${head}?token=${token.slice(0, -2)}`,
      `${head}?token=${none}`,
      `${head}?token=${forged}`,
      `${head}?token=${unissued}`,
      `${head}?token=${'x'.repeat(5_000)}`,
      `${other.path.split('?')[0]}?token=${token}`,
      expired.path,
      `/triggers/approve/nonsense?token=${token}`,
    ]
    const unknown = await bytes(await world.api.get(UNKNOWN), UNKNOWN)
    for (const path of wrong) {
      expect(await bytes(await world.api.get(path), path)).toBe(unknown)
      expect(await bytes(await world.api.post(path, { decision: 'approve', code: link.code }), path)).toBe(unknown)
    }
    expect(world.decided).toEqual([])
    // what we did sign is on record: the one that was tried on another gate, and the one that came too late
    expect(await world.refusals(link.gate_id)).toEqual(['link_foreign', 'link_foreign', 'link_foreign', 'link_foreign'])
    expect(await world.refusals(expired.gate_id)).toEqual(['link_expired', 'link_expired'])
  })

  it('is every link that no notice on record carries to its recipient, however well it is signed', async () => {
    const [unsent, redirected] = [await sendTestLink(world.api), await sendTestLink(world.api)]
    const { db } = world.database
    await db`update notice_deliveries set link = null where gate_id = ${unsent.gate_id}`
    await db`update notice_deliveries set recipient = 'somebody@example.test' where gate_id = ${redirected.gate_id}`
    const unknown = await bytes(await world.api.get(UNKNOWN), UNKNOWN)
    for (const link of [unsent, redirected]) {
      expect(await bytes(await world.api.get(link.path), link.path)).toBe(unknown)
      await world.approve(link)
      expect(await world.refusals(link.gate_id)).toEqual(['link_not_sent', 'link_not_sent', 'link_not_sent'])
    }
    expect(world.decided).toEqual([])
  })

  it('is every link of an environment that allows none any more, on record', async () => {
    const link = await sendTestLink(world.api)
    const { environments } = world.api.deps.services
    const get = (name: string) => {
      const found = environments.get(name)
      return found && { ...found, approval: { ...found.approval, links: false } }
    }
    const closed = await createTestApi(world.database, { services: { environments: { ...environments, get } } })
    expect(await bytes(await closed.get(link.path), link.path)).toBe(await bytes(await closed.get(UNKNOWN), UNKNOWN))
    expect(await world.refusals(link.gate_id)).toEqual(['link_forbidden'])
    await closed.close()
  })

  it('says so where there is no key to sign links with', async () => {
    const bare = await createTestApi(world.database, { master_key: null })
    const response = await bare.get(UNKNOWN)
    expect([response.status, await response.json()]).toMatchObject([501, { code: 'not_configured' }])
    await bare.close()
  })
})
