import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'

interface Version {
  data: Record<string, unknown>
  created_time: string
}

/** A store of key-value secrets on a port of its own, in the shapes of Vault's API for version 2 of that engine. */
export async function startSecretStore(token: string) {
  const secrets = new Map<string, Version[]>()
  let afterWrite: (() => Promise<void>) | undefined
  let failing: number | undefined
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.headers.authorization !== `Bearer ${token}`) return answer(403, { errors: ['permission denied'] })
    const path = /^\/v1\/secret\/data\/(.+)$/.exec(request.url ?? '')?.[1]
    if (path === undefined) return answer(404, { errors: [`no handler for route "${request.url}"`] })
    if (failing !== undefined && request.method !== 'GET') return answer(failing, { errors: ['internal error'] })
    const versions = secrets.get(path) ?? []
    const current = versions.at(-1)
    if (request.method === 'GET') {
      if (current === undefined) return answer(404, { errors: [] })
      const { data, created_time } = current
      return answer(200, { data: { data, metadata: { created_time, version: versions.length, destroyed: false } } })
    }
    const { options, data } = (await readJson(request)) as { options?: { cas?: number }; data: Version['data'] }
    if (options?.cas !== undefined && options.cas !== versions.length)
      return answer(400, { errors: ['check-and-set parameter did not match the current version'] })
    const created_time = new Date().toISOString()
    secrets.set(path, [...versions, { data, created_time }])
    await afterWrite?.()
    answer(200, { data: { created_time, version: versions.length + 1, destroyed: false } })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    /** of the connection */
    url: `http://:${token}@127.0.0.1:${port}/v1/`,
    versions: (path: string) => (secrets.get(path) ?? []).map(({ data }) => data),
    put(path: string, data: Version['data']): void {
      secrets.set(path, [...(secrets.get(path) ?? []), { data, created_time: new Date().toISOString() }])
    },
    /** runs once a version is stored, before anybody is told */
    afterWrite(then: typeof afterWrite): void {
      afterWrite = then
    },
    /** writes answer this status from now on */
    fail(status: number | undefined): void {
      failing = status
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type SecretStore = Awaited<ReturnType<typeof startSecretStore>>
