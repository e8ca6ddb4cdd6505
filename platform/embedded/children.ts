import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import type { Config } from '../config.ts'
import type { ChildSpec } from './supervised-child.ts'

const ROOT = new URL('../../', import.meta.url)

/** Requests and steps are short-lived: with room for the young, the collector takes a third less of the processor. */
const HEAP = '--max-semi-space-size=32'

/** Node with tsx, wherever the command was typed. `preload` is loaded while the servers start. */
function nodeProgram(name: string, path: string, preload?: string): ChildSpec {
  const hook = new URL('preload.mjs', import.meta.url)
  if (preload !== undefined) hook.searchParams.set('module', new URL(preload, ROOT).href)
  const hooks = ['--import', import.meta.resolve('tsx'), ...(preload === undefined ? [] : ['--import', hook.href])]
  return {
    name,
    command: process.execPath,
    args: [HEAP, ...hooks, fileURLToPath(new URL(path, ROOT))],
    preloads: preload !== undefined,
  }
}

export const MIGRATION = nodeProgram('migration', 'store/migrate-main.ts')

/** In the order of their start; they are stopped in reverse. */
export const CHILDREN: ChildSpec[] = [
  nodeProgram('worker', 'workers/main.ts', 'workers/worker-runtime.ts'),
  nodeProgram('api', 'api/main.ts', 'api/api-runtime.ts'),
]

const migratedSchema = z.object({ url: z.string() })

/** Brings the database to the newest schema in a process of its own, and answers with the url that the services use. */
export async function runMigration(spec: ChildSpec, databaseUrl: string): Promise<string> {
  const { stdout, stderr, exitCode } = await execa(spec.command, spec.args, {
    env: { DATABASE_URL: databaseUrl },
    reject: false,
  })
  if (exitCode !== 0)
    throw new DomainError(
      'dependency_unavailable',
      `the database could not be migrated:\n${stderr.trim().split('\n').slice(-15).join('\n')}`,
    )
  return migratedSchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).url
}

/** What a child is told: every effective setting, with the addresses of what really runs. */
export function childEnvironment(
  config: Config,
  real: { databaseUrl: string; temporalAddress: string; temporalUiUrl: string | undefined; secretKey: string },
): Record<string, string> {
  const settings = Object.entries(config.environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const ui = real.temporalUiUrl === undefined ? {} : { SVC_TEMPORAL_UI_URL: real.temporalUiUrl }
  return {
    ...Object.fromEntries(settings),
    SVC_HOME: config.home,
    DATABASE_URL: real.databaseUrl,
    TEMPORAL_ADDRESS: real.temporalAddress,
    SVC_SECRET_KEY: real.secretKey,
    ...ui,
  }
}
