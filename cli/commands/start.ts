import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import pc from 'picocolors'
import { destination } from 'pino'
import type { HaltRecord } from '#core/halt/schema.ts'
import type { Config } from '#platform/config.ts'
import type { Stack } from '#platform/embedded/supervisor.ts'
import { createLogger } from '#platform/logger.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
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
      const supervisor = createSupervisor({ config, log: openLog(config), report })
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
        for (const line of screen(config, stack, { tookMs, halts })) deps.out(line)
      } catch (error) {
        if (!interrupted) throw error
      }
    })
}

function screen(config: Config, stack: Stack, { tookMs, halts }: { tookMs: number; halts: HaltRecord[] }): string[] {
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

function openLog(config: Config) {
  mkdirSync(join(config.home, 'logs'), { recursive: true, mode: 0o700 })
  const file = destination({ dest: join(config.home, 'logs', 'supervisor.log'), sync: true, mkdir: true })
  return createLogger({ level: config.logLevel, name: 'supervisor', destination: file })
}
