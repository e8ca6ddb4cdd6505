import { z } from 'zod'
import { chooseProcess } from '#core/environment/choose-process.ts'
import { LeftPath } from '#core/environment/process-schema.ts'
import { isObject, type Json, type JsonObject } from '#core/json/json.ts'
import { parseForeignJson, UNLIMITED } from '#core/json/parse-json.ts'
import { Name } from '#core/names/name-schema.ts'
import {
  type ArtifactDraft,
  defineOperator,
  type OperationTransport,
  type Operator,
  type OperatorContext,
  OperatorError,
  type OperatorResult,
  type Replay,
} from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import { visibleLine } from '#core/text/visible-text.ts'
import type { ProcessExit, ProcessRunner, Program, StreamOutput } from '#platform/processes/process-runner.ts'
import { cleanJson, cleanText } from '../clean-json.ts'
import { DeclaredCost, declaredCost } from '../declared-cost.ts'
import { quote } from '../http/curl-line.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { required } from '../required.ts'

const LAST_LINES = 5
const LAST_CHARS = 1_000
/** A line of standard output that begins so says how far it is. */
const PROGRESS = 'progress: '

const Text = z.string().refine((text) => !text.includes('\0'), 'has a NUL character')

const ProcessRunInput = z.strictObject({
  command: Name.describe('Name of a process of the environment'),
  args: z.array(Text.max(8_192)).max(100).exactOptional().describe('Each is one argument, and no shell reads it'),
  stdin: Text.max(262_144).exactOptional().describe('Its standard input; nothing without it'),
  parse: z.literal('json').exactOptional().describe('Reads the standard output as JSON'),
  accept_exit: z
    .array(z.int().min(0).max(255))
    .min(1)
    .max(256)
    .exactOptional()
    .describe('Exit codes that count as success; default 0'),
  artifacts: z
    .array(LeftPath)
    .max(20)
    .exactOptional()
    .describe('Files, and folders of files, below its folder that become artifacts of the run when it succeeds'),
  idempotent: z
    .boolean()
    .exactOptional()
    .describe(
      'Whether it may run again after a failure, or when nobody knows how it ended; default false: a person is asked',
    ),
  cost: DeclaredCost.exactOptional().describe('Price of one run: reserved before it starts, and charged if it started'),
})
type ProcessRunInput = z.infer<typeof ProcessRunInput>

/**
 * Creates `process.run`: one program that the environment lists, at the very file that was judged, without a shell. It ends with all that
 * it started.
 */
export function createProcessRun(runner: ProcessRunner | undefined): Operator {
  const processes = () => required(runner, 'this process runs no programs')
  return defineOperator<ProcessRunInput>({
    id: 'process.run',
    version: 1,
    title: 'Run a process',
    risk: 'high',
    action_type: 'process.run',
    capabilities: ['process.run'],
    requires_approval: false,
    ...operatorInput(ProcessRunInput),
    replay,
    estimate: declaredCost,
    refusedIn(environment, { command, args = [] }) {
      if (typeof command !== 'string' || isExpression(command) || !Array.isArray(args)) return undefined
      const isKnown = (argument: string) => !isExpression(argument)
      const chosen = chooseProcess(environment, { command, args: args.map(String) }, isKnown)
      if (!('refused' in chosen)) return undefined
      return { message: chosen.refused, fix: `change processes of environments/${environment.name}.yaml, or the step` }
    },
    async deployment({ command, args = [] }, environment): Promise<Program> {
      const chosen = chooseProcess(environment, { command, args })
      if ('refused' in chosen) throw new OperatorError('process_refused', chosen.refused)
      const { command: path, user, env, limits } = chosen.entry
      const { sha256 } = await refusing(() => processes().inspect(chosen.entry))
      return { command: path, sha256, ...(user !== undefined && { user }), env, limits }
    },
    describe(input, transport) {
      const { command, user } = programOf(transport)
      const given = input.stdin === undefined ? '' : `printf %s ${quote(input.stdin)} | `
      return {
        summary: `run ${command}${user === undefined ? '' : ` as ${user}`}${input.args?.length ? ` with ${input.args.length} argument${input.args.length === 1 ? '' : 's'}` : ''}`,
        targets: { kind: 'process', ids: [command] },
        command: `${given}${[command, ...(input.args ?? []).map(quote)].join(' ')}`,
      }
    },
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const program = programOf(ctx)
        await refusing(() => processes().inspect(program))
        const details = { ...program, args: input.args ?? [] }
        return { ok: true, summary: `would run ${program.command}`, details }
      }),
    execute: (ctx, input) => refusing(() => run(processes(), ctx, input)),
  })
}

function replay({ idempotent }: ProcessRunInput): Replay {
  return idempotent === true ? 'safe' : 'ask'
}

const isExpression = (text: string) => text.includes('${{')

/** As `deployment` has judged it. */
function programOf({ deployment }: Pick<OperationTransport, 'deployment'>): Program {
  if (!isProgram(deployment)) throw new OperatorError('process_refused', 'the step has no program')
  return deployment
}

function isProgram(deployment: JsonObject | undefined): deployment is Program {
  if (deployment === undefined) return false
  const { command, sha256, env, limits } = deployment
  return typeof command === 'string' && typeof sha256 === 'string' && isObject(env) && isObject(limits)
}

