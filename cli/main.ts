import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CommanderError } from 'commander'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/visible-text.ts'
import { ConfigError, loadConfig } from '#platform/config.ts'
import manifest from '../package.json' with { type: 'json' }
import { createApiClient } from './api-client.ts'
import { ApiProblem } from './api-problem.ts'
import { createCredentials } from './credentials.ts'
import type { CliDeps } from './deps.ts'
import { describeProblem } from './describe-problem.ts'
import { EXIT, exitCodeOf, exitCodeOfProblem } from './exit-codes.ts'
import { printableLines } from './printable.ts'
import { createProgram } from './program.ts'

const config = () => loadConfig(process.env)

const deps: CliDeps = {
  config,
  credentials: () => createCredentials(config().credentialsFile),
  api(workspace) {
    const settings = config()
    const { apiUrl: url, auth, workspace: usual } = settings
    const kept = async () => auth.token ?? (await deps.credentials().find(url))?.access_token
    const token = async () => (await kept()) ?? (await import('./local-token.ts')).localToken(settings)
    return createApiClient({ url, workspace: workspace ?? usual, token })
  },
  async bootstrapOwner(owner) {
    const { bootstrapOwnerIn } = await import('./admin-runtime.ts')
    return await bootstrapOwnerIn(config(), owner)
  },
  async deadLetters(filter) {
    const { withDeadLetters } = await import('./admin-runtime.ts')
    return await withDeadLetters(config(), (letters) => letters.list(filter))
  },
  async redrive(subscriber, messages) {
    const { redriveIn } = await import('./admin-runtime.ts')
    return await redriveIn(config(), subscriber, messages)
  },
  async acceptAudit(reason) {
    const { acceptAuditIn } = await import('./admin-runtime.ts')
    return await acceptAuditIn(config(), reason)
  },
  async checks() {
    const { createChecks } = await import('./check-runtime.ts')
    return createChecks(config, process.env)
  },
  temporalUi() {
    const { uiUrl, ui, uiPort } = config().temporal
    return uiUrl ?? (ui ? `http://127.0.0.1:${uiPort}` : undefined)
  },
  auditFile: () => join(config().home, 'audit.jsonl'),
  interactive: process.stdin.isTTY === true && process.stdout.isTTY === true,
  readInput: () => text(process.stdin),
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  exit: (code) => process.exit(code),
}

// a reader such as `head` may leave early
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.ok)
  throw error
})

/** Whoever reads JSON is told of a failure in JSON. */
const wantsJson = process.argv.includes('--json')

function report(code: string, lines: string[]): void {
  if (wantsJson) deps.err(visibleJson({ error: { code, message: lines.join('\n') } }))
  else for (const line of lines) deps.err(line)
}

try {
  await createProgram(manifest, deps).parseAsync()
} catch (error) {
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ name, got, takes }) => `  ${name} is ${got}; it takes ${takes}`)
    report('not_configured', ['The settings cannot be used:', ...problems])
    deps.exit(EXIT.config)
  }
  // the library has said already what is wrong
  if (error instanceof CommanderError) deps.exit(error.exitCode === 0 ? EXIT.ok : EXIT.usage)
  if (error instanceof ApiProblem) {
    report(error.code, describeProblem(error))
    deps.exit(exitCodeOfProblem(error))
  }
  if (!(error instanceof DomainError)) throw error
  report(error.code, printableLines(error.message))
  deps.exit(exitCodeOf(error.code))
}
