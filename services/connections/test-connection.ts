import {
  type ConnectionKind,
  type ConnectionSettings,
  connectionUrl,
  keepsAuthorization,
} from '#core/connection/kind-schema.ts'
import type { ConnectionTestRequest, ConnectionTestResult } from '#core/connection/schema.ts'
import type { Environment } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import { type Connection, type OperatorContext, OperatorError } from '#core/operator.ts'
import { isoTime } from '#core/time/time.ts'
import type { ConnectionRow } from '#store/connections/connections.ts'
import { auditBy } from '../audit/read-audit.ts'
import { mustBeOfAll } from '../auth/may.ts'
import { defineVerb } from '../define-verb.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import type { ConnectionContext } from './connection-ports.ts'
import { editedSettings, secretFor } from './connections.ts'
import { reachOf } from './open-connection.ts'
import { accessToken } from './refresh-tokens.ts'

const TEST_WITHIN_MS = 10_000
const NAME = 'tested'

interface KindTest {
  /** says what was found */
  healthy: string
  /** absent where it lists its tools */
  operator?: string
  /** what it is asked, where it has no test of its own */
  input?(config: JsonObject): JsonObject
}

const TESTS: Record<ConnectionKind, KindTest> = {
  http: {
    healthy: 'it answers with success',
    operator: 'http.request',
    input: ({ base_url, test_path }) => ({
      method: 'GET',
      url: String(test_path ?? base_url),
      connection: NAME,
    }),
  },
  postgres: {
    healthy: 'it answers a query',
    operator: 'postgres.query',
    input: () => ({ connection: NAME, sql: 'select 1' }),
  },
  prometheus: {
    healthy: 'it answers a query',
    operator: 'prometheus.query',
    input: () => ({ connection: NAME, query: 'vector(1)' }),
  },
  smtp: { healthy: 'it accepts the sign-in', operator: 'smtp.send' },
  slack: { healthy: 'it accepts the token', operator: 'slack.post' },
  s3: { healthy: 'it lists the bucket', operator: 's3.get' },
  mcp: { healthy: 'it lists its tools' },
}

type Outcome = Pick<ConnectionTestResult, 'status' | 'detail'>

/**
 * Tests a connection as a step would use it: by the operator's own code, under the egress rules of an environment. It is on record before
 * anything is sent, and says what was found and never what the target answers.
 */
export const testConnection = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (ctx: ConnectionContext, asked: ConnectionTestRequest): Promise<ConnectionTestResult> => {
    mustBeOfAll(ctx.actor)
    const { store } = ctx.connection_ports
    const { environment } = chooseEnvironment(
      ctx,
      asked.environment === undefined ? {} : { environment: asked.environment },
    )
    const row = asked.id === undefined ? undefined : await store.find(asked.id)
    if (asked.id !== undefined && row === undefined) throw new DomainError('not_found', 'there is no such connection')
    const settings = editedSettings(row, asked)
    const secret = await secretFor(ctx, row, { settings, secret: asked.secret })
    await ctx.runs.appendAudit([
      auditBy(ctx, {
        category: 'admin',
        action: 'connection.tested',
        workspace_id: ctx.workspace_id,
        subject: { type: 'connection', id: row?.id ?? 'draft' },
        data: {
          kind: settings.kind,
          config: settings.config,
          environment: environment.name,
          version: row?.version ?? null,
        },
      }),
    ])
    const began = performance.now()
    const { status, detail } = await outcomeOf(ctx, { row, settings, secret, environment })
    const found = {
      at: isoTime(ctx.clock()),
      ok: status === 'healthy',
      latency_ms: Math.round(performance.now() - began),
      detail,
    }
    if (row !== undefined && isAsStored(asked)) await store.tested(row, { status, last_test: found })
    return { ...found, status, environment: environment.name }
  },
)

const isAsStored = ({ kind, auth, config, secret }: ConnectionTestRequest) =>
  [kind, auth, config, secret].every((each) => each === undefined)

