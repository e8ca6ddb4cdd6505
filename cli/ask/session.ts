import type { Schema } from '#client/create-client.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { describeFailure } from '../client/describe-failure.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { pc, printable, printableLines } from '../views/format.ts'
import { answerLines, createNumbering, sourceLines, toolLine } from './answer-text.ts'
import { planOfAction } from './make-plan.ts'
import { showPlan } from './show-plan.ts'

type Answer = Schema<'AskAnswer'>
export type SessionApi = Pick<
  ApiClient,
  'url' | 'ask' | 'askThread' | 'cited' | 'preflight' | 'contract' | 'checkInputs'
>

export interface SessionOptions extends Pick<CliDeps, 'out' | 'err'> {
  api: SessionApi
  json: boolean
  workspace: string | undefined
  /** the thread to continue */
  thread: string | undefined
}

const HELP = `/open <n>   print what an answer cites
/new        begin another thread
/thread     print this thread
/quit       leave (also Ctrl-D, and Ctrl-C twice)`

/** A conversation with the ask agent: each line is a question or a command of the session. It prints plans, and starts no run. */
export function createSession({ api, json, workspace, thread: begun, out, err }: SessionOptions) {
  let thread = begun
  let last: Pick<Answer, 'citations'> | undefined
  let status: number = EXIT.ok

  /** Returns the answer; undefined without one, with the reason printed. */
  async function ask(query: string, signal: AbortSignal): Promise<Answer | undefined> {
    const numbering = createNumbering()
    let answer: Answer | undefined
    let refusal: ApiProblem | undefined
    const body = { query, ...(thread !== undefined && { thread_id: thread }) }
    const end = await api.ask(
      body,
      (event) => {
        if (event.type === 'answer') answer = event.data
        else if (event.type === 'error') refusal = new ApiProblem(statusOf(event.data), event.data)
        else if (!json && event.type === 'text') out(numbering.line(event.data.text))
        else if (!json && event.type === 'tool') out(toolLine(event.data))
      },
      signal,
    )
    if (refusal !== undefined) throw refusal
    if (answer === undefined) {
      err(
        signal.aborted
          ? 'stopped'
          : end === 'cut'
            ? 'the connection broke: /thread shows what was answered'
            : 'no answer',
      )
      return undefined
    }
    thread = answer.thread_id
    last = answer
    if (json) out(visibleJson(answer))
    else for (const line of sourceLines(answer, numbering)) out(line)
    if (!json) await propose(answer)
    return answer
  }

  async function propose({ action }: Answer): Promise<void> {
    if (action === null) return
    out(pc.dim('what can be run; nothing was started:'))
    showPlan(await planOfAction(api, action, workspace === undefined ? {} : { workspace }), { out })
  }

  async function open(number: string): Promise<void> {
    // of a continued thread, the last answer
    if (last === undefined && thread !== undefined) last = (await api.askThread(thread)).turns.at(-1)
    const found = last?.citations[Number(number) - 1]
    if (found === undefined) return err(`there is nothing to open under ${printable(number) || 'that number'}`)
    for (const line of printableLines(JSON.stringify(await api.cited(found.ref), null, 2))) out(line)
    const page = /^\/(?:runs|pipelines)\/[A-Za-z0-9_]+/.exec(found.ref)?.[0]
    if (page !== undefined) out(pc.dim(`${api.url}${page}`))
  }

  async function show(): Promise<void> {
    if (thread === undefined) return err('this thread has no question yet')
    const { turns } = await api.askThread(thread)
    for (const turn of turns) {
      const [first = '', ...more] = printableLines(turn.query)
      for (const line of [`> ${first}`, ...more.map((each) => `  ${each}`)]) out(pc.bold(line))
      for (const line of answerLines(turn)) out(line)
    }
  }

  async function command(line: string): Promise<'continue' | 'quit'> {
    const [word = '', ...rest] = line.split(/\s+/)
    if (word === '/quit' || word === '/exit') return 'quit'
    if (word === '/new') [thread, last] = [undefined, undefined]
    else if (word === '/open') await open(rest.join(' '))
    else if (word === '/thread') await show()
    else for (const each of HELP.split('\n')) out(each)
    return 'continue'
  }

  return {
    ask,
    thread: () => thread,
    /** of the last failed line */
    status: () => status,
    /** Executes a line. A failure is printed; the session continues. */
    async take(line: string, signal: AbortSignal): Promise<'continue' | 'quit'> {
      const text = line.trim()
      if (text === '') return 'continue'
      try {
        if (text.startsWith('/')) return await command(text)
        const answer = await ask(text, signal)
        if (answer?.grounded !== true) status = EXIT.failed
      } catch (error) {
        if (signal.aborted) err('stopped')
        else tell(error)
      }
      return 'continue'
    },
  }

  function tell(error: unknown): void {
    const failure = describeFailure(error, json)
    if (failure === undefined) throw error
    status = failure.code
    for (const line of failure.lines) err(line)
  }
}

function statusOf(problem: Readonly<Record<string, unknown>>): number {
  return typeof problem['status'] === 'number' ? problem['status'] : 500
}
