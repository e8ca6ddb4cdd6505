import type { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiEnv } from './context.ts'
import { withSharedComponents } from './shared-components.ts'

const DESCRIPTION = `A control plane for governed durable workflows. Every run is admitted, planned, gated, budgeted and recorded.

* **Errors** are problem documents (RFC 9457) with a stable \`code\`; \`type\` leads to an explanation.
* **Lists** are bare arrays; \`Link\` (\`rel="next"\`) leads on, \`X-Total-Count\` counts up to 1,000, and beyond \`X-Total-At-Least\` takes its place.
* **Retries** are safe with \`Idempotency-Key\` on every POST that starts or decides.
* **Times** are RFC 3339 UTC, **money** is US dollars, **ids** sort by time.`

const TAGS = [
  { name: 'runs', description: 'What runs, what happened, what it left behind' },
  { name: 'approvals', description: 'Gates: what waits for an answer, and the answer' },
  { name: 'halts', description: 'Stopping everything, or a part of it, and resuming it' },
  { name: 'deliveries', description: 'Notices about gates, and their deliveries' },
  { name: 'packs', description: 'Templates, and starting them' },
  { name: 'pipelines', description: 'Runs that follow each other, on time, on events, and on people' },
  { name: 'triggers', description: 'Signals from other tools' },
  { name: 'authoring', description: 'Policies, rules, environments and profiles that are written in the console' },
  { name: 'connections', description: 'Addresses and credentials of other systems, sealed, by name' },
  { name: 'presets', description: 'What starts begin with, and what people keep for forms and lists' },
  { name: 'models', description: 'Asking models under a budget, in the format of OpenAI' },
  { name: 'ask', description: 'Questions in words, answered from what can be looked up' },
  { name: 'knowledge', description: 'Documents that are searched, and where they are searched' },
  { name: 'audit', description: 'What is on record' },
  { name: 'policies', description: 'What may run, what needs approval, and why' },
  { name: 'auth', description: 'Signing in, and who one is' },
  { name: 'admin', description: 'Who may do what' },
  { name: 'workspaces', description: 'Tenants: their life and their limits' },
  { name: 'mcp', description: 'What agents may read' },
  { name: 'meta', description: 'Health and this description' },
]

/** The OpenAPI 3.1 document of everything that is mounted. */
export function describeApi(app: OpenAPIHono<ApiEnv>, version: string): object {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description:
      'A token of `POST /token`, or the API key of a service account; `x-svc-key-scope` says which scope takes it',
  })
  // the same token, fetched by the docs page with a login form
  app.openAPIRegistry.registerComponent('securitySchemes', 'password', {
    type: 'oauth2',
    flows: { password: { tokenUrl: '/token', scopes: {} } },
  })
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/' }],
    tags: TAGS,
  })
  return withSharedComponents(document)
}
