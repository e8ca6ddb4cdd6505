import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { HaltRecord } from '#core/halt/schema.ts'
import type { Config } from '#platform/config.ts'
import type { Stack } from '#platform/embedded/supervisor.ts'
import { faultText } from '#platform/packs/file-fault.ts'
import { unknownSettingText } from '#platform/unknown-settings.ts'
import { pc } from '../colors.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { printable } from '../printable.ts'
import { haltLine } from './halt.ts'

/** `svc start`: PostgreSQL, Temporal, the worker and the API on this machine, until a signal ends them in order. */
export function registerStart(program: Command, deps: CliDeps): void {
  program
    .command('start')
    .description('run everything on this machine')
    .action(async () => {
      const config = deps.config()
      const mark = process.stderr.isTTY ? pc.dim('svc') : 'svc'
      const report = (line: string) => deps.err(`${mark} ${line}`)
      const { createSupervisor } = await import('#platform/embedded/supervisor.ts')
      const supervisor = createSupervisor({ config, log: await openLog(config), report })
      const began = performance.now()
      let interrupted = false
      // npm passes on the signal that the terminal sent to everybody, so it arrives twice
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.on(signal, () => {
          interrupted = true
          void supervisor.stop().then((clean) => deps.exit(clean ? EXIT.ok : EXIT.failed))
        })
      }
      try {
        const stack = await supervisor.start()
        const tookMs = performance.now() - began
        const { haltsIn } = await import('../admin-runtime.ts')
        // the service is up whether or not this can be shown
        const halts = await haltsIn(stack.databaseUrl).catch(() => [])
        const problems = await problemsOf(deps, config)
        for (const line of screen(config, stack, { tookMs, halts, problems })) deps.out(line)
      } catch (error) {
        if (!interrupted) throw error
      }
    })
}

const SHOWN_PROBLEMS = 8

/** What is wrong with the settings and the files, each with its place; the service is up whatever it is. */
async function problemsOf(deps: Pick<CliDeps, 'checks'>, { unknown }: Config): Promise<string[]> {
  const checks = await deps.checks()
  const checked = checks.deployment()
  const found = [...checked.findings, ...checks.secrets(checked)].map(faultText)
  const all = [...unknown.map(unknownSettingText), ...found].map(printable)
  const more = all.length - SHOWN_PROBLEMS
  return more > 0 ? [...all.slice(0, SHOWN_PROBLEMS), `and ${more} more: svc check shows all`] : all
}

function screen(
  config: Config,
  stack: Stack,
  { tookMs, halts, problems }: { tookMs: number; halts: HaltRecord[]; problems: string[] },
): string[] {
  const api = config.localUrl
  const row = (label: string, value: string) => `  ${pc.dim(label.padEnd(10))} ${value}`
  return [
    '',
    `  ${pc.bold('svc')} is ready in ${(tookMs / 1_000).toFixed(1)} s`,
    '',
    row('API', pc.cyan(api)),
    row('Docs', pc.cyan(`${api}/docs`)),
    row('Temporal', engine(config, stack)),
    row('Data', config.home),
    ...halts.map((each) => row('Halted', pc.yellow(haltLine(each)))),
    ...problems.map((each) => row('Problem', pc.yellow(each))),
    row('Try', `${pc.bold('npm run demo')}   (in another terminal)`),
    '',
    pc.dim('  Ctrl-C stops it. Waiting runs are kept.'),
    '',
  ]
}

/** Where the engine is, where its Web UI is, or what to do when nothing serves that. */
function engine({ temporal, auth }: Config, { temporalAddress, temporalUiUrl }: Stack): string {
  if (temporalUiUrl !== undefined) return `${temporalAddress}   (Web UI ${pc.cyan(temporalUiUrl)})`
  if (temporal.address !== undefined) return temporalAddress
  const why = auth.jwtSecret === undefined ? 'SVC_TEMPORAL_UI=1 turns it on' : 'it knows no sign-in'
  return `${temporalAddress}   ${pc.dim(`(Web UI off: ${why})`)}`
}

async function openLog(config: Config) {
  const [{ destination }, { createLogger }] = await Promise.all([import('pino'), import('#platform/logger.ts')])
  mkdirSync(join(config.home, 'logs'), { recursive: true, mode: 0o700 })
  const file = destination({ dest: join(config.home, 'logs', 'supervisor.log'), sync: true, mkdir: true })
  return createLogger({ level: config.logLevel, name: 'supervisor', destination: file })
}
