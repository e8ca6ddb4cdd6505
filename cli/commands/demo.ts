import { isCancel, select } from '@clack/prompts'
import type { Command } from 'commander'
import { DomainError } from '#core/errors.ts'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import { startDemoService } from '../demo/demo-service.ts'
import { takeTour } from '../demo/tour.ts'
import { withTourModel } from '../demo/tour-model.ts'
import type { CliDeps } from '../deps.ts'
import { ensureService } from '../ensure-service.ts'
import { EXIT } from '../exit-codes.ts'

const NO_TERMINAL = 'the tour needs a terminal to ask at: without one, use --yes'

/** `svc demo`: the guided tour from a broken service to a verified record. */
export function registerDemo(program: Command, deps: CliDeps): void {
  program
    .command('demo')
    .description('break a demo service, fire its alert, decide at the gate, and verify the record')
    .option('--yes', 'approve without asking')
    .option('--model', 'also ask a scripted model, which is bound for the length of the tour, and let the run pay')
    .action(async (flags: { yes?: boolean; model?: boolean }) => {
      const yes = flags.yes ?? deps.npmYes()
      if (!yes && !deps.interactive) throw new DomainError('validation_failed', NO_TERMINAL)
      const api = deps.api()
      const approveAloud = async () => {
        deps.out('   --yes: approving')
        return 'approve' as const
      }
      const stopOwn = await ensureService(api, deps)
      const service = await startDemoService()
      let held = false
      try {
        const tour = (model?: string) =>
          takeTour({
            api,
            service,
            say: deps.out,
            model,
            ask: yes ? approveAloud : askPerson,
            verifyAudit: () => verifyLocal(deps.auditFile()),
            temporalUi: deps.temporalUi(),
          })
        held = flags.model ? await withTourModel(api, deps, tour) : await tour()
      } finally {
        await service.stop()
        if (stopOwn !== undefined) {
          deps.out('   (the links answer while the service runs: npm start)\n')
          await stopOwn()
        }
      }
      deps.exit(held ? EXIT.ok : 1)
    })
}

async function askPerson(): Promise<'approve' | 'reject'> {
  const answer = await select({
    message: 'Your decision',
    options: [
      { value: 'approve' as const, label: 'Approve', hint: 'exactly this plan will run' },
      { value: 'reject' as const, label: 'Reject', hint: 'nothing will happen' },
    ],
  })
  return isCancel(answer) ? 'reject' : answer
}

async function verifyLocal(path: string): Promise<{ records: number; ok: boolean } | undefined> {
  try {
    const { records, broken } = await verifyFile(path, {})
    return { records, ok: broken === undefined }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
