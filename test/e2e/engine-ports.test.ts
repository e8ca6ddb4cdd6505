import { readdir, readFile, readlink } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { afterEach, describe, expect, it } from 'vitest'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { poll } from '#platform/embedded/processes.ts'
import { findHiddenAddress } from '#platform/embedded/supervisor.ts'
import type { RunningTemporal } from '#platform/embedded/temporal.ts'
import { guardWebUi } from '#platform/embedded/web-ui-guard.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createEmbeddedHomes } from '../support/embedded-homes.ts'

const { cleanups, cleanUp, newHome, openTemporal } = createEmbeddedHomes()
afterEach(cleanUp)

interface Answer {
  status: number
  cookie: string | undefined
  text: string
}

/** What a page can make a browser send: HTTP/1.1 to a port of this machine, under any name. */
function send(address: { host: string; port: number }, method: string, path: string, headers: Record<string, string>) {
  return new Promise<Answer>((resolve) => {
    const sent = request({ ...address, method, path, headers, timeout: 5_000 }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('close', () =>
        resolve({ status: answer.statusCode ?? 0, cookie: answer.headers['set-cookie']?.join(), text }),
      )
    })
    // a port that speaks no HTTP/1.1 cuts the connection
    sent.on('error', () => resolve({ status: 0, cookie: undefined, text: '' }))
    sent.on('timeout', () => {
      resolve({ status: 504, cookie: undefined, text: 'the port works on it' })
      sent.destroy()
    })
    sent.end(method === 'GET' ? undefined : JSON.stringify(path.endsWith('run_forged') ? START : {}))
  })
}

const START = { workflowType: { name: 'runV1' }, taskQueue: { name: 'realtime' }, requestId: 'a page' }
const WORKFLOWS = '/api/v1/namespaces/default/workflows'
const WRITES = [
  ['POST', `${WORKFLOWS}/run_forged`],
  ['POST', `${WORKFLOWS}/run_victim/signal/gate.decide`],
  ['POST', `${WORKFLOWS}/run_victim/cancel`],
  ['POST', `${WORKFLOWS}/run_victim/terminate`],
  ['POST', '/namespaces/default/workflows/run_forged'],
  ['POST', '/namespaces/default/task-queues/realtime/nexus-services/any/any'],
  ['POST', '/temporal.api.workflowservice.v1.WorkflowService/StartWorkflowExecution'],
] as const

/** A cross-site POST without a preflight, and the same after DNS rebinding: once each way to name the port. */
function tricks(port: number): Record<string, string>[] {
  const simple = { 'content-type': 'text/plain', origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' }
  const names = ['evil.test', `evil.test:${port}`, `127.0.0.1:${port}`, `localhost:${port}`]
  return [
    ...names.map((host) => ({ ...simple, host })),
    ...names.map((host) => ({ 'content-type': 'application/grpc-web', origin: 'null', host })),
    { 'content-type': 'application/json', host: `evil.test:${port}`, origin: `http://evil.test:${port}` },
    { 'content-type': 'application/json', host: `evil.test:${port}`, authorization: 'Bearer skips the CSRF check' },
  ]
}

/** Everything that the process listens on, from the tables of the kernel. */
async function listeners(pid: number): Promise<{ host: string; port: number }[]> {
  const fds = join('/proc', String(pid), 'fd')
  const links = await Promise.all((await readdir(fds)).map((fd) => readlink(join(fds, fd)).catch(() => '')))
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
  const table = (await readFile('/proc/net/tcp', 'utf8')) + (await readFile('/proc/net/tcp6', 'utf8'))
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/)
    const [address = '', port = ''] = (fields[1] ?? '').split(':')
    if (fields[3] !== '0A' || !inodes.has(fields[9] ?? '')) return []
    return { host: [...Buffer.from(address, 'hex')].reverse().join('.'), port: Number.parseInt(port, 16) }
  })
}

