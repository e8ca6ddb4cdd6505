import { expect, test } from 'vitest'
import { createMagicLinks } from '#store/gates/magic-links.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { sendTestLink } from '../support/magic-link.ts'

const database = testDatabase()
const api = testApi(database)

async function taken() {
  const { gate_id } = await sendTestLink(api)
  const links = createMagicLinks(database.db)
  const [row] = await database.db<{ jti: string }[]>`select jti from magic_links where gate_id = ${gate_id}`
  const jti = row?.jti ?? expect.fail('no link')
  const claim = (await links.claim(jti, 'approve')) ?? expect.fail('not claimed')
  const later = () => database.db`update magic_links set used_at = now() - interval '31 seconds' where jti = ${jti}`
  return { links, jti, gate_id, claim, later }
}

test('a link whose process died before the decision was recorded is good again after half a minute', async () => {
  const { links, jti, later } = await taken()
  expect(await links.find(jti)).toMatchObject({ used_decision: 'approve' })
  expect(await links.claim(jti, 'reject')).toBeUndefined()
  await later()
  expect(await links.find(jti)).toMatchObject({ used_at: null, used_decision: null })
  expect(await links.claim(jti, 'reject')).toBeTypeOf('string')
  expect(await links.claim(jti, 'reject')).toBeUndefined()
})

test('a link with which something was decided stays used', async () => {
  const { links, jti, gate_id, later } = await taken()
  await database.db`
    insert into gate_decisions (gate_id, decision_id, decided_by, decision, channel)
    values (${gate_id}, 'dec_1', 'oncall@example.test', 'approve', 'magic_link')`
  await later()
  expect(await links.claim(jti, 'reject')).toBeUndefined()
  expect(await links.find(jti)).toMatchObject({ used_decision: 'approve' })
})

test('a link is given back by its own claim alone', async () => {
  const { links, jti, claim, later } = await taken()
  await later()
  const second = (await links.claim(jti, 'reject')) ?? expect.fail('not claimed')
  await links.release(jti, claim)
  expect(await links.find(jti)).toMatchObject({ used_decision: 'reject' })
  await links.release(jti, second)
  expect(await links.find(jti)).toMatchObject({ used_at: null })
})
