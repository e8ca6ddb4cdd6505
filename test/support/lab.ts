import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { poll } from '#platform/embedded/processes.ts'
import { freePorts } from './free-ports.ts'
import { labFiles } from './lab-config.ts'
import { startNeighbour } from './neighbour.ts'
import type { Program } from './programs/program.ts'

const WATCHED_WITHIN_MS = 30_000

/** The programs of others that a lab runs. */
export type LabPrograms = Record<'prometheus' | 'alertmanager', Program>

export interface LabOptions {
  programs: LabPrograms
  /** base address of the service that alerts go to */
  svc_url: string
  /** bearer token that Alertmanager sends */
  token?: string | undefined
  /** kept afterwards; without it a temporary one that goes with `stop` */
  dir?: string | undefined
  /** `service` label of the demo service */
  service?: string
  severity?: string
}

export interface Lab {
  dir: string
  demo: DemoService
  service: string
  prometheus_url: string
  alertmanager_url: string
  /** waits until Prometheus has found both others, which takes it 5 seconds */
  watched(): Promise<void>
  /** stops both others; the demo service goes on, which runs may still ask */
  stopAlerts(): Promise<void>
  stop(): Promise<void>
}

/** A demo service, a Prometheus that watches it and an Alertmanager that posts to `POST /triggers/alert`; all on loopback. */
export async function startLab(options: LabOptions): Promise<Lab> {
  const stops: (() => Promise<void>)[] = []
  const neighbours: typeof stops = []
  const stopAlerts = () => stopAll(neighbours)
  const stop = async () => {
    await stopAlerts()
    await stopAll(stops)
  }
  try {
    const dir = await makeDir(options.dir, stops)
    const demo = await startDemoService()
    stops.push(demo.stop)
    const service = options.service ?? 'demo'
    const ports = await freePorts(2)
    const [prometheus_url = '', alertmanager_url = ''] = ports.map((port) => `http://127.0.0.1:${port}`)
    const files = labFiles({
      demo_url: demo.url,
      service,
      severity: options.severity ?? 'critical',
      alertmanager_url,
      receiver_url: `${options.svc_url}/triggers/alert`,
      token: options.token,
    })
    // a token may stand in them
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text, { mode: 0o600 })
    const { programs } = options
    const alertmanager = alertmanagerIn(dir, programs.alertmanager, alertmanager_url)
    for (const start of [alertmanager, prometheusIn(dir, programs.prometheus, prometheus_url)]) {
      neighbours.push((await startNeighbour(start)).stop)
    }
    const watched = () => untilWatched(prometheus_url)
    return { dir, demo, service, prometheus_url, alertmanager_url, watched, stopAlerts, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function stopAll(stops: (() => Promise<void>)[]): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop()
}

async function untilWatched(prometheusUrl: string): Promise<void> {
  const finds = async (path: string, text: string) =>
    (await (await fetch(`${prometheusUrl}/api/v1/${path}`)).text()).includes(text)
  const found = async () =>
    (await finds('targets', '"health":"up"')) && (await finds('alertmanagers', '/api/v2/alerts'))
  if (!(await poll(found, WATCHED_WITHIN_MS, 100)))
    throw new Error(`Prometheus on ${prometheusUrl} does not find the demo service`)
}

async function makeDir(wanted: string | undefined, stops: (() => Promise<void>)[]): Promise<string> {
  if (wanted !== undefined) {
    const dir = resolve(wanted)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    return dir
  }
  const dir = await mkdtemp(join(tmpdir(), 'svc-lab-'))
  stops.push(() => rm(dir, { recursive: true, force: true }))
  return dir
}

const alertmanagerIn = (dir: string, program: Program, url: string) => ({
  program,
  args: [
    '--config.file=alertmanager.yml',
    '--storage.path=alertmanager',
    `--web.listen-address=${new URL(url).host}`,
    `--web.external-url=${url}`,
    // one of its kind: no gossip port
    '--cluster.listen-address=',
  ],
  dir,
  url,
})

const prometheusIn = (dir: string, program: Program, url: string) => ({
  program,
  args: [
    '--config.file=prometheus.yml',
    '--storage.tsdb.path=prometheus',
    `--web.listen-address=${new URL(url).host}`,
    `--web.external-url=${url}`,
    // a minute by default, in which an Alertmanager that was started again would know of nothing
    '--rules.alert.resend-delay=1s',
  ],
  dir,
  url,
})
