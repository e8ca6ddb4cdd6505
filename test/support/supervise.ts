// Runs the supervisor as `svc start` does, with children that a test can watch: supervise.ts <journal>
import { fileURLToPath } from 'node:url'
import { loadConfig } from '#platform/config.ts'
import { createSupervisor } from '#platform/embedded/supervisor.ts'
import { testLog } from './embedded.ts'

const journal = process.argv[2] ?? ''
const script = fileURLToPath(new URL('./ready-child.mjs', import.meta.url))
const hook = new URL('../../platform/embedded/preload.mjs?module=data:text/javascript,', import.meta.url).href
const child = (name: string, hooks: string[]) => ({
  name,
  command: process.execPath,
  args: [...hooks, script, name, journal],
  preloads: hooks.length > 0,
})

const supervisor = createSupervisor({
  config: loadConfig(process.env),
  log: testLog,
  report: (line) => void process.stderr.write(`${line}\n`),
  children: [child('worker', []), child('api', ['--import', hook])],
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
