import { defaultPayloadConverter, type WorkflowInterceptors } from '@temporalio/workflow'

type Payload = Parameters<typeof defaultPayloadConverter.fromPayload>[0]

/**
 * Ends an execution as Cancelled when it throws a CancelledFailure. The SDK does so only when the engine has asked for the cancellation;
 * runs are cancelled by an Update too. A result of an activity that cannot be read becomes undefined: the SDK would stop at it for good.
 */
export const interceptors = (): WorkflowInterceptors => ({
  internals: [
    {
      activate({ activation, ...input }, next) {
        for (const { resolveActivity } of activation.jobs ?? []) {
          const completed = resolveActivity?.result?.completed
          if (completed?.result && !isReadable(completed.result)) completed.result = null
        }
        next({ activation, ...input })
      },
      concludeActivation: ({ commands }, next) =>
        next({
          commands: commands.map((command) =>
            command.failWorkflowExecution?.failure?.canceledFailureInfo ? { cancelWorkflowExecution: {} } : command,
          ),
        }),
    },
  ],
})

function isReadable(payload: Payload): boolean {
  try {
    defaultPayloadConverter.fromPayload(payload)
    return true
  } catch {
    return false
  }
}
