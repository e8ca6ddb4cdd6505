import type { UserPatch, UserRow } from '#store/users.ts'
import { createTestApi, type TestApiOptions } from './api-client.ts'
import { JSON_ANSWER, type LinkWorld } from './link-world.ts'
import { sendTestLink, type TestLink } from './magic-link.ts'
import { DEVELOPMENT } from './one-pack.ts'
import type { Prepare } from './refused-operation.ts'
import { addUser, bearer, SECRET } from './users.ts'

interface Answering {
  link?: Parameters<typeof sendTestLink>[1]
  decision?: string
  /** who signs in to decide; nobody unless it is said */
  by?: UserPatch
  /** what has happened since the link was read */
  since?(world: LinkWorld, link: TestLink, user: UserRow | undefined): Promise<unknown>
  /** stands while the answer is on its way */
  meanwhile?(world: LinkWorld, send: () => Promise<Response>): Promise<Response>
  /** the deployment that the answer comes to */
  at?: (world: LinkWorld) => TestApiOptions
}

/** A program that has read a link approves by it, with the code of the message or as somebody. */
function answering({ link: order, decision = 'approve', by, since, meanwhile, at }: Answering): Prepare<LinkWorld> {
  return async (world, { method }) => {
    const link = await sendTestLink(world.api, order)
    const { nonce } = (await (await world.api.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
    const api = await createTestApi(world.database, {
      services: { engine: world.api.deps.services.engine },
      ...(by && { secret: SECRET }),
      ...at?.(world),
    })
    const user = by && (await addUser(api.deps, by))
    await since?.(world, link, user)
    const who = user && (await bearer(api.deps, user))
    const headers = { ...JSON_ANSWER, ...who, 'x-svc-confirm': nonce, 'x-svc-code': link.code }
    const send = () =>
      method === 'get'
        ? api.get(`${link.path}&decision=${decision}`, headers)
        : api.post(link.path, { decision, code: link.code }, headers)
    return () => (meanwhile?.(world, send) ?? send()).finally(() => api.close())
  }
}

const asking = (required: object) => ({
  gate: { required: { approvals: 1, approval_roles: [], prevent_self: false, ...required } },
})
const frozen = {
  ...DEVELOPMENT,
  freeze: [
    {
      name: 'peak',
      scope: 'all' as const,
      freeze_approvers: [],
      interval: { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' },
    },
  ],
}

/** What keeps a link from deciding, whichever way it is answered. */
export const LINKS = {
  withoutKey: answering({ at: () => ({ master_key: null }) }),
  undecided: answering({ decision: '' }),
  decided: answering({ since: (world, { gate_id }) => world.resolve(gate_id) }),
  cancelled: answering({
    since: (world, { run_id }) =>
      world.api.db`update runs set status = 'cancelled', awaiting_since = null, ended_at = now() where id = ${run_id}`,
  }),
  changed: answering({ link: { plan_hash: `sha256:${'b'.repeat(64)}` } }),
  ofAnotherRole: answering({ link: asking({ approval_roles: [['dba']] }), by: { roles: ['approver'] } }),
  ofTheRequester: answering({
    link: asking({ prevent_self: true }),
    by: { roles: ['approver'] },
    since: (world, { run_id }, user) => world.api.db`
      update runs set provenance = jsonb_set(provenance, '{actor,id}', to_jsonb(${user?.id ?? ''}::text)) where id = ${run_id}`,
  }),
  withoutNote: answering({ link: asking({ require_note: 'always' }) }),
  frozen: answering({
    at: ({ api: { deps } }) => ({
      services: {
        engine: deps.services.engine,
        environments: { ...deps.services.environments, get: () => frozen },
      },
    }),
  }),
  archived: answering({
    async meanwhile(world, send) {
      await world.api.db`update workspaces set status = 'archived', archived_at = now() where slug = 'default'`
      const answer = await send()
      await world.api.db`update workspaces set status = 'active', archived_at = null where slug = 'default'`
      return answer
    },
  }),
  used: answering({
    since: (world, { gate_id }) =>
      world.api.db`update magic_links set used_at = now(), used_decision = 'approve' where gate_id = ${gate_id}`,
  }),
}
