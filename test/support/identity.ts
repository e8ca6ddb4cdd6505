import type { TestService } from './service.ts'

export const SECRET = 'a secret of the tests that is long enough'
const PASSWORD = 'correct horse battery'
const OWNER = 'owner@example.test'

/** What a service needs in its environment so that authentication is on and its first owner can sign in. */
export const AUTH_ENV = {
  OBS_JWT_SECRET: SECRET,
  SVC_ADMIN_EMAIL: OWNER,
  SVC_ADMIN_PASSWORD: PASSWORD,
  SVC_RATE_LIMIT: '0',
}

export interface Member {
  id: string
  email: string
  token: string
  /** headers of a request in this person's name */
  headers: Record<string, string>
}

export type Identities = Awaited<ReturnType<typeof createIdentities>>

/** Signs the first owner in and makes other people on demand, all through the API. */
export async function createIdentities(service: Pick<TestService, 'call' | 'url'>) {
  const owner = await signIn(service, OWNER)
  return {
    owner,
    async add(
      name: string,
      member: {
        roles: string[]
        approval_roles?: string[]
        workspaces?: string[]
        scopes?: string[]
        display_name?: string
      },
    ) {
      const email = `${name}@example.test`
      const invited = await service.call<{ id: string }>(
        'POST',
        '/admin/users',
        { email, workspaces: ['ws_00000000000000000000000000'], ...member },
        owner.headers,
      )
      if (invited.status !== 201) throw new Error(`no user ${email}: ${invited.status} ${JSON.stringify(invited.body)}`)
      const set = await service.call(
        'POST',
        `/admin/users/${invited.body.id}/password`,
        { password: PASSWORD },
        owner.headers,
      )
      if (set.status >= 300) throw new Error(`no password for ${email}: ${set.status} ${JSON.stringify(set.body)}`)
      return await signIn(service, email)
    },
  }
}

async function signIn(service: Pick<TestService, 'url'>, email: string): Promise<Member> {
  const form = new URLSearchParams({ grant_type: 'password', username: email, password: PASSWORD })
  const answer = await fetch(`${service.url}/token`, { method: 'POST', body: form })
  if (!answer.ok) throw new Error(`${email} cannot sign in: ${answer.status} ${await answer.text()}`)
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${token}` }
  const me = (await (await fetch(`${service.url}/auth/me`, { headers })).json()) as { id: string }
  return { id: me.id, email, token, headers }
}

/** People let a service account answer gates in their name. */
export async function letAnswer(
  service: Pick<TestService, 'call'>,
  account: Member,
  ...people: Member[]
): Promise<void> {
  for (const { headers, email } of people) {
    const { status } = await service.call('PUT', `/auth/me/answering-accounts/${account.id}`, undefined, headers)
    if (status !== 200) throw new Error(`${email} could not name ${account.email}: ${status}`)
  }
}
