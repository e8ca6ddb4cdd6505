import { connect } from 'node:net'
import type { Environment } from '#core/environment.ts'
import { DomainError } from '#core/errors.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'

/** Whether something that a deployment names answers. */
export interface Probe {
  kind: 'connection' | 'channel'
  /** `live/orders`, or the name of the channel */
  name: string
  ok: boolean
  detail: string
}

const PORTS: Record<string, number> = { 'postgres:': 5432, 'postgresql:': 5432, 'http:': 80, 'https:': 443 }
const TIMEOUT_MS = 3_000

/** Asks the host of every connection whether it takes one; nothing is sent, and nobody signs in. */
export async function reachConnections(environments: readonly Environment[], env: SecretEnvironment): Promise<Probe[]> {
  const all = environments.flatMap(({ name, connections }) =>
    Object.entries(connections).map(([id, { url }]) => ({ name: `${name}/${id}`, reference: url })),
  )
  return await Promise.all(
    all.map(
      async ({ name, reference }): Promise<Probe> => ({ kind: 'connection', name, ...(await reach(reference, env)) }),
    ),
  )
}

async function reach(reference: string, env: SecretEnvironment): Promise<Pick<Probe, 'ok' | 'detail'>> {
  try {
    const text = resolveSecret(reference, env)
    if (!URL.canParse(text)) return { ok: false, detail: `${reference} is no url` }
    const { hostname, port, protocol } = new URL(text)
    const to = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? (PORTS[protocol] ?? 0) : Number(port) }
    const code = await attempt(to)
    const where = `${hostname}:${to.port}`
    return code === undefined
      ? { ok: true, detail: `${where} answers` }
      : { ok: false, detail: `${where} does not answer (${code})` }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { ok: false, detail: error.message }
  }
}

/** The code of the failure; undefined when somebody answers. */
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
