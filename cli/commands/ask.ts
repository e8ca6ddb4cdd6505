import type { Command } from 'commander'
import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { createSession } from '../ask/session.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { pc, printable } from '../views/format.ts'
import { registerAskPlan } from './ask/plan.ts'
import { registerAskRun } from './ask/run.ts'

const COMMANDS = { plan: registerAskPlan, run: registerAskRun }

const EXIT_HELP = `
Exit status:
  0  answered; of a session: it ended
  1  there is no answer that rests on anything; of questions from a pipe: to the last that came to nothing
  64 wrong arguments   69 nothing answers   75 too many questions   77 not logged in, or over budget   78 no model is bound`

interface AskFlags {
  json?: boolean
  thread?: string
  workspace?: string
}

/** `svc ask`: a conversation about the platform, or one question. It never starts a run. */
export function registerAsk(program: Command, deps: CliDeps): void {
  const ask = program
    .command('ask')
    .description('ask about the platform, and plan runs; nothing is started')
    .argument('[question]', 'one question; without it a session, or a question a line from a pipe')
    .option('--thread <id>', 'continue a thread')
    .option('--json', 'print each answer as a JSON line')
    .option('--workspace <id or name>', 'workspace of the question (default: SVC_WORKSPACE, else your own)')
    .addHelpText('after', EXIT_HELP)
    .action((question: string | undefined, flags: AskFlags) => askAgent(question, flags, deps))
  for (const register of Object.values(COMMANDS)) register(ask, deps)
}

async function askAgent(question: string | undefined, flags: AskFlags, deps: CliDeps): Promise<void> {
  const session = createSession({
    api: deps.api(flags.workspace),
    json: flags.json === true,
    workspace: flags.workspace ?? deps.config().workspace,
    thread: flags.thread,
    out: deps.out,
    err: deps.err,
  })
  if (question !== undefined) {
    refuseMistyped(question)
    const answer = await session.ask(question, new AbortController().signal)
    return deps.exit(answer?.grounded === true ? EXIT.ok : EXIT.failed)
  }
  const { readSession } = await import('../ask/session-lines.ts')
  if (deps.interactive)
    deps.out(pc.dim('Ask about runs, gates, costs, schedules, pipelines and packs; /help lists commands.'))
  await readSession(deps.interactive, { take: session.take, remark: deps.err })
  const thread = session.thread()
  if (deps.interactive && thread !== undefined) deps.out(pc.dim(`continue with: svc ask --thread ${printable(thread)}`))
  // at a terminal the user has seen failures
  deps.exit(deps.interactive ? EXIT.ok : session.status())
}

/** Refuses a single word that is nearly a command, which would be a question that costs. */
function refuseMistyped(question: string): void {
  if (question.trim() === '') throw new DomainError('validation_failed', 'ask something')
  const hint = /\s/.test(question) ? '' : didYouMean(question, Object.keys(COMMANDS), (nearest) => `svc ask ${nearest}`)
  if (hint !== '') throw new DomainError('validation_failed', `${question} is no command${hint}`)
}
