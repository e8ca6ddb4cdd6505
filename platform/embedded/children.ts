import { execa } from 'execa'
import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import type { Config } from '../config.ts'
import { programArgs } from '../program/program-args.ts'
import { withoutSecretFiles } from '../secret-settings.ts'
import { SETTINGS_FOLLOW } from './await-settings.ts'
import type { ChildSpec } from './supervised-child.ts'

/** Requests and steps are short-lived: with room for the young, the collector takes a third less of the processor. */
const HEAP = '--max-semi-space-size=32'

/** Returns a process that loads its modules while the servers start. */
function service(name: string, program: string): ChildSpec {
  return {
    name,
    command: process.execPath,
    args: [HEAP, ...programArgs(program, SETTINGS_FOLLOW)],
    awaitsSettings: true,
  }
}

export const MIGRATION: ChildSpec = {
  name: 'migration',
  command: process.execPath,
  args: programArgs('store/migrate-main.ts', '--print-url'),
}

/** In the order of their start; they are stopped in reverse. */
export const CHILDREN: ChildSpec[] = [service('worker', 'workers/main.ts'), service('api', 'api/main.ts')]

/** exit codes of a process that has printed its reason: no server, or a database that is not for this release */
const SELF_EXPLAINED_EXITS = [69, 77]

const migratedSchema = z.object({ url: z.string() })

/** Migrates the database to the newest schema in a process of its own, and returns the url for the services. */
export async function runMigration(spec: ChildSpec, databaseUrl: string): Promise<string> {
  const { stdout, stderr, exitCode } = await execa(spec.command, spec.args, {
    env: { DATABASE_URL: databaseUrl, DATABASE_URL_FILE: '' },
    reject: false,
  })
  if (exitCode !== undefined && SELF_EXPLAINED_EXITS.includes(exitCode))
    throw new DomainError('dependency_unavailable', stderr.trim().split('\n').at(-1) ?? '')
  if (exitCode !== 0)
    throw new DomainError(
      'dependency_unavailable',
      `the database could not be migrated:\n${stderr.trim().split('\n').slice(-15).join('\n')}`,
    )
  return migratedSchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).url
}

/** Returns the environment of a child: every effective setting, with the addresses of the running servers. */
export function childEnvironment(
  config: Config,
  real: { databaseUrl: string; temporalAddress: string; temporalUiUrl: string | undefined; secretKey: string },
): Record<string, string> {
  const settings = Object.entries(config.environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const ui = real.temporalUiUrl === undefined ? {} : { SVC_TEMPORAL_UI_URL: real.temporalUiUrl }
  return {
    ...withoutSecretFiles(),
    ...Object.fromEntries(settings),
    SVC_HOME: config.home,
    DATABASE_URL: real.databaseUrl,
    TEMPORAL_ADDRESS: real.temporalAddress,
    SVC_SECRET_KEY: real.secretKey,
    ...ui,
  }
}
