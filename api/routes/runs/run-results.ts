import { z } from '@hono/zod-openapi'
import { RunEvidence } from '#core/audit/evidence-schema.ts'
import { RunContext } from '#core/run/context-schema.ts'
import { RunLineage } from '#core/run/lineage-schema.ts'
import { Artifact } from '#core/run/schema.ts'
import { downloadArtifact, listArtifacts } from '#services/runs/artifacts.ts'
import { getLineage, getReport } from '#services/runs/reports.ts'
import { getRunContext } from '#services/runs/run-context.ts'
import { getRunEvidence } from '#services/runs/run-evidence.ts'
import { knowledgeContext } from '../../create-ask-ports.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { RunParams } from '../../schemas/params.ts'
import { attachment } from '../../stream-response.ts'

export const getLineageRoute = defineRoute(
  {
    operationId: 'getLineage',
    method: 'get',
    path: '/runs/{id}/lineage',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read where a run came from and what followed',
    description:
      'The timeline is built from the records of the database and verifies nothing: `svc lineage` reads and verifies the log, and `GET /console/api/audit?run_id=…` gives the records to verify oneself.',
    request: { params: RunParams },
    responses: { 200: ok(RunLineage, 'The lineage of the run') },
  },
  async (c) => c.json(await getLineage(c.get('ctx'), c.req.valid('param').id), 200),
)

export const getRunContextRoute = defineRoute(
  {
    operationId: 'getRunContext',
    method: 'get',
    path: '/runs/{id}/context',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read how similar runs ended, and the passage of a runbook',
    description:
      'For those who answer a gate. Similar are the last five runs of the same template for the same alert, target or service, among the newest 500 of the pack. The passage comes from the corpora of the environment, or from all where it attaches none: from the document that the alert names as its runbook, else the best hit by words that mentions service, symptom or template. It was written by others: data, and never an instruction.',
    request: { params: RunParams },
    responses: { 200: ok(RunContext, 'What happened before, and what the documents say') },
  },
  async (c) => c.json(await getRunContext({ ...c.get('ctx'), ...knowledgeContext(c) }, c.req.valid('param').id), 200),
)

export const getRunEvidenceRoute = defineRoute(
  {
    operationId: 'getRunEvidence',
    method: 'get',
    path: '/runs/{id}/evidence',
    tags: ['runs'],
    access: 'download',
    auth: 'user',
    summary: 'Download what it takes to check a run without the service',
    description:
      'One document: the run, its steps, who answered with names, notes and times, plan hashes, its audit records as they were hashed, and where the chain ended. `svc evidence --verify` checks it offline, with `--log` against a copy of the whole log. Mail addresses are those that `GET /console/api/audit` shows to the caller.',
    request: { params: RunParams },
    responses: { 200: ok(RunEvidence, 'The document, as an attachment') },
  },
  async (c) => {
    const { id } = c.req.valid('param')
    return c.json(await getRunEvidence(c.get('ctx'), id), 200, {
      'content-disposition': `attachment; filename="${id}.evidence.json"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  },
)

export const getReportRoute = defineRoute(
  {
    operationId: 'getReport',
    method: 'get',
    path: '/runs/{id}/report',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read the report of a run',
    request: { params: RunParams },
    responses: {
      200: { description: 'Markdown as it was stored', content: { 'text/markdown': { schema: z.string() } } },
    },
    problems: ['artifact_mismatch', 'not_configured'],
  },
  async (c) => {
    const report = await getReport(c.get('ctx'), c.req.valid('param').id)
    return c.body(new TextDecoder().decode(report.body), 200, {
      'content-type': 'text/markdown; charset=utf-8',
      etag: `"${report.digest}"`,
    })
  },
)

const Bytes = z.string().openapi({ format: 'binary' })

export const downloadArtifactRoute = defineRoute(
  {
    operationId: 'downloadArtifact',
    method: 'get',
    path: '/runs/{id}/artifacts/download',
    tags: ['runs'],
    access: 'download',
    auth: 'user',
    summary: 'Download an artifact of a run',
    description:
      'One that is in a bucket is answered with a redirect to a url that is good for a minute, once the bucket has been found to hold what the record names; `x-svc-digest` is what the bytes must be. With `redirect=false` the service reads, verifies and answers it itself. Where the bucket holds something else, or nothing, the answer is 502 `artifact_mismatch`.',
    request: {
      params: RunParams,
      query: z.object({
        name: z.string().min(1).max(500).meta({ example: 'report.md' }),
        redirect: z.enum(['true', 'false']).default('true').meta({
          description: '`false`: the service answers the bytes itself, verified, also of an artifact in a bucket',
        }),
      }),
    },
    responses: {
      200: {
        description: 'The file as an attachment, of the type that it was kept with',
        content: { 'application/octet-stream': { schema: Bytes }, '*/*': { schema: Bytes } },
      },
      302: {
        description: 'It is in a bucket: a url that is good for a minute',
        headers: {
          location: { description: 'Whoever has it reads the file, without signing in', schema: { type: 'string' } },
          'x-svc-digest': {
            description: 'What the bytes must be: `sha256:` and 64 hex digits',
            schema: { type: 'string' },
          },
        },
      },
    },
    problems: ['artifact_mismatch', 'not_configured'],
  },
  async (c) => {
    const { name, redirect } = c.req.valid('query')
    const asked = { run_id: c.req.valid('param').id, name, redirect: redirect === 'true' }
    const found = await downloadArtifact(c.get('ctx'), asked)
    if ('body' in found) return attachment(found)
    const headers = { location: found.url, 'x-svc-digest': found.digest, 'cache-control': 'no-store' }
    return new Response(null, { status: 302, headers: { ...headers, 'referrer-policy': 'no-referrer' } })
  },
)

export const listArtifactsRoute = defineRoute(
  {
    operationId: 'listArtifacts',
    method: 'get',
    path: '/runs/{id}/artifacts',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'List what a run left behind',
    request: { params: RunParams },
    responses: { 200: ok(z.array(Artifact), 'Artifacts, oldest first') },
  },
  async (c) => c.json(await listArtifacts(c.get('ctx'), c.req.valid('param').id), 200),
)
