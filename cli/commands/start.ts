import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { faultText } from '#core/file-fault.ts'
import type { Config } from '#platform/config.ts'
import { unknownSettingText } from '#platform/unknown-settings.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { pc, printable } from '../views/format.ts'
import { startScreen } from '../views/start-screen.ts'

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
      // npm forwards the signal that the terminal sent to the whole group, so it arrives twice
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.on(signal, () => {
          interrupted = true
          void supervisor.stop().then((clean) => deps.exit(clean ? EXIT.ok : EXIT.failed))
        })
      }
      try {
        const stack = await supervisor.start()
        const tookMs = performance.now() - began
        const { auditProblemIn, haltsIn } = await import('../admin-runtime.ts')
        // the service is up whether or not this can be shown
        const [{ halts, names }, refused] = await Promise.all([
          haltsIn(stack.databaseUrl).catch(() => ({ halts: [], names: new Map<string, string>() })),
          auditProblemIn(stack.databaseUrl).catch(() => undefined),
        ])
        const problems = await problemsOf(deps, config)
        for (const line of startScreen(config, stack, { tookMs, halts, names, refused, problems })) deps.out(line)
      } catch (error) {
        if (!interrupted) throw error
      }
    })
}

const SHOWN_PROBLEMS = 8

/** Returns problems of the settings and the files, each with its place; the service runs in spite of them. */
async function problemsOf(deps: Pick<CliDeps, 'checks'>, { unknown }: Config): Promise<string[]> {
  const checks = await deps.checks()
  const checked = checks.deployment()
  const found = [...checked.findings, ...checks.secrets(checked)].map(faultText)
  const all = [...unknown.map(unknownSettingText), ...found].map(printable)
  const more = all.length - SHOWN_PROBLEMS
  return more > 0 ? [...all.slice(0, SHOWN_PROBLEMS), `and ${more} more: svc check shows all`] : all
}

async function openLog(config: Config) {
  const [{ destination }, { createLogger }] = await Promise.all([import('pino'), import('#platform/logger.ts')])
  mkdirSync(join(config.home, 'logs'), { recursive: true, mode: 0o700 })
  const file = destination({ dest: join(config.home, 'logs', 'supervisor.log'), sync: true, mkdir: true })
  return createLogger({ level: config.logLevel, name: 'supervisor', destination: file })
}
