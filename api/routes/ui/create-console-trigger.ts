import { ConsoleRule } from '#core/trigger/console-schema.ts'
import { RuleSpec } from '#core/trigger/rule-schema.ts'
import { createConsoleTrigger } from '#services/console-rules/create-console-trigger.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute } from '../../define-route.ts'
import { LOCATION } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const RULE_EXAMPLE = `name: checkout-down
on: alert
match: { service: checkout, severity: [critical] }
run: sre/service-recovery
inputs: { url: "http://checkout.internal:8080", service: "\${{ alert.service }}" }
`

export const createConsoleTriggerRoute = defineRoute(
  {
    operationId: 'createConsoleTrigger',
    method: 'post',
    path: '/ui/api/triggers',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Author a rule',
    description:
      'One entry of a rule file. Rules of the console are tried first, in the order of their names, then those of the files of the deployment, then those of packs; the first that fits starts its template. It is checked as `svc check` checks files, with all that it names. Every process follows within about a second.',
    request: { body: documentBody(RuleSpec, RULE_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: {
      201: {
        description: 'The rule',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: ConsoleRule } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const rule = await createConsoleTrigger(ctx, documentText(c))
    return c.json(rule, 201, { location: `/ui/api/triggers/${rule.name}`, etag: rule.etag })
  },
)