/** A run that waits, and what is known of it and of others afterwards. */
async function plantVictim(server: RunningTemporal) {
  const connection = await Connection.connect({ address: server.address })
  cleanups.push(() => connection.close())
  const client = new Client({ connection })
  const handle = await client.workflow.start('runV1', { workflowId: 'run_victim', taskQueue: 'realtime', args: [] })
  return {
    async look() {
      const { status, historyLength } = await handle.describe()
      const forged = client.workflow.getHandle('run_forged').describe()
      return { status: status.name, historyLength, forged: await forged.then(() => true).catch(() => false) }
    },
  }
}

const UNTOUCHED = { status: 'RUNNING', historyLength: 2, forged: false }

describe.runIf(process.platform === 'linux')('a web page', () => {
  it('reaches nothing through any port that the embedded engine opens', async () => {
    const server = await openTemporal(await newHome())
    const victim = await plantVictim(server)
    const ports = await listeners(server.pid)
    expect(ports.length).toBeGreaterThan(3)
    expect(new Set(ports.map(({ host }) => host))).toEqual(new Set(['127.0.0.1']))
    for (const address of ports) {
      for (const headers of tricks(address.port)) {
        for (const [method, path] of WRITES) {
          const { status, text } = await send(address, method, path, headers)
          expect([path, status === 0 || (status >= 400 && status < 500)], text).toEqual([path, true])
        }
        for (const path of ['/', '/api/v1/settings', `${WORKFLOWS}?query=`, '/debug/pprof/']) {
          const { status, cookie } = await send(address, 'GET', path, headers)
          expect([path, status === 200, cookie]).toEqual([path, false, undefined])
        }
      }
      // the figures are the one thing that is readable, and a figure changes nothing
      const { status, text } = await send(address, 'GET', '/metrics', { host: 'evil.test' })
      if (status === 200) expect(text).not.toContain('run_victim')
    }
    expect(await victim.look()).toEqual(UNTOUCHED)
  })

  it('does not get past the guard of the Web UI, and a person of this machine does', async () => {
    const hidden = await findHiddenAddress()
    if (hidden === undefined) throw new Error('there is no hidden address on this system')
    const server = await openTemporal(await newHome(), undefined, hidden)
    const victim = await plantVictim(server)
    const address = { host: '127.0.0.1', port: await findFreePort(28_900) }
    const guard = await guardWebUi(address.port, hidden)
    cleanups.push(guard.stop)

    // every port under 127.0.0.1 is as closed as without a Web UI, and the Web UI itself is at none of them
    const own = (await listeners(server.pid)).filter(({ host }) => host !== '127.0.0.1')
    expect(own).toEqual([hidden])
    for (const headers of tricks(address.port)) {
      for (const [method, path] of [...WRITES, ['GET', '/api/v1/settings']] as const) {
        if (method === 'GET' && !/evil/.test(headers['host'] ?? '') && headers['origin'] !== 'http://evil.test')
          continue
        const { status, cookie } = await send(address, method, path, headers)
        expect([path, status, cookie]).toEqual([path, 403, undefined])
      }
    }
    expect(await victim.look()).toEqual(UNTOUCHED)

    const host = `127.0.0.1:${address.port}`
    const page = await send(address, 'GET', '/', { host, 'sec-fetch-site': 'none' })
    expect([page.status, page.text.includes('<html')]).toEqual([200, true])
    const token = /_csrf=([^;]+)/.exec(page.cookie ?? '')?.[1] ?? ''
    const headers = { host, origin: guard.url, 'content-type': 'application/json', cookie: `_csrf=${token}` }
    // the Web UI finds the engine within a second of its start
    const cancelled = await poll(async () => {
      const sent = { ...headers, 'x-csrf-token': token }
      const { status } = await send(address, 'POST', `${WORKFLOWS}/run_victim/cancel`, sent)
      return status === 503 ? undefined : status
    }, PATIENCE.timeout)
    expect(cancelled).toBe(200)
    expect((await victim.look()).historyLength).toBeGreaterThan(UNTOUCHED.historyLength)
  })
})
