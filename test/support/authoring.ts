import type { TestApi } from './api-client.ts'

/** Sends a document as YAML. */
export async function sendYaml(
  api: Pick<TestApi, 'app'>,
  [method, path]: [method: string, path: string],
  text: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return api.app.request(path, { method, body: text, headers: { 'content-type': 'text/yaml', ...headers } })
}

/** The audit records of one action about one thing, in order. */
export async function auditOf(api: Pick<TestApi, 'db'>, subject: string) {
  const rows = await api.db<{ draft: { action: string; actor: { id: string }; data: Record<string, unknown> } }[]>`
    select draft from audit_outbox where draft #>> '{subject,id}' = ${subject} order by id`
  return rows.map(({ draft }) => draft)
}
