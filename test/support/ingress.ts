import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createOperators } from '#activities/operators/index.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import { IngressSpec } from '#core/ingress/ingress-schema.ts'
import { createEgressClient, type EgressClient } from '#platform/egress/egress-client.ts'
import type { LoadedPack } from '#platform/packs/loaded-pack.ts'
import { loadPack } from '#platform/packs/pack-loader.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import { createTestApi, type TestApi, type TestApiOptions } from './api-client.ts'
import type { TestDatabase } from './database.ts'
import { selfSigned } from './self-signed.ts'
import { signers, snsMessage } from './webhook-signers.ts'

export const HOOK = '/triggers/ingress/sre/github-deployments'
export const OTHER = 'ws_00000000000000000000000001'
export const ARCHIVED = 'ws_00000000000000000000000002'
export const SECRETS = {
  github: 'the secret of the repository',
  github_other: 'the secret of a repository of others',
  new: `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`,
  old: `whsec_${Buffer.from('the one that was used before ...').toString('base64')}`,
  slack: 'the signing secret of an app',
  limited: 'the secret of a repository with a limit',
  twin: 'the secret of two repositories',
  archived: 'the secret of a repository of yore',
}
export const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms'
const ENV = {
  SVC_GITHUB_WEBHOOK_SECRET: SECRETS.github,
  [`SVC_GITHUB_WEBHOOK_SECRET__${OTHER.toUpperCase()}`]: SECRETS.github_other,
  [`SVC_GITHUB_WEBHOOK_SECRET__${ARCHIVED.toUpperCase()}`]: SECRETS.archived,
  NEW: SECRETS.new,
  OLD: SECRETS.old,
  SLACK: SECRETS.slack,
  LIMITED: SECRETS.limited,
  TWIN: SECRETS.twin,
  TWIN_RENAMED: SECRETS.twin,
  LIMITED_BEFORE: 'the one that nobody else has',
  TOPIC,
  [`TOPIC__${OTHER.toUpperCase()}`]: `${TOPIC}-of-others`,
}
const amazon = selfSigned('sns.amazonaws.com', { from: new Date('2020-01-01'), to: new Date('2099-01-01') })
/** The network as far as these tests go: Amazon's certificate. */
const egress: EgressClient = {
  ...createEgressClient(),
  request: async () => ({
    status: 200,
    headers: {},
    body: Buffer.from(amazon.certificate),
    remote_address: '',
    ms: 1,
    redirects: [],
  }),
}

const RULE = { on: 'ingress', run: 'sre/service-recovery', inputs: { url: 'https://shop.example.test' } }
const EXTRA: object[] = [
  {},
  { name: 'off', enabled: false },
  { name: 'unset', verify: { scheme: 'github', secret: 'env:NOBODY_SET_IT' } },
  {
    name: 'form',
    verify: { scheme: 'slack', secret: 'env:SLACK' },
    normalize: { service: 'body.payload.service', symptom: 'body.command' },
  },
  {
    name: 'alarms',
    verify: { scheme: 'sns', topic: 'env:TOPIC' },
    normalize: { service: 'body.Message.AlarmName', symptom: 'body.?Extra.orValue("Alarm")' },
  },
  { name: 'twin', verify: { scheme: 'github', secret: 'env:TWIN' } },
  {
    name: 'twin-by-another-name',
    verify: {
      scheme: 'hmac',
      header: 'X-Hub-Signature-256',
      prefix: 'sha256=',
      secret: ['env:LIMITED_BEFORE', 'env:TWIN_RENAMED'],
    },
  },
  {
    name: 'limited',
    verify: { scheme: 'github', secret: 'env:LIMITED' },
    rules: [{ ...RULE, name: 'limited', limits: { cooldown: '1h' } }],
  },
]

function ingressOf(changes: object): Ingress {
  const spec = IngressSpec.parse({
    name: 'orders',
    verify: { scheme: 'standard-webhooks', secret: ['env:NEW', 'env:OLD'] },
    normalize: { service: 'body.service', symptom: '"OrderFailed"', title: 'headers["x-title"]' },
    rules: [{ ...RULE, name: 'orders' }],
    ...changes,
  })
  const origin = { layer: 'pack', origin: 'sre/pack.yaml', pack: 'sre' } as const
  return { ...spec, pack: 'sre', rules: spec.rules.map((rule) => ({ ...rule, ...origin })) }
}