/** What is not as it must be fails the step, and costs nothing. */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ProcessRefusal') throw error
    throw new OperatorError('process_refused', error.message, { cost: {}, cause: error })
  }
}

async function run(runner: ProcessRunner, ctx: OperatorContext, input: ProcessRunInput): Promise<OperatorResult> {
  const program = programOf(ctx)
  const began = ctx.now()
  const end = await runner.run(program, {
    args: input.args ?? [],
    ...(input.stdin !== undefined && { stdin: input.stdin }),
    ...(input.artifacts && { keep: input.artifacts }),
    signal: ctx.signal,
    beforeStart: () => ctx.beforeSending(),
    onLine: (line) => line.startsWith(PROGRESS) && ctx.log.progress(() => visibleLine(line.slice(PROGRESS.length))),
  })
  if (end === 'changed') {
    const message = `${program.command} is not the file that was judged (sha256 ${program.sha256})`
    throw new OperatorError('plan_changed', message, { cost: {} })
  }
  const isAccepted = end.stopped === undefined && end.code !== null && (input.accept_exit ?? [0]).includes(end.code)
  if (!isAccepted) throw failed(program, input, end)
  const artifacts = leftBy(ctx, program, end)
  const names = artifacts.map(({ name }) => name)
  return {
    outputs: {
      exit_code: end.code,
      ...streamOutputs(end),
      ...parsed(input, end.stdout),
      ms: ctx.now() - began,
      ...(input.artifacts && { artifacts: names }),
    },
    cost: declaredCost(input),
    artifacts,
  }
}

/** With the step in their names: two steps may leave files of one name. */
function leftBy({ step_id }: OperatorContext, { command }: Program, { files }: ProcessExit): ArtifactDraft[] {
  if ('problem' in files)
    throw new OperatorError(
      'process_failed',
      `${command} has succeeded, but what it left is not kept: ${files.problem}`,
    )
  return files.map(({ name, body }) => ({ name: `${step_id}/${name}`, media_type: mediaType(name), body }))
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  log: 'text/plain',
  md: 'text/markdown',
  txt: 'text/plain',
}

function mediaType(name: string): string {
  return MEDIA_TYPES[/\.([a-z]+)$/.exec(name)?.[1] ?? ''] ?? 'application/octet-stream'
}

function streamOutputs({ stdout, stderr }: ProcessExit): JsonObject {
  return {
    stdout: textOf(stdout),
    stdout_bytes: stdout.bytes,
    stdout_digest: `sha256:${stdout.sha256}`,
    stderr: textOf(stderr),
    stderr_bytes: stderr.bytes,
    stderr_digest: `sha256:${stderr.sha256}`,
    truncated: stdout.truncated || stderr.truncated,
  }
}

function textOf({ text }: StreamOutput): string {
  return cleanText(text)
}

/** Without the lines that say how far it is. Numbers that would be rounded are text. */
function parsed({ parse }: ProcessRunInput, { text, truncated }: StreamOutput): { json?: Json } {
  if (parse === undefined) return {}
  if (truncated) throw new OperatorError('response_too_large', 'the standard output is larger than output_kb allows')
  try {
    const json = cleanJson(parseForeignJson(withoutProgress(text), UNLIMITED))
    if (json !== undefined) return { json }
  } catch {
    // said below
  }
  throw new OperatorError('answer_invalid', `the standard output is no JSON: ${lastLines(text)}`)
}

function withoutProgress(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(PROGRESS))
    .join('\n')
}

function failed({ command, limits }: Program, input: ProcessRunInput, end: ProcessExit): OperatorError {
  const { code, signal, stopped, stdout, stderr } = end
  const may = { retryable: input.idempotent === true }
  const details = { ...(code === null ? { signal } : { exit_code: code }), stderr: lastLines(stderr.text) }
  const uncertain = replay(input) === 'ask' ? { unknown_outcome: true, details } : { ...may, details }
  if (stopped === 'aborted') return new OperatorError('aborted', `${command} was stopped`, uncertain)
  if (stopped === 'time')
    return new OperatorError('timeout', `${command} was stopped after ${limits.time_ms} ms, its limit`, uncertain)
  if (stopped === 'lost')
    return new OperatorError('process_failed', `${command} was ended, since what watched it was killed`, uncertain)
  const last = lastLines(stderr.text) || lastLines(stdout.text)
  const how = code === null ? `was ended by ${signal}${hint(signal, limits)}` : `ended with exit code ${code}`
  return new OperatorError('process_failed', `${command} ${how}${last === '' ? '' : `: ${last}`}`, { ...may, details })
}

function hint(signal: string | null, { file_mb, cpu_seconds }: Program['limits']): string {
  if (signal === 'SIGXFSZ') return ` (a file of more than ${file_mb} MB)`
  if (signal === 'SIGXCPU') return ` (more than ${cpu_seconds} seconds of computing)`
  return ''
}

function lastLines(text: string): string {
  const lines = cleanText(text).trimEnd().split('\n').slice(-LAST_LINES).join('\n')
  return lines.length <= LAST_CHARS ? lines : `…${cutText(lines.slice(-LAST_CHARS), LAST_CHARS)}`
}
