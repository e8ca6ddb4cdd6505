import { describe, expect, it } from 'vitest'
import type { Profile } from '#core/environment.ts'
import { applyEnvironmentFile, SEEDED_ENVIRONMENTS } from '#core/environment-defaults.ts'
import { DomainError } from '#core/errors.ts'
import { choosePlace, type PlaceWish } from '#services/runs/choose-place.ts'

const profiles = new Map<string, Profile>([
  ['default', { name: 'default', requires_approval: [] }],
  ['careful', { name: 'careful', requires_approval: ['http.write'], environment: 'staging' }],
  ['lost', { name: 'lost', requires_approval: [], environment: 'nowhere' }],
])
const environments = {
  get: (name: string) => {
    const seeded = SEEDED_ENVIRONMENTS.find((each) => each.name === name)
    if (name === 'production') return applyEnvironmentFile(seeded, { name, profile: 'careful' })
    return name === 'edge' ? applyEnvironmentFile(undefined, { name, profile: 'gone' }) : seeded
  },
  list: () => [],
  profile: (name: string) => {
    const profile = profiles.get(name)
    if (profile === undefined) throw new DomainError('not_found', `there is no profile ${name}`)
    return profile
  },
  rules: () => [],
}

function place(wish: PlaceWish, default_environment?: string): [string, string] {
  const ctx = { environments, ...(default_environment !== undefined && { default_environment }) }
  const { environment, profile } = choosePlace(ctx, wish)
  return [environment.name, profile.name]
}

describe('the place of a run', () => {
  it.each<[string, PlaceWish, string | undefined, [string, string]]>([
    ['nothing said', {}, undefined, ['development', 'default']],
    ['the workspace’s default', {}, 'staging', ['staging', 'default']],
    ['the profile’s environment before the workspace’s', { profile: 'careful' }, 'sandbox', ['staging', 'careful']],
    [
      'the request before the profile',
      { profile: 'careful', environment: 'sandbox' },
      undefined,
      ['sandbox', 'careful'],
    ],
    ['the environment’s profile', { environment: 'production' }, undefined, ['production', 'careful']],
    [
      'the request before the environment',
      { environment: 'production', profile: 'default' },
      undefined,
      ['production', 'default'],
    ],
    ['a sandbox run stays in the sandbox', { profile: 'careful', sandbox: true }, 'staging', ['sandbox', 'careful']],
  ])('%s', (_, wish, fallback, expected) => {
    expect(place(wish, fallback)).toEqual(expected)
  })

  it.each<[PlaceWish, string, string]>([
    [{ profile: 'carefull' }, '/profile', 'there is no profile carefull; add profiles/carefull.yaml'],
    [{ environment: 'prod' }, '/environment', 'there is no environment prod'],
    [{ profile: 'lost' }, '/environment', 'there is no environment nowhere'],
    [{ environment: 'edge' }, '/profile', 'there is no profile gone, which the environment edge names'],
  ])('%j means nothing, and is refused by name', (wish, pointer, message) => {
    const refused = () => place(wish)
    expect(refused).toThrow(message)
    try {
      refused()
    } catch (error) {
      expect(error).toMatchObject({ code: 'validation_failed', details: { errors: [{ pointer }] } })
    }
  })
})
