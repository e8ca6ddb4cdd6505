import type { ChatPrompt } from '#core/models/chat.ts'
import type { ReachableModel } from '#core/models/model.ts'
import type { MicroUsd } from '#core/money.ts'

/** A request as it will be sent, measured: its body has at most so many bytes, or it is not sent. */
interface MeasuredRequest {
  readonly model: ReachableModel
  readonly bytes: number
  /** what it can cost at most */
  readonly worst_case_micro_usd: MicroUsd
}

export interface ChatRequest extends MeasuredRequest {
  /** with the limit of the answer that the worst case counts on */
  readonly prompt: ChatPrompt
  readonly stream: boolean
}

export interface VectorRequest extends MeasuredRequest {
  readonly texts: string[]
}
