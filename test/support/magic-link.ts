import { createIds } from '#platform/ids.ts'
import { createLinks } from '#platform/links.ts'
import { createLinkIssuer } from '#services/approvals/links/issue-link.ts'
import { createMagicLinks } from '#store/gates/magic-links.ts'
import { TEST_MASTER_KEY, type TestApi } from './api-client.ts'
import { admitTestRun, parkTestRun } from './test-runs.ts'

export interface TestLink {
  run_id: string
  gate_id: string
  /** path and query */
  path: string
  code: string
}

export const TEST_SIGNER = createLinks({ master_key: TEST_MASTER_KEY, clock: Date.now })

/** Parks a run and sends its magic link to somebody, as the notices do. */
export async function sendTestLink(
  api: TestApi,
  options: {
    gate?: Parameters<typeof parkTestRun>[2]
    recipient?: string
    expires_at?: string
    plan_hash?: string
  } = {},
): Promise<TestLink> {
  const run_id = await admitTestRun(api)
  const gate_id = await parkTestRun(api, run_id, options.gate)
  const { recipient, expires_at, plan_hash } = options
  const link = await issueTestLink(api, gate_id, {
    ...(recipient !== undefined && { recipient }),
    ...(expires_at !== undefined && { expires_at }),
    ...(plan_hash !== undefined && { plan_hash }),
  })
  return { run_id, gate_id, ...link }
}

/** A link of an open gate for one recipient. */
export async function issueTestLink(
  api: Pick<TestApi, 'db'>,
  gate_id: string,
  order: { recipient?: string; expires_at?: string; plan_hash?: string } = {},
): Promise<Pick<TestLink, 'path' | 'code'>> {
  const issue = createLinkIssuer({
    links: createMagicLinks(api.db),
    signer: TEST_SIGNER,
    ids: createIds(),
    public_url: 'http://svc.test',
  })
  const [gate] = await api.db<{ workspace_id: string; plan_hash: string; expires_at: string }[]>`
    select workspace_id, plan_hash, expires_at from gates where id = ${gate_id}`
  if (gate === undefined) throw new Error(`no gate ${gate_id}`)
  const wanted = { recipient: 'oncall@example.test', ...order }
  const [notice] = await api.db<{ id: number }[]>`
    insert into notice_deliveries as n (gate_id, workspace_id, kind, channel, recipient)
    values (${gate_id}, ${gate.workspace_id}, 'opened', 'mail', ${wanted.recipient})
    on conflict (gate_id, kind, channel, recipient) do update set channel = n.channel returning id`
  const { url, code } = await issue({ gate_id, notice_id: notice?.id ?? 0, ...gate, ...wanted })
  return { path: url.slice('http://svc.test'.length), code }
}

/** One browser: it keeps the cookies of the pages that it has seen. */
export function createTestBrowser(api: Pick<TestApi, 'app'>) {
  const cookies = new Map<string, string>()
  const keep = (response: Response): Response => {
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    return response
  }
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return {
    async open(
      path: string,
      headers: Record<string, string> = {},
    ): Promise<{ response: Response; html: string; nonce: string }> {
      const response = keep(await api.app.request(path, { headers: { cookie: cookie(), ...headers } }))
      const html = await response.text()
      return { response, html, nonce: /name="nonce" value="([^"]*)"/.exec(html)?.[1] ?? '' }
    },
    async submit(
      path: string,
      fields: Record<string, string>,
      headers: Record<string, string> = {},
    ): Promise<{ response: Response; html: string }> {
      const response = await api.app.request(path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: cookie(), ...headers },
      })
      return { response: keep(response), html: await response.text() }
    },
  }
}
