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

/** A policy and a rule of a workspace, both called `authored`, and a preset of each kind. */
export async function authorIn(
  db: TestApi['db'],
  workspace_id: string,
  presets: Record<'config' | 'input', string>,
): Promise<void> {
  await db`
    insert into console_policies (workspace_id, name, document, author)
    values (${workspace_id}, 'authored', ${'name: authored\nrules: [{ effect: deny }]'}, 'usr_ann')`
  await db`
    insert into console_documents (kind, workspace_id, name, document, author)
    values ('rule', ${workspace_id}, 'authored', ${'name: authored\non: alert\nrun: incident/service-recovery'}, 'usr_ann')`
  for (const [kind, id] of Object.entries(presets)) {
    await db`
      insert into presets (id, workspace_id, kind, pack, template, name, inputs, author)
      values (${id}, ${workspace_id}, ${kind}, 'incident', 'service-recovery', 'authored', '{}', 'usr_ann')`
  }
}
