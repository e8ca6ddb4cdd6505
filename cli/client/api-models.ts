import type { operations } from '#client/api.generated.ts'
import type { createClient, Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { bodyOf } from './api-answers.ts'

type SummaryQuery = NonNullable<operations['getGatewaySummary']['parameters']['query']>

/** Calls of the API about models. */
export function createApiModels(client: ReturnType<typeof createClient>) {
  return {
    models: () => bodyOf(client.GET('/console/api/models')),
    modelRoles: () => bodyOf(client.GET('/ui/api/model-roles')),
    putModelRoles: (body: Schema<'ModelRolesEdit'>, if_match: string) =>
      bodyOf(client.PUT('/ui/api/model-roles', { params: { header: { 'if-match': if_match } }, body })),
    probeModel: (model: string) => bodyOf(client.POST('/console/api/models/probe', { body: { model } })),
    gatewaySummary: (query: SummaryQuery) => bodyOf(client.GET('/console/api/gateway/summary', { params: { query } })),
    /** a chat completion that a run pays for */
    chat: (run: string, body: Schema<'ChatRequest'>) =>
      documentOf(bodyOf(client.POST('/v1/chat/completions', { params: { header: { 'x-svc-run-id': run } }, body }))),
    modelRecords: (run_id: string) =>
      documentOf(
        bodyOf(client.GET('/console/api/audit', { params: { query: { run_id, category: 'model_call', limit: 50 } } })),
      ),
  }
}

/** For a document that is also served as text on request. */
async function documentOf<Body>(answer: Promise<Body>): Promise<Exclude<Body, string>> {
  const body = await answer
  if (isDocument(body)) return body
  throw new DomainError('dependency_unavailable', 'what answers there is not the service')
}

function isDocument<Body>(body: Body): body is Exclude<Body, string> {
  return typeof body !== 'string'
}
