import { describe, expect, test } from 'vitest'
import { routes } from '#api/registry.ts'
import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { ROLE_NAMES } from '#core/user/schema.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'

const person = (roles: string[], more: Partial<Actor> = {}): Actor => ({
  type: 'user',
  id: 'usr_01hzy3v9k5m8q2w4x6z8b0d2f4',
  display: 'Ada',
  account_id: 'acc_1',
  roles,
  approval_roles: [],
  scopes: [],
  workspaces: '*',
  auth: 'jwt',
  ...more,
})
const robot = (roles: string[], scopes: string[] = []) => person(roles, { type: 'service', auth: 'api_key', scopes })

const CALLERS: Record<string, Actor> = {
  owner: person(['owner']),
  admin: person(['admin']),
  operator: person(['operator']),
  approver: person(['approver']),
  viewer: person(['viewer']),
  auditor: person(['auditor']),
  'auditor who is an approver': person(['auditor', 'approver']),
  service: robot(['service']),
  'service that answers for others': robot(['service'], ['approvals:on_behalf']),
  'service that is a viewer': robot(['service', 'viewer']),
  'no role': person([]),
  'no role but every scope': person([], { scopes: ['admin', 'approvals:on_behalf', 'runs:start'] }),
  'an approval role of that name': person([], { approval_roles: ['owner', 'admin', 'operator', 'approver'] }),
  'a role that is none': person(['root', '__proto__', 'constructor']),
  nobody: ANONYMOUS,
  'svc itself': { ...ANONYMOUS, id: 'system', display: 'svc', workspaces: '*' },
  'a schedule': person([], { type: 'schedule', auth: 'none' }),
}

/** Who may call what asks for a role, written out. */
const LET_IN: Record<string, string[]> = {
  public: Object.keys(CALLERS),
  user: [
    ...['owner', 'admin', 'operator', 'approver', 'viewer', 'auditor', 'auditor who is an approver'],
    ...['service', 'service that answers for others', 'service that is a viewer'],
  ],
  viewer: [
    ...['owner', 'admin', 'operator', 'approver', 'viewer', 'auditor who is an approver'],
    ...['service', 'service that answers for others', 'service that is a viewer'],
  ],
  approver: ['owner', 'admin', 'operator', 'approver', 'auditor who is an approver', 'service that answers for others'],
  operator: ['owner', 'admin', 'operator', 'service', 'service that answers for others', 'service that is a viewer'],
  admin: ['owner', 'admin'],
  owner: ['owner'],
}

const UNTOUCHABLE = 'nothing is looked at here'

/** Throws at the first look, and notes it. */
function untouchable(name: string, touched: string[], known: object = {}): never {
  return new Proxy(known, {
    get(target, key) {
      if (Object.hasOwn(target, key)) return Reflect.get(target, key)
      touched.push(`${name}.${String(key)}`)
      throw new Error(UNTOUCHABLE)
    },
  }) as never
}

const verbs = routes.flatMap(({ operationId, verb }) => (verb === undefined ? [] : [{ operationId, verb }]))

describe.each(verbs)('$operationId, called without HTTP', ({ verb }) => {
  test.each(Object.entries(CALLERS))('by: %s', async (name, actor) => {
    const touched: string[] = []
    const ctx = untouchable('ctx', touched, { actor })
    const input = () => untouchable('input', touched)
    const answer: unknown = await verb(ctx, input(), input(), input()).catch((error: unknown) => error)
    const { role } = verb.needs
    if (LET_IN[role]?.includes(name)) {
      expect(touched).not.toEqual([])
    } else {
      expect(answer).toBeInstanceOf(DomainError)
      expect(answer).toMatchObject({ code: 'forbidden', details: { required_role: role } })
      expect(touched).toEqual([])
    }
  })
})

test('every write has a verb', () => {
  const writes = routes.filter(({ access, method }) => access === 'write' || method === 'put' || method === 'patch')
  expect(writes.filter(({ verb }) => verb === undefined).map(({ operationId }) => operationId)).toEqual([])
  expect(verbs.length).toBeGreaterThan(50)
})

test('what an auditor may call without any other role is about themselves alone', () => {
  const open = verbs.filter(({ verb }) => verb.needs.role === 'user').map(({ operationId }) => operationId)
  expect(open.sort()).toEqual(['closeSession', 'logOut', 'setPassword', 'updateMe'])
})

test('every role is among the callers', () => {
  expect(ROLE_NAMES.filter((name) => CALLERS[name] === undefined)).toEqual([])
})
