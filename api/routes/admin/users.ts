import { z } from '@hono/zod-openapi'
import type { Actor } from '#core/actor.ts'
import { InvitedUser, PasswordChange, User, UserEdit, UserId, UserInvite } from '#core/user/schema.ts'
import { inviteUser } from '#services/auth/invite-user.ts'
import { findInvited, setPassword } from '#services/auth/set-password.ts'
import { listUsers, updateUser } from '#services/auth/update-user.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { clientIp } from '../../request-origin.ts'
import { ETAG, IfMatch } from '../../schemas/params.ts'

export const updateUserRoute = defineRoute(
  {
    operationId: 'updateUser',
    method: 'patch',
    path: '/admin/users/{id}',
    tags: ['admin'],
    verb: updateUser,
    summary: 'Change what a user may do',
    description:
      'New roles and a new status end every session of the user; all of it is in force within five seconds. Only an owner changes an owner, and the last one stays. For a user who is also in workspaces that you may not enter, only `workspaces` changes, within yours.',
    request: { params: z.object({ id: UserId }), headers: IfMatch, body: json(UserEdit) },
    responses: { 200: { ...ok(User, 'The user as it is now'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const user_id = c.req.valid('param').id
    const if_match = c.req.valid('header')['if-match']
    const ctx = { ...c.get('ctx'), ...c.get('deps').identity }
    const user = await updateUser(ctx, { user_id, if_match, edit: c.req.valid('json') })
    return c.json(user, 200, { etag: user.etag })
  },
)

export const setPasswordRoute = defineRoute(
  {
    operationId: 'setPassword',
    method: 'post',
    path: '/admin/users/{id}/password',
    tags: ['admin'],
    verb: setPassword,
    verify: holdsInvitation,
    summary: 'Set a password',
    description:
      'Your own takes `current_password`; an admin of all workspaces of a user sets theirs without; an invited user sets the first one with `invite_token` and need not be signed in. A new password ends every session of its user.',
    request: { params: z.object({ id: UserId }), body: json(PasswordChange) },
    responses: { 204: { description: 'The password is set' } },
    problems: ['conflict'],
    max_body_bytes: 8_192,
  },
  async (c) => {
    const { actor, deps } = c.var
    const input = { ...c.req.valid('json'), user_id: c.req.valid('param').id }
    // a stolen session must not help to guess the password
    if (input.current_password !== undefined) await deps.logins.pair.take(`${actor.id} ${clientIp(c)}`)
    await setPassword({ ...c.get('ctx'), ...deps.identity }, input)
    return c.body(null, 204)
  },
)

const Invited = z.object({ invite_token: z.string().max(200) })

/** Returns the invited user of the token in the body. */
async function holdsInvitation(c: ApiContext): Promise<Actor | undefined> {
  const body = Invited.safeParse(c.get('body_json'))
  const id = UserId.safeParse(c.req.param('id'))
  if (!body.success || !id.success) return undefined
  const { services, identity, logins } = c.get('deps')
  await logins.ip.take(clientIp(c) ?? 'unknown')
  return findInvited({ ...services, ...identity }, { user_id: id.data, invite_token: body.data.invite_token })
}

export const listUsersRoute = defineRoute(
  {
    operationId: 'listUsers',
    method: 'get',
    path: '/admin/users',
    tags: ['admin'],
    access: 'read',
    auth: 'admin',
    scope: 'account',
    summary: 'List users, newest first',
    description:
      'People and service accounts of the workspaces that you may enter; of each, only what is of those workspaces.',
    request: {
      query: z.object({
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(User, 'users') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const page = await listUsers({ ...c.get('ctx'), ...c.get('deps').identity }, c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)

// no Idempotency-Key: its first answer would be kept, and a secret with it. A repeat makes a new invitation instead.
export const inviteUserRoute = defineRoute(
  {
    operationId: 'inviteUser',
    method: 'post',
    path: '/admin/users',
    tags: ['admin'],
    verb: inviteUser,
    summary: 'Invite a user',
    description:
      'Answers with a token, shown this once and good for seven days, with which the user sets the first password. Who was invited before and has not come gets a new one. Only an owner invites an owner.',
    request: { body: json(UserInvite) },
    responses: { 201: ok(InvitedUser, 'The invited user and the token') },
    problems: ['conflict'],
  },
  async (c) => {
    const invited = await inviteUser({ ...c.get('ctx'), ...c.get('deps').identity }, c.req.valid('json'))
    c.header('Cache-Control', 'no-store')
    return c.json(invited, 201)
  },
)
