import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { TestService } from './service.ts'

/** A worker of somebody who reaches the engine's port, and neither our database nor our key. */
export async function startForeignWorker(service: TestService, temporalAddress: string) {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const connection = await NativeConnection.connect({ address: temporalAddress })
  const workflowsPath = fileURLToPath(new URL('./foreign-workflows.ts', import.meta.url))
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') })
  const taskQueue = `foreign-${randomUUID()}`
  const worker = await Worker.create({ connection, namespace: service.namespace, taskQueue, workflowBundle })
  const running = worker.run()
  return {
    /** schedules one of our activities, also in the place of a workflow of ours; answers with its result, or why it had none */
    async ask(
      name: string,
      claim: unknown,
      { queue = 'ledger', as }: { queue?: string; as?: { id: string; type: string } } = {},
    ): Promise<{ result: unknown } | { failed: string }> {
      const { type, id } = as ?? { type: 'askActivity', id: `foreign/${randomUUID()}` }
      const handle = await service.temporal.workflow.start(type, {
        ...{ taskQueue, workflowId: id, args: [{ name, task_queue: queue, claim }] },
        ...(as !== undefined && { workflowIdConflictPolicy: 'TERMINATE_EXISTING' as const }),
      })
      return await handle.result().then(
        (result: unknown) => ({ result }),
        (error: unknown) => ({ failed: reasonOf(error) }),
      )
    },
    async stop(): Promise<void> {
      worker.shutdown()
      await running
      await connection.close()
    },
  }
}

export type ForeignWorker = Awaited<ReturnType<typeof startForeignWorker>>

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.message}: ${error.cause === undefined ? '' : reasonOf(error.cause)}` : ''
}
