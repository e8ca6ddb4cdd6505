// What templates of packs/sre talk to, for people who want to play: npm run lab:certificates, npm run lab:releases
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { serveOnLoopback } from '#cli/dev/serve-on-loopback.ts'
import { loadConfig } from '#platform/config.ts'
import { startCertificateLab } from './certificate-lab.ts'
import { programsCacheDir } from './programs/cache-dir.ts'
import { SOURCES } from './programs/program.ts'
import { provideProgram } from './programs/provide-program.ts'
import { ERROR_RATE, startReleaseLab } from './release-lab.ts'

interface PackLab {
  template: string
  inputs: object
  /** kind and base url by the name of the connection */
  connections: Record<string, [kind: string, url: string]>
  /** what a `POST` to a path of the switch does, and its line on the screen */
  switches: Record<string, [said: string, act: () => unknown]>
  stop(): Promise<void>
}

async function certificates(): Promise<PackLab> {
  const { ca, authority, host, stop } = await startCertificateLab()
  const { state } = authority
  return {
    template: 'sre/cert-expiry',
    inputs: { host: '127.0.0.1', port: host.port, server_name: 'shop.test', ca, settle: '1s', renew_within_days: 40 },
    connections: { 'certificate-authority': ['http', authority.url], 'certificate-host': ['http', host.url] },
    switches: {
      '/wrong': ['the authority signs for another host', () => Object.assign(state, { names: ['DNS:bank.test'] })],
      '/right': ['it signs what it is asked for', () => Object.assign(state, { names: undefined })],
    },
    stop,
  }
}

async function releases(): Promise<PackLab> {
  const prometheus = await provideProgram('prometheus', {
    cacheDir: programsCacheDir(),
    onProgress: (line) => process.stdout.write(`${line}\n`),
  })
  if ('why' in prometheus) throw new Error(`${SOURCES.prometheus.title}: ${prometheus.why}\n\n  ${prometheus.cure}`)
  const { git, metrics, proxy, release, stop } = await startReleaseLab(prometheus)
  return {
    template: 'sre/deploy-rollback',
    inputs: { service: 'shop', repository: 'shop.git', query: ERROR_RATE, watch: '5s' },
    connections: { releases: ['http', git.url], metrics: ['prometheus', metrics.url], deploys: ['http', proxy.url] },
    switches: {
      '/v2': ['a release that fails is committed and deployed', () => release('v2')],
      '/v1': ['one that works', () => release('v1')],
    },
    stop,
  }
}

const LABS: Record<string, () => Promise<PackLab>> = { certificates, releases }

async function open(name: string) {
  const start = LABS[name]
  if (start === undefined) throw new Error(`takes ${Object.keys(LABS).join(' or ')}`)
  const lab = await start()
  const dir = await mkdtemp(join(tmpdir(), `svc-${name}-`))
  const bound = Object.entries(lab.connections).map(async ([id, [kind, url]]) => {
    await writeFile(join(dir, id), url)
    return [id, { kind, url: `file:${join(dir, id)}` }]
  })
  const connections = Object.fromEntries(await Promise.all(bound))
  await writeFile(join(dir, 'development.yaml'), stringify({ name: 'development', connections }))
  await writeFile(join(dir, 'inputs.yaml'), stringify(lab.inputs))
  const server = createServer(async (request, response) => {
    const [, act] = lab.switches[request.method === 'POST' ? (request.url ?? '') : ''] ?? []
    await act?.()
    response.writeHead(act === undefined ? 404 : 204).end()
  })
  const { url, stop: stopSwitch } = await serveOnLoopback(server)
  const { home } = loadConfig(process.env)
  const switches = Object.entries(lab.switches).map(([path, [said]]) => `     curl -X POST ${url}${path}   ${said}`)
  process.stdout.write(`
  1. connect   mkdir -p ${home}/environments && cp -i ${dir}/development.yaml ${home}/environments/
  2. run       npx svc run ${lab.template} -I --inputs ${dir}/inputs.yaml
  3. change
${switches.join('\n')}

  Ctrl-C ends it.
`)
  return async () => {
    await stopSwitch()
    await lab.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

const opening = open(process.argv[2] ?? '')
let stopping: Promise<void> | undefined
const stop = () => {
  // Ctrl-C arrives twice: from the terminal and through npm
  stopping ??= opening.then((close) => close())
  void stopping.then(
    () => process.exit(0),
    () => process.exit(69),
  )
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
await opening.catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(69)
})
