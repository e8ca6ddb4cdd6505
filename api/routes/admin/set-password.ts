import { z } from '@hono/zod-openapi'
import type { Actor } from '#core/actor.ts'
import { PasswordChange, UserId } from '#core/user/schema.ts'
import { findInvited, setPassword } from '#services/auth/set-password.ts'
import { clientIp } from '../../client-ip.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute, json } from '../../define-route.ts'

export const setPasswordRoute = defineRoute(
  {
    operationId: 'setPassword',
    method: 'post',
    path: '/admin/users/{id}/password',
    tags: ['admin'],
    access: 'write',
    auth: 'user',
    verify: holdsInvitation,
    scope: 'account',
    summary: 'Set a password',
    description:
      'Your own takes `current_password`; an admin of all workspaces of somebody sets theirs without; whoever was invited sets the first one with `invite_token` and need not be signed in. A new password ends every session of its user.',
    request: { params: z.object({ id: UserId }), body: json(PasswordChange) },
    responses: { 204: { description: 'The password is set' } },
    problems: ['conflict'],
    max_body_bytes: 8_192,
  },
  async (c) => {
    const { actor, deps } = c.var
    const input = { ...c.req.valid('json'), user_id: c.req.valid('param').id }
    // a stolen session must not become a place to guess the password at
    if (input.current_password !== undefined) await deps.logins.pair.take(`${actor.id} ${clientIp(c)}`)
    await setPassword({ ...c.get('ctx'), ...deps.identity }, input)
    return c.body(null, 204)
  },
)

const Invited = z.object({ invite_token: z.string().max(200) })

/** The invited user whose token the body holds. */
async function holdsInvitation(c: ApiContext): Promise<Actor | undefined> {
  const body = Invited.safeParse(c.get('body_json'))
  const id = UserId.safeParse(c.req.param('id'))
  if (!body.success || !id.success) return undefined
  const { services, identity, logins } = c.get('deps')
  await logins.ip.take(clientIp(c) ?? 'unknown')
  return findInvited({ ...services, ...identity }, { user_id: id.data, invite_token: body.data.invite_token })
}
