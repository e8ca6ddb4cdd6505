import { connect } from 'node:net'
import { bareHost } from '#core/egress/url.ts'
import type { Environment } from '#core/environment/environment.ts'
import { storedConnection } from '#core/environment/schema.ts'
import { DomainError } from '#core/errors.ts'
import { type Connection, OperatorError } from '#core/operator.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'

/** The result of trying to reach a target of the deployment. */
export interface Probe {
  kind: 'connection' | 'channel'
  /** `live/orders`, or the name of the channel */
  name: string
  ok: boolean
  detail: string
}

const PORTS: Record<string, number> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'http:': 80,
  'https:': 443,
  'smtp:': 587,
  'smtps:': 465,
  's3+http:': 80,
  's3+https:': 443,
}
const TIMEOUT_MS = 3_000
const SIGN_IN_MS = 8_000

/** Signs in at a database as a step would; throws OperatorError or DomainError. */
export type SignIn = (connection: Connection, signal: AbortSignal) => Promise<void>

interface ReachPorts {
  env: SecretEnvironment
  signIn: SignIn
}

/** Tests whether the host of every connection of a file accepts one, and signs in at databases; changes nothing. */
export async function reachConnections(environments: readonly Environment[], ports: ReachPorts): Promise<Probe[]> {
  const all = environments.flatMap(({ name, connections }) =>
    Object.entries(connections)
      .filter(([, { url }]) => storedConnection(url) === undefined)
      .map(([id, connection]) => ({ name: `${name}/${id}`, connection })),
  )
  return await Promise.all(
    all.map(
      async ({ name, connection }): Promise<Probe> => ({
        kind: 'connection',
        name,
        ...(await reach(connection, ports)),
      }),
    ),
  )
}

/** The url of a connection is a reference to a secret. */
async function reach(
  { kind, url: reference }: Connection,
  { env, signIn }: ReachPorts,
): Promise<Pick<Probe, 'ok' | 'detail'>> {
  try {
    const url = resolveSecret(reference, env)
    if (!URL.canParse(url)) return { ok: false, detail: `${reference} is no url` }
    const { hostname, port, protocol } = new URL(url)
    const to = { host: bareHost(hostname), port: port === '' ? (PORTS[protocol] ?? 0) : Number(port) }
    const code = await attempt(to)
    const where = `${hostname}:${to.port}`
    if (code !== undefined) return { ok: false, detail: `${where} does not answer (${code})` }
    if (kind !== 'postgres') return { ok: true, detail: `${where} answers` }
    await signIn({ kind, url }, AbortSignal.timeout(SIGN_IN_MS))
    return { ok: true, detail: `${where} accepts the sign-in` }
  } catch (error) {
    if (!(error instanceof DomainError || error instanceof OperatorError)) throw error
    return { ok: false, detail: error.message }
  }
}

/** Returns the code of the failure; undefined when the target answers. */
function attempt(to: { host: string; port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...to, timeout: TIMEOUT_MS })
    const end = (code?: string) => {
      socket.destroy()
      resolve(code)
    }
    socket.once('connect', () => end())
    socket.once('timeout', () => end(`no answer within ${TIMEOUT_MS / 1_000} s`))
    socket.once('error', (error) => end('code' in error ? String(error.code) : 'unknown error'))
  })
}
