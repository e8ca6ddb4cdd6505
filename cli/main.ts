import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { loadConfig } from '#platform/config.ts'
import manifest from '../package.json' with { type: 'json' }
import { wantsJson } from './client/api-answers.ts'
import { createApiClient } from './client/api-client.ts'
import { createCredentials } from './client/credentials.ts'
import { describeFailure, signInAdvice } from './client/describe-failure.ts'
import type { CliDeps } from './deps.ts'
import { EXIT } from './exit-codes.ts'
import { createProgram } from './program.ts'

const config = () => loadConfig(process.env)

const deps: CliDeps = {
  config,
  credentials: () => createCredentials(config().credentialsFile),
  api(workspace) {
    const settings = config()
    const { apiUrl: url, auth, workspace: usual } = settings
    const kept = async () => auth.token ?? (await deps.credentials().find(url))?.access_token
    const token = async () => (await kept()) ?? (await import('./client/local-token.ts')).localToken(settings)
    return createApiClient({
      url,
      named_by: settings.environment.SVC_URL === undefined ? 'SVC_URL is not set' : 'as SVC_URL says',
      workspace: workspace ?? usual,
      token,
      advice: async () => signInAdvice({ token: auth.token, kept: await deps.credentials().last(url) }, Date.now()),
    })
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
  async resealSecrets() {
    const { resealSecretsIn } = await import('./admin-runtime.ts')
    return await resealSecretsIn(config())
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
  screen: () => (process.stdout.isTTY ? { width: process.stdout.columns, height: process.stdout.rows } : undefined),
  npmYes: () => process.env['npm_lifecycle_event'] === 'demo' && process.env['npm_config_yes'] === 'true',
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

const json = wantsJson(process.argv.slice(2))

try {
  await createProgram(manifest, deps, { json }).parseAsync()
} catch (error) {
  const failure = describeFailure(error, json)
  if (failure === undefined) throw error
  for (const line of failure.lines) deps.err(line)
  deps.exit(failure.code)
}
