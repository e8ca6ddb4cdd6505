import type { WorkflowInterceptors } from '@temporalio/workflow'

/**
 * Ends an execution as Cancelled when it throws a CancelledFailure. The SDK does so only when the engine has asked for the cancellation;
 * runs are cancelled by an Update too.
 */
export const interceptors = (): WorkflowInterceptors => ({
  internals: [
    {
      concludeActivation: ({ commands }, next) =>
        next({
          commands: commands.map((command) =>
            command.failWorkflowExecution?.failure?.canceledFailureInfo ? { cancelWorkflowExecution: {} } : command,
          ),
        }),
    },
  ],
})