/** The shipped pack with more webhooks than it declares. */
function registry(): PackRegistry {
  const catalog = createOperators({ egress: createEgressClient() })
  const loaded = loadPack(join(import.meta.dirname, '../../packs/sre'), catalog)
  if (loaded.pack === undefined) throw new Error(JSON.stringify(loaded.faults))
  const pack: LoadedPack = { ...loaded.pack, ingress: [...loaded.pack.ingress, ...EXTRA.map(ingressOf)] }
  return {
    list: () => [pack],
    errors: () => [],
    findTemplate: (of, name) => pack.templates.find((each) => each.pack === of && each.template === name),
    rules: () => [],
    policies: () => [],
    onChange: () => () => {},
    reload: () => {},
    close: () => {},
  }
}

/** The API with those webhooks; `opened` counts the signatures that were looked at. */
export async function createIngressApi(
  database: TestDatabase,
  options: TestApiOptions = {},
): Promise<TestApi & { opened(): number }> {
  const packs = registry()
  const api = await createTestApi(database, { ...options, services: { packs }, env: ENV, egress })
  const { authenticator } = api.deps.ingress
  let opened = 0
  api.deps.ingress.authenticator = {
    find: authenticator.find,
    open(...delivery) {
      opened += 1
      return authenticator.open(...delivery)
    },
  }
  return { ...api, opened: () => opened }
}

interface Event {
  service: string
  state?: string
  note?: string
}

/** What GitHub posts for a deployment status, as far as it matters here. */
export function deployment({ service, state = 'failure', note }: Event): string {
  return JSON.stringify({
    action: 'created',
    repository: { full_name: `acme/${service}` },
    deployment: { environment: 'production', sha: 'abc' },
    deployment_status: { state, environment_url: 'https://shop.example.test', description: note ?? randomUUID() },
  })
}

/** An answer, or a problem document. */
export interface Answer {
  delivery_id?: string
  outcome?: string
  run_id?: string
  code?: string
  detail?: string
  challenge?: string
}

export interface Post {
  path?: string
  id?: string
  secret?: string
  headers?: Record<string, string>
}

/** Posts a body as GitHub signs it. */
export const post = async (to: TestApi, body: string, as: Post = {}) => read(await postByGithub(to, body, as))

export function postByGithub(
  to: TestApi,
  body: string,
  { path = HOOK, id = randomUUID(), secret = SECRETS.github, headers = {} }: Post = {},
): Promise<Response> {
  const signed = signers.github({ body: Buffer.from(body), secret, at_s: 0, id })
  return request(to, path, body, { 'x-github-event': 'deployment_status', ...signed, ...headers })
}

/** Posts a body as Standard Webhooks sign it. */
export async function order(to: TestApi, body: string, secret: string, { id = randomUUID(), headers = {} }: Post = {}) {
  const signed = signers.standard({ body: Buffer.from(body), secret, at_s: nowInSeconds(), id })
  return await send(to, '/triggers/ingress/sre/orders', body, { 'x-title': 'An order failed', ...signed, ...headers })
}

/** Headers with which Slack posts a body. */
export function signedBySlack(body: string, secret = SECRETS.slack): Record<string, string> {
  return signers.slack({ body: Buffer.from(body), secret, at_s: nowInSeconds(), id: '' })
}

/** Posts what Amazon SNS posts; `unsigned` are members that somebody added to the message. */
export async function publish(
  to: TestApi,
  fields: Record<string, string>,
  { unsigned = {}, headers = {} }: { unsigned?: object; headers?: Record<string, string> } = {},
) {
  const url = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-abc.pem'
  const whole = { TopicArn: TOPIC, MessageId: randomUUID(), Timestamp: new Date().toISOString(), ...fields }
  const text = snsMessage({ key: amazon.private_key, version: '2', url }, whole)
  return await send(to, '/triggers/ingress/sre/alarms', JSON.stringify({ ...JSON.parse(text), ...unsigned }), {
    'content-type': 'text/plain; charset=UTF-8',
    'x-amz-sns-message-type': fields['Type'] ?? '',
    ...headers,
  })
}

export async function send(to: TestApi, path: string, body: string, headers: Record<string, string>) {
  return await read(await request(to, path, body, headers))
}

async function request(to: TestApi, path: string, body: string, headers: Record<string, string>): Promise<Response> {
  return await to.app.request(path, {
    method: 'POST',
    body: Buffer.from(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
}

async function read(response: Response) {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer }
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1_000)
}

/** Runs of the services whose names hold the text, in any workspace. */
export function runsOf({ db }: TestDatabase, service: string) {
  return db<{ id: string; workspace_id: string; provenance: { trigger: object; actor: object }; inputs: object }[]>`
    select id, workspace_id, provenance, inputs from runs where fingerprint like ${`%${service}%`} order by id`
}
