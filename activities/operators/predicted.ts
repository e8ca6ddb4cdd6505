import { type OperatorContext, OperatorError, type Simulation } from '#core/operator.ts'

/** A failure is the result of a prediction; being stopped is not. */
export async function predicted(ctx: OperatorContext, work: () => Promise<Simulation>): Promise<Simulation> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OperatorError) || ctx.signal.aborted) throw error
    return { ok: false, summary: error.message, details: { code: error.code, ...error.details } }
  }
}
