import { InvitedUser, UserInvite } from '#core/user/schema.ts'
import { inviteUser } from '#services/auth/invite-user.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

// no Idempotency-Key: its first answer would be kept, and a secret with it. A repeat makes a new invitation instead.
export const inviteUserRoute = defineRoute(
  {
    operationId: 'inviteUser',
    method: 'post',
    path: '/admin/users',
    tags: ['admin'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
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
