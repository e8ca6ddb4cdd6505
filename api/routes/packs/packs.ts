import { z } from '@hono/zod-openapi'
import { runIdOfDelivery } from '#core/inbox/item.ts'
import { defined } from '#core/json/json.ts'
import { Contract, Graph, InputsAnswer, Preflight } from '#core/plan/preflight-schema.ts'
import { Run } from '#core/run/schema.ts'
import { RunRequest } from '#core/run/start-schema.ts'
import { originOfStart } from '#services/ask/origin-of-start.ts'
import { startOfRefusal } from '#services/halts/refused-start.ts'
import { getContract, getGraph } from '#services/packs/contracts.ts'
import { checkInputs, listPacks } from '#services/packs/list-packs.ts'
import { preflight } from '#services/packs/preflight.ts'
import { runTemplate } from '#services/runs/admit-run.ts'
import { getRun } from '#services/runs/get-run.ts'
import { defineRoute, json, MAX_INPUTS_BYTES, ok } from '../../define-route.ts'
import { PackTemplate } from '../../schemas/packs.ts'
import { PlaceQuery, TemplateParams } from '../../schemas/params.ts'

export const runTemplateRoute = defineRoute(
  {
    operationId: 'runTemplate',
    method: 'post',
    path: '/packs/{pack}/{tpl}/run',
    tags: ['packs'],
    verb: runTemplate,
    summary: 'Run a template',
    description: 'Answers as soon as the run is on record. Follow it under `links.stream`.',
    request: { params: TemplateParams, body: json(RunRequest) },
    responses: {
      202: {
        description: 'The run, queued',
        headers: { Location: { description: 'Path of the run', schema: { type: 'string' } } },
        content: { 'application/json': { schema: Run } },
      },
    },
    problems: ['policy_denied', 'frozen', 'halted', 'plan_changed', 'not_configured'],
    max_body_bytes: MAX_INPUTS_BYTES,
    idempotent: true,
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    const { ask, refusal, ...request } = c.req.valid('json')
    const { attempt } = c.get('ctx')
    const start = { ...request, run_id: attempt && runIdOfDelivery(attempt.id), pack, template: tpl }
    const asked = { ...c.get('ctx'), ask: c.get('deps').ask.ports }
    const origin =
      ask === undefined
        ? { trigger: { type: 'direct', ...defined({ refusal }) } }
        : await originOfStart(asked, ask, start)
    const admission = { ...start, ...origin, ...(await startOfRefusal(c.get('ctx'), refusal, start)) }
    const { run_id } = await runTemplate(c.get('ctx'), defined(admission))
    c.header('Location', `/runs/${run_id}`)
    return c.json(await getRun(c.get('ctx'), run_id), 202)
  },
)

const Question = RunRequest.pick({
  inputs: true,
  profile: true,
  config_preset: true,
  environment: true,
  sandbox: true,
  dry_run: true,
})

export const preflightRoute = defineRoute(
  {
    operationId: 'preflight',
    method: 'post',
    path: '/packs/{pack}/{tpl}/preflight',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'What a start would meet now',
    description:
      'Checks inputs, environment, connections, policies, freezes, halts, budgets and the caller with the code that admits runs. Starts nothing and writes nothing. Send `plan_hash` with the start: it is refused once the plan has changed.',
    request: { params: TemplateParams, body: json(Question.meta({ id: 'PreflightQuestion' })) },
    responses: { 200: ok(Preflight, 'The checks, and what is to be expected') },
    max_body_bytes: MAX_INPUTS_BYTES,
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    const { workspaces: directory, authoring } = c.get('deps')
    const ctx = { ...c.get('ctx'), directory, connection_ports: authoring.connection_ports }
    return c.json(await preflight(ctx, { pack, template: tpl, ...c.req.valid('json') }), 200)
  },
)

export const validateInputsRoute = defineRoute(
  {
    operationId: 'validateInputs',
    method: 'post',
    path: '/packs/{pack}/{tpl}/validate',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'Check inputs against a template',
    description:
      'Answers 200 also where they do not fit: `valid` says so, and `errors` where. They are checked over what the workspace has configured and the config preset, as a start is. Secrets are not sent back.',
    request: {
      params: TemplateParams,
      body: json(RunRequest.pick({ inputs: true, config_preset: true }).meta({ id: 'InputsQuestion' })),
    },
    responses: { 200: ok(InputsAnswer, 'Whether they fit') },
    max_body_bytes: MAX_INPUTS_BYTES,
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    return c.json(await checkInputs(c.get('ctx'), { pack, template: tpl, ...c.req.valid('json') }), 200)
  },
)

export const getGraphRoute = defineRoute(
  {
    operationId: 'getGraph',
    method: 'get',
    path: '/packs/{pack}/{tpl}/graph',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'The steps of a template as a graph',
    description: 'As Mermaid text and as nodes and edges, with the gates that are to be expected in the environment.',
    request: { params: TemplateParams, query: PlaceQuery },
    responses: { 200: ok(Graph, 'The graph') },
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    return c.json(await getGraph(c.get('ctx'), { pack, template: tpl, ...c.req.valid('query') }), 200)
  },
)

export const getContractRoute = defineRoute(
  {
    operationId: 'getContract',
    method: 'get',
    path: '/packs/{pack}/{tpl}/contract',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'What a template takes, does, needs and may ask',
    description:
      'All that a form needs. Gates and integrations are those of the environment that is named, or of the workspace’s default.',
    request: { params: TemplateParams, query: PlaceQuery },
    responses: { 200: ok(Contract, 'The contract') },
  },
  async (c) => {
    const { pack, tpl } = c.req.valid('param')
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    return c.json(await getContract(ctx, { pack, template: tpl, ...c.req.valid('query') }), 200)
  },
)

export const listPacksRoute = defineRoute(
  {
    operationId: 'listPacks',
    method: 'get',
    path: '/packs',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'List the registered templates',
    responses: { 200: ok(z.array(PackTemplate), 'One item per template of every pack') },
  },
  async (c) => c.json(await listPacks(c.get('ctx')), 200),
)
