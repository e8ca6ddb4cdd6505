import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { Counter, Registry } from 'prom-client'
import { stringify } from 'yaml'
import { serveOnLoopback } from '#cli/dev/serve-on-loopback.ts'
import { poll } from '#platform/embedded/processes.ts'
import { freePorts } from './free-ports.ts'
import { startGitServer } from './git-server.ts'
import { startNeighbour } from './neighbour.ts'
import type { Program } from './programs/program.ts'

export const RELEASE_FILE = 'release.yaml'
const LOAD_EVERY_MS = 50
const WATCHED_WITHIN_MS = 30_000
/** the share of failures in the last seconds */
export const ERROR_RATE =
  'sum(rate(http_requests_total{service="shop",code="500"}[3s])) / sum(rate(http_requests_total{service="shop"}[3s]))'

/**
 * What `sre/deploy-rollback` talks to, on loopback: a bare Git repository, two versions of a service (`v2` fails) behind a proxy that has the
 * deploy hook and its own load, and a Prometheus that watches the proxy. It begins with `v1` deployed and watched.
 */
export async function startReleaseLab(prometheus: Program) {
  const git = await startGitServer()
  const proxy = await startProxy((commit) => git.git(git.bare, 'show', `${commit}:${RELEASE_FILE}`))
  const metrics = await startMetrics(prometheus, proxy.url)
  const release = async (version: string) => {
    // what others have committed stays
    await git.git(git.work, 'fetch', '--quiet', git.bare).catch(() => undefined)
    await git.git(git.work, 'reset', '--quiet', '--hard', 'FETCH_HEAD').catch(() => undefined)
    const commit = await git.commit({ [RELEASE_FILE]: `version: ${version}\n` }, `Release ${version}`)
    await proxy.deploy(commit)
    return commit
  }
  /** waits until Prometheus sees this of the error rate, by the second in which a commit would be made now */
  const sees = async (fits: (rate: number) => boolean) => {
    const rate = () => metrics.ask(ERROR_RATE, Math.floor(Date.now() / 1_000))
    if (!(await poll(async () => fits(await rate()), WATCHED_WITHIN_MS, 200)))
      throw new Error(`Prometheus sees an error rate of ${await rate()}`)
  }
  const first = await release('v1')
  await sees((rate) => rate === 0)
  return {
    git,
    proxy,
    metrics,
    first,
    release,
    sees,
    async stop(): Promise<void> {
      await proxy.stop()
      await metrics.stop()
      await git.stop()
    },
  }
}

async function startProxy(fileAt: (commit: string) => Promise<string>) {
  const versions = new Map([
    ['v1', await startVersion('v1', 200)],
    ['v2', await startVersion('v2', 500)],
  ])
  const state = { version: 'v1', deployed: [] as string[] }
  const registry = new Registry()
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests that were answered',
    labelNames: ['code'],
    registers: [registry],
  })
  for (const code of ['200', '500']) requests.inc({ code }, 0)

  async function deploy(commit: string): Promise<void> {
    const version = /^version: (\S+)$/m.exec(await fileAt(commit))?.[1] ?? ''
    if (!versions.has(version)) throw new Error(`there is no version ${version}`)
    state.version = version
  }
  async function pass(response: ServerResponse): Promise<void> {
    const answer = await fetch(versions.get(state.version)?.url ?? '')
    requests.inc({ code: String(answer.status) })
    response.writeHead(answer.status).end(await answer.text())
  }
  const server = createServer(async (request, response) => {
    try {
      if (request.url === '/metrics')
        response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics())
      else if (request.method === 'POST' && request.url === '/deploy') {
        const { commit } = (await json(request)) as { commit: string }
        state.deployed.push(commit)
        await deploy(commit)
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ version: state.version }))
      } else await pass(response)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  const { url, stop } = await serveOnLoopback(server)
  const load = setInterval(() => void fetch(url).catch(() => undefined), LOAD_EVERY_MS)
  return {
    url,
    state,
    deploy,
    async stop(): Promise<void> {
      clearInterval(load)
      await stop()
      for (const version of versions.values()) await version.stop()
    },
  }
}

function startVersion(version: string, status: number) {
  return serveOnLoopback(createServer((_request, response) => response.writeHead(status).end(`${version}\n`)))
}

async function startMetrics(program: Program, watchedUrl: string) {
  const dir = await mkdtemp(join(tmpdir(), 'svc-release-lab-'))
  const target = { targets: [new URL(watchedUrl).host], labels: { service: 'shop' } }
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s' },
    scrape_configs: [{ job_name: 'shop', static_configs: [target] }],
  }
  await writeFile(join(dir, 'prometheus.yml'), stringify(config))
  const [port] = await freePorts(1)
  const args = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`]
  const { url, stop } = await startNeighbour({ program, args, dir, url: `http://127.0.0.1:${port}` })
  return {
    url,
    /** NaN where there is no value */
    async ask(query: string, time: number): Promise<number> {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}&time=${time}`)
      const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } }
      return Number(data.result[0]?.value[1] ?? Number.NaN)
    },
    async stop(): Promise<void> {
      await stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
