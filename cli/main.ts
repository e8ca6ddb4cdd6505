import { join } from 'node:path'
import { Command } from 'commander'
import { DomainError } from '#core/errors.ts'
import { ConfigError, loadConfig } from '#platform/config.ts'
import manifest from '../package.json' with { type: 'json' }
import { registerConfig } from './commands/config.ts'
import { registerDemo } from './commands/demo.ts'
import { registerLineage } from './commands/lineage.ts'
import { registerStart } from './commands/start.ts'
import type { CliDeps } from './deps.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'

const COMMANDS = [registerStart, registerDemo, registerLineage, registerConfig]

const config = () => loadConfig(process.env)

const deps: CliDeps = {
  config,
  apiUrl: () => config().apiUrl,
  temporalUi: () => config().temporal.uiUrl ?? `http://127.0.0.1:${config().temporal.uiPort}`,
  auditFile: () => join(config().home, 'audit.jsonl'),
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  exit: (code) => process.exit(code),
}

// a reader such as `head` may leave early
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.ok)
  throw error
})

const program = new Command('svc').description(manifest.description).version(manifest.version)
for (const register of COMMANDS) register(program, deps)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof ConfigError) {
    deps.err('The settings cannot be used:')
    for (const { name, got, takes } of error.problems) deps.err(`  ${name} is ${got}; it takes ${takes}`)
    deps.exit(EXIT.config)
  }
  if (!(error instanceof DomainError)) throw error
  deps.err(error.message)
  deps.exit(exitCodeOf(error.code))
}
