import { wantsJson } from '#cli/client/api-answers.ts'
import { createApiClient } from '#cli/client/api-client.ts'
import { describeFailure } from '#cli/client/describe-failure.ts'
import type { CliDeps } from '#cli/deps.ts'
import { createProgram } from '#cli/program.ts'
import { loadConfig } from '#platform/config.ts'
import type { CliResult } from './cli.ts'

class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

/** Runs the commands of `svc` in this process against a served API: no process is begun, and nobody sits at a terminal. */
export async function runCliInProcess(
  args: string[],
  { url, input = '', env = {} }: { url: string; input?: string; env?: Record<string, string> },
): Promise<CliResult> {
  const result: CliResult = { code: 0, stdout: '', stderr: '' }
  const config = () => loadConfig({ SVC_URL: url, ...env })
  const deps: Partial<CliDeps> = {
    config,
    api: (workspace) =>
      createApiClient({ url, workspace: workspace ?? config().workspace, token: async () => config().auth.token }),
    interactive: false,
    screen: () => undefined,
    readInput: async () => input,
    out(line) {
      result.stdout += `${line}\n`
    },
    err(line) {
      result.stderr += `${line}\n`
    },
    exit(code) {
      throw new Exit(code)
    },
  }
  const json = wantsJson(args)
  const program = createProgram({ description: 'svc', version: '0' }, deps as CliDeps, { json })
  try {
    await quiet(program).parseAsync(args, { from: 'user' })
    return result
  } catch (error) {
    if (error instanceof Exit) return { ...result, code: error.code }
    const failure = describeFailure(error, json)
    if (failure === undefined) throw error
    return { ...result, code: failure.code, stderr: result.stderr + failure.lines.map((line) => `${line}\n`).join('') }
  }
}

function quiet(program: ReturnType<typeof createProgram>): ReturnType<typeof createProgram> {
  const silence = (command: typeof program) => {
    command.configureOutput({ writeErr: () => {}, writeOut: () => {} })
    for (const below of command.commands) silence(below)
  }
  silence(program)
  return program
}
