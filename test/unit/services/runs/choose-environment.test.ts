import { describe, expect, it } from 'vitest'
import { applyEnvironmentFile, SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import type { Profile } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { chooseEnvironment, type EnvironmentRequest } from '#services/runs/choose-environment.ts'

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

function chosen(request: EnvironmentRequest, default_environment?: string): [string, string] {
  const ctx = {
    environments,
    workspace_slug: 'default',
    ...(default_environment !== undefined && { default_environment }),
  }
  const { environment, profile } = chooseEnvironment(ctx, request)
  return [environment.name, profile.name]
}

describe('the place of a run', () => {
  it('says how a workspace that no environment names gets one', () => {
    expect(() => chosen({ environment: 'elsewhere' })).toThrow(
      'there is no environment elsewhere that the workspace default may use, nor any other: add it to `workspaces` of an environment, in the console or in its file',
    )
  })

  it.each<[string, EnvironmentRequest, string | undefined, [string, string]]>([
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
  ])('%s', (_, request, fallback, expected) => {
    expect(chosen(request, fallback)).toEqual(expected)
  })

  it.each<[EnvironmentRequest, string, string]>([
    [{ profile: 'carefull' }, '/profile', 'there is no profile carefull; add profiles/carefull.yaml'],
    [{ environment: 'prod' }, '/environment', 'there is no environment prod'],
    [{ profile: 'lost' }, '/environment', 'there is no environment nowhere'],
    [{ environment: 'edge' }, '/profile', 'there is no profile gone, which the environment edge names'],
  ])('%j means nothing, and is refused by name', (request, pointer, message) => {
    const refused = () => chosen(request)
    expect(refused).toThrow(message)
    try {
      refused()
    } catch (error) {
      expect(error).toMatchObject({ code: 'validation_failed', details: { errors: [{ pointer }] } })
    }
  })

  describe('of a workspace that an environment is not granted to', () => {
    const grants: Record<string, string[] | undefined> = {
      'pay-prod': ['payments'],
      'pay-test': ['payments', 'lab'],
      open: ['*'],
    }
    const all = Object.entries(grants).map(([name, workspaces]) =>
      applyEnvironmentFile(undefined, { name, ...(workspaces !== undefined && { workspaces }) }),
    )
    const known = [...SEEDED_ENVIRONMENTS, ...all]
    const ports = {
      ...environments,
      get: (name: string) => known.find((each) => each.name === name),
      list: () => known,
    }
    const refusalOf = (workspace_slug: string | undefined, environment: string) => {
      try {
        const ctx = { environments: ports, ...(workspace_slug !== undefined && { workspace_slug }) }
        return chooseEnvironment(ctx, { environment }).environment.name
      } catch (error) {
        return error instanceof DomainError ? [error.message, error.details] : error
      }
    }

    it.each([
      ['default', 'pay-prod', 'pay-prd'],
      ['lab', 'pay-prod', 'pay-xxxx'],
      ['lab', 'production', 'productian'],
      [undefined, 'production', 'productian'],
      [undefined, 'pay-prod', 'pay-xxxx'],
    ])('%s: %s answers like %s, which there is not', (slug, foreign, missing) => {
      const [refusal, never] = [refusalOf(slug, foreign), refusalOf(slug, missing)]
      expect(JSON.stringify(refusal).replaceAll(foreign, missing)).toBe(JSON.stringify(never))
    })

    it.each([
      ['default', 'production'],
      ['payments', 'pay-prod'],
      ['lab', 'pay-test'],
      ['default', 'open'],
      [undefined, 'open'],
    ])('%s may use %s', (slug, name) => {
      expect(refusalOf(slug, name)).toBe(name)
    })

    it('hints at names of its own alone', () => {
      expect(refusalOf('payments', 'pay-prd')).toEqual([
        'there is no environment pay-prd; did you mean pay-prod?',
        expect.anything(),
      ])
      expect(refusalOf('lab', 'pay-prd')).toEqual(['there is no environment pay-prd', expect.anything()])
    })

    it('counts as missing also where a profile or the workspace itself names it', () => {
      const ctx = { environments: ports, workspace_slug: 'lab' }
      expect(() => chooseEnvironment({ ...ctx, default_environment: 'pay-prod' }, {})).toThrow(
        'there is no environment pay-prod',
      )
      expect(() => chooseEnvironment(ctx, { profile: 'careful' })).toThrow('there is no environment staging')
      expect(() => chooseEnvironment(ctx, {})).toThrow('there is no environment development')
      expect(() => chooseEnvironment(ctx, { sandbox: true })).toThrow('there is no environment sandbox')
    })
  })
})
