import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSecretBox } from '#platform/secret-box.ts'
import { sealInputs } from '#services/runs/seal-inputs.ts'

const RUN = `run_${'0'.repeat(26)}`
const SCHEMA = {
  type: 'object',
  properties: { url: { type: 'string' }, token: { type: 'string', writeOnly: true } },
}
const bare = { workspace_id: 'ws_a', sha256: (text: string) => createHash('sha256').update(text).digest('hex') }
const box = createSecretBox('a master key of more than 32 bytes, for tests')
const keyed = { ...bare, secrets: box }

describe('sealInputs', () => {
  test('shows the inputs without their secrets, and seals what it took', async () => {
    const sealed = await sealInputs(keyed, RUN, SCHEMA, { url: 'http://a.test', token: 'opensesame' })
    expect(sealed.inputs).toEqual({ url: 'http://a.test', token: '<secret:token>' })
    expect(await box.open(RUN, sealed.sealed ?? '')).toEqual({ '/token': 'opensesame' })
  })

  test('the hash follows the secret and the rest, and differs between workspaces', async () => {
    const hashOf = async (inputs: { url: string; token: string }, ctx = keyed) =>
      (await sealInputs(ctx, RUN, SCHEMA, inputs)).inputs_hash
    const hash = await hashOf({ url: 'u', token: 'opensesame' })
    expect(await hashOf({ token: 'opensesame', url: 'u' })).toBe(hash)
    expect(await hashOf({ url: 'u', token: 'opensesame2' })).not.toBe(hash)
    expect(await hashOf({ url: 'v', token: 'opensesame' })).not.toBe(hash)
    expect(await hashOf({ url: 'u', token: 'opensesame' }, { ...keyed, workspace_id: 'ws_b' })).not.toBe(hash)
  })

  test('without a master key a given secret is refused, and inputs without one are not', async () => {
    await expect(sealInputs(bare, RUN, SCHEMA, { url: 'u', token: 'opensesame' })).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.not.stringContaining('opensesame'),
    })
    expect(await sealInputs(bare, RUN, SCHEMA, { url: 'u' })).toMatchObject({ inputs: { url: 'u' }, secrets: [] })
  })

  test('what was shown in the place of a secret is not taken for one', async () => {
    await expect(sealInputs(keyed, RUN, SCHEMA, { url: 'u', token: '<hidden>' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: { errors: [{ pointer: '/inputs/token' }] },
    })
  })
})
