import type { Command } from 'commander'
import { DomainError } from '#core/errors.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { CliDeps, DeadLetterLine } from '../deps.ts'
import { printable, wholeNumber } from '../views/format.ts'

/** `svc admin dead-letters` and `svc admin redrive`: the messages of the bus that no subscriber could handle. */
export function registerBusAdmin(program: Command, deps: CliDeps): void {
  const admin = program.commands.find((command) => command.name() === 'admin') ?? program.command('admin')
  admin
    .command('dead-letters')
    .description('list the messages that a subscriber of the bus could not handle, newest first')
    .option('--subscriber <name>', 'only those of one subscriber')
    .option('--limit <n>', 'at most so many', wholeNumber(), 50)
    .option('--json', 'one record a line')
    .action(async ({ subscriber, limit, json }: { subscriber?: string; limit: number; json?: boolean }) => {
      const letters = await deps.deadLetters({ limit, ...(subscriber !== undefined && { subscriber }) })
      for (const letter of letters) deps.out(json === true ? visibleJson(letter) : describe(letter))
      if (letters.length === 0) deps.err('there are none')
    })
  admin
    .command('redrive')
    .description('send messages that were put aside through their subscriber once more')
    .argument('[message-ids...]', 'numbers of messages', (text: string, before: number[] = []) => [
      ...before,
      wholeNumber()(text),
    ])
    .requiredOption('--subscriber <name>', 'whose messages')
    .option('--all', 'all that this subscriber has')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit status: 0 asked for, 64 wrong arguments, 66 there are none, 69 no database answers.')
    .action(async (ids: number[], { subscriber, all, json }: { subscriber: string; all?: boolean; json?: boolean }) => {
      if ((ids.length === 0) === (all !== true))
        throw new DomainError('validation_failed', 'redrive takes the numbers of messages, or --all')
      const count = await deps.redrive(subscriber, all === true ? 'all' : ids)
      if (count === 0) throw new DomainError('not_found', `${subscriber} has no such dead letters`)
      if (json) return deps.out(visibleJson({ subscriber, count }))
      deps.out(`${count} to go through ${printable(subscriber)} once more`)
    })
}

function describe({ subscriber, message_id, topic, attempts, error, created_at, redrive_at }: DeadLetterLine): string {
  const waits = redrive_at === null ? '' : '  to be tried once more'
  return `${created_at}  ${printable(subscriber)}  ${message_id}  ${printable(topic)}  ${attempts} attempts${waits}\n  ${printable(error)}`
}
