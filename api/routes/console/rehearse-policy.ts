import { PolicyDraft, PolicyRehearsal } from '#core/policy/rehearsal-schema.ts'
import { rehearsePolicy } from '#services/policies/rehearse-policy.ts'
import { MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

export const rehearsePolicyRoute = defineRoute(
  {
    operationId: 'rehearsePolicy',
    method: 'post',
    path: '/console/api/policies/rehearse',
    tags: ['policies'],
    access: 'read',
    auth: 'admin',
    summary: 'Ask what a policy would have said of the runs of the last 30 days, before it is saved',
    description:
      'The draft is checked as it would be when it is saved; what is wrong with it is part of the answer. Its place is taken by name among the policies of the console, in the environments of `attach`. The plans of the newest 20,000 runs are judged by the policies in force and with the draft, by all four authorities, before inputs are rendered; what differs is listed. Freezes and halts are left out: they pass. Nothing is saved.',
    request: { body: json(PolicyDraft) },
    // in JSON a text takes more room than by itself
    max_body_bytes: 2 * MAX_DOCUMENT_BYTES,
    responses: { 200: ok(PolicyRehearsal, 'What would be different') },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    return c.json(await rehearsePolicy(ctx, c.req.valid('json')), 200)
  },
)
