// Runs the supervisor as `svc start` does, with children that a test can watch: supervise.ts <journal>
import { loadConfig } from '#platform/config.ts'
import { SETTINGS_FOLLOW } from '#platform/embedded/await-settings.ts'
import { createSupervisor } from '#platform/embedded/supervisor.ts'
import { createLogger } from '#platform/logger.ts'
import { programArgs } from '#platform/program/program-args.ts'

const journal = process.argv[2] ?? ''
const child = (name: string, ...flags: string[]) => ({
  name,
  command: process.execPath,
  args: programArgs('test/support/ready-child.ts', name, journal, ...flags),
  awaitsSettings: flags.includes(SETTINGS_FOLLOW),
})

const supervisor = createSupervisor({
  config: loadConfig(process.env),
  log: createLogger({ level: 'warn', name: 'test', destination: process.stderr }),
  report: (line) => void process.stderr.write(`${line}\n`),
  children: [child('worker'), child('api', SETTINGS_FOLLOW)],
  migration: null,
})
let interrupted = false
process.on('SIGTERM', () => {
  interrupted = true
  void supervisor.stop().then((clean) => process.exit(clean ? 0 : 1))
})
supervisor.start().then(
  (stack) => void process.stdout.write(`${JSON.stringify(stack)}\n`),
  (error: Error) => {
    if (interrupted) return
    process.stderr.write(`${error.message}\n`)
    process.exit(75)
  },
)