async function outcomeOf(
  ctx: ConnectionContext,
  {
    row,
    settings,
    secret = '',
    environment,
  }: {
    row: ConnectionRow | undefined
    settings: ConnectionSettings
    secret?: string | undefined
    environment: Pick<Environment, 'name' | 'egress'>
  },
): Promise<Outcome> {
  const signal = AbortSignal.timeout(TEST_WITHIN_MS)
  const key = settings.auth === 'oauth2' ? await tokenFor(ctx, row, settings) : secret
  if (typeof key !== 'string') return key
  try {
    const { egress } = ctx.connection_ports
    const reach = await reachOf(egress, settings, { egress: environment.egress, signal })
    const connection = { kind: settings.kind, url: connectionUrl(settings, key), ...reach }
    await askOnce(ctx, { settings, connection, environment, signal })
    return { status: 'healthy', detail: TESTS[settings.kind].healthy }
  } catch (error) {
    if (signal.aborted) return { status: 'failed', detail: `no answer within ${TEST_WITHIN_MS / 1_000} seconds` }
    if (error instanceof OperatorError) return explained(error, settings)
    throw error
  }
}

/** The access token of the stored connection, where it is good for the settings; else why there is none. */
async function tokenFor(
  ctx: ConnectionContext,
  row: ConnectionRow | undefined,
  settings: ConnectionSettings,
): Promise<string | Outcome> {
  if (row === undefined || !keepsAuthorization(row, settings))
    return { status: 'failed', detail: 'it can be tested when an admin has authorised it' }
  try {
    return await accessToken({ ...ctx, ...ctx.connection_ports }, row)
  } catch (error) {
    if (error instanceof DomainError) return { status: 'failed', detail: error.message }
    throw error
  }
}

async function askOnce(
  ctx: ConnectionContext,
  {
    settings,
    connection,
    environment,
    signal,
  }: {
    settings: ConnectionSettings
    connection: Connection
    environment: Pick<Environment, 'name' | 'egress'>
    signal: AbortSignal
  },
): Promise<void> {
  const { operator: id, input } = TESTS[settings.kind]
  if (id === undefined) {
    await ctx.connection_ports.mcp.listTools({ url: connection.url, egress: environment.egress, signal })
    return
  }
  const operator = ctx.connection_ports.operators.get(id)
  if (operator === undefined) throw new Error(`there is no operator ${id}`)
  await operator.ready?.()
  const request = ctx.request_id
  const context: OperatorContext = {
    run_id: request,
    step_id: 'test',
    workspace_id: ctx.workspace_id,
    attempt: 1,
    idempotency_key: request,
    environment,
    signal,
    log: { info: () => undefined, warn: () => undefined, progress: () => undefined },
    now: () => Math.round(performance.now()),
    connection: async () => connection,
    beforeSending: async () => undefined,
  }
  if (operator.testConnection !== undefined) return await operator.testConnection(context, NAME)
  const parsed = operator.parse(input?.(settings.config) ?? {})
  // a path may ask for another method
  if ((operator.actionType?.(parsed) ?? operator.action_type) !== 'read')
    throw new OperatorError('egress_denied', 'the path for tests asks for more than a read')
  await operator.execute(context, operator.applyConnection?.(parsed, connection) ?? parsed)
}

/** In our own words: a target writes neither into the page of an admin nor into the record. */
function explained({ code, message, details, cause }: OperatorError, { kind, config }: ConnectionSettings): Outcome {
  const status = Number(details?.['status'])
  if (code === 'http_status' && (status === 401 || status === 403))
    return { status: 'failed', detail: `it answers ${status}: the credentials are not accepted` }
  if (code === 'http_status') return { status: 'degraded', detail: `it answers ${status}` }
  if (code === 'response_too_large') return { status: 'degraded', detail: 'its answer is too large to be read' }
  // these words are ours: of what a bucket answers, codes that are known
  if (kind === 's3') return { status: 'failed', detail: message }
  if (code === 'login_refused' && kind === 'postgres') {
    const { user, database } = config
    return { status: 'failed', detail: `the server does not let user ${user} into database ${database}` }
  }
  if (details?.['redirects'] !== undefined)
    return { status: 'failed', detail: `it redirects to another address, where the request failed (${code})` }
  if (code === 'login_refused') return { status: 'failed', detail: 'the server does not accept the credentials' }
  if (details?.['tls'] === false) return { status: 'failed', detail: 'it makes no TLS connection that is trusted' }
  const is_own =
    code === 'egress_denied' || (code === 'unreachable' && details?.['sqlstate'] === undefined && Number.isNaN(status))
  if (is_own || !(cause instanceof Error)) return { status: 'failed', detail: message }
  return { status: 'failed', detail: `it cannot be used (${code})` }
}
