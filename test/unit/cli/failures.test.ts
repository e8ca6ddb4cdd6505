import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { wantsJson } from '#cli/client/api-answers.ts'
import { ApiProblem } from '#cli/client/api-problem.ts'
import { describeFailure, signInAdvice } from '#cli/client/describe-failure.ts'
import { DomainError } from '#core/errors.ts'
import { ConfigError } from '#platform/config.ts'

const NOW = Date.parse('2026-01-05T09:30:00.000Z')

describe('a failure', () => {
  test('is a problem document in one line where JSON was asked for', () => {
    const problem = {
      type: '/problems/forbidden',
      title: 'No',
      status: 403,
      detail: 'not yours\u202e',
      code: 'forbidden',
    }
    const cases: [unknown, object, number][] = [
      [new ApiProblem(403, { ...problem, request_id: 'req_1' }), { ...problem, request_id: 'req_1' }, 77],
      [
        new DomainError('not_found', 'no such run'),
        { type: '/problems/not_found', detail: 'no such run', code: 'not_found' },
        66,
      ],
      [
        new CommanderError(1, 'x', "error: unknown command 'rnus'"),
        { code: 'validation_failed', detail: "unknown command 'rnus'" },
        64,
      ],
      [
        new ConfigError([{ name: 'SVC_PORT', got: '"a"', takes: 'a port' }]),
        { code: 'invalid_settings', errors: [{ name: 'SVC_PORT' }] },
        78,
      ],
    ]
    for (const [error, document, code] of cases) {
      const failure = describeFailure(error, true)
      expect(failure?.code).toBe(code)
      expect(failure?.lines).toHaveLength(1)
      expect(failure?.lines[0]).not.toMatch(/\p{Cf}/u)
      expect(JSON.parse(failure?.lines[0] ?? '')).toMatchObject(document)
    }
  })

  test('is said in words otherwise, and what the library said is not said twice', () => {
    expect(describeFailure(new CommanderError(1, 'x', 'error: no'), false)).toEqual({ lines: [], code: 64 })
    expect(describeFailure(new CommanderError(0, 'commander.help', ''), true)).toEqual({ lines: [], code: 0 })
    expect(describeFailure(new DomainError('conflict', 'two of them'), false)).toEqual({
      lines: ['two of them'],
      code: 75,
    })
    const refused = new ApiProblem(401, { detail: 'No token', code: 'unauthenticated' }, 'Log in with: svc login')
    expect(describeFailure(refused, false)?.lines).toEqual(['No token (unauthenticated)', 'Log in with: svc login'])
    expect(describeFailure(new TypeError('ours'), true)).toBeUndefined()
  })
})

test('JSON is asked for in every way that a list knows, before what is not an option', () => {
  for (const args of [
    ['runs', '--json'],
    ['runs', '-o', 'json'],
    ['runs', '-ojson'],
    ['runs', '--output=json'],
  ])
    expect(wantsJson(args), args.join(' ')).toBe(true)
  for (const args of [['runs'], ['runs', '-o', 'wide'], ['complete', '--', '--json']])
    expect(wantsJson(args), args.join(' ')).toBe(false)
})

describe('a refused token', () => {
  const jwt = (exp: number) => `x.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.y`
  const kept = (expires_at: string) => ({ access_token: 'secret', email: 'ada@example.test', expires_at })

  test('that has expired is called expired, with how to sign in again', () => {
    expect(signInAdvice({ token: undefined, kept: kept('2026-01-05T06:30:00.000Z') }, NOW)).toBe(
      'Your token of ada@example.test expired 3 h ago. Log in again with: svc login --email ada@example.test',
    )
    expect(signInAdvice({ token: jwt(NOW / 1_000 - 60), kept: undefined }, NOW)).toMatch(/SVC_TOKEN expired 1 min ago/)
  })

  test('of any other kind is not', () => {
    expect(signInAdvice({ token: undefined, kept: undefined }, NOW)).toBe('Log in with: svc login')
    expect(signInAdvice({ token: undefined, kept: kept('2026-01-05T10:30:00.000Z') }, NOW)).toBe(
      'Log in with: svc login',
    )
    for (const token of [jwt(NOW / 1_000 + 60), 'svc_key', 'a.b.c'])
      expect(signInAdvice({ token, kept: undefined }, NOW)).toMatch(/SVC_TOKEN holds the token that was refused/)
  })
})
