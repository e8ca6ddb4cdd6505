import type { Schema } from '#client/create-client.ts'
import type { ApiClient } from '../client/api-client.ts'
import { ApiProblem } from '../client/api-problem.ts'
import { printable } from '../views/format.ts'

interface ChapterDeps {
  api: Pick<ApiClient, 'chat' | 'run' | 'modelRecords'>
  say(text: string): void
}

const SHORT = 40
const RECORDED_WITHIN_MS = 15_000
const LOOK_EVERY_MS = 100

/** Makes a call that fits under the cap of the run, and one that does not. */
export async function askModel(
  { api, say }: ChapterDeps,
  { model, runId, summary }: { model: string; runId: string; summary: string },
): Promise<void> {
  const messages = [{ role: 'user' as const, content: `In a sentence, for anyone who approves: ${summary}` }]
  const answer = await api.chat(runId, { model, messages, max_tokens: SHORT })
  say(`   POST /v1/chat/completions for ${runId}`)
  say(`   ${printable(model)} (scripted): ${printable(answer.choices[0]?.message.content ?? '')}`)
  const { llm_usd, cap_usd } = await api.run(runId)
  say(`   the run has paid $${llm_usd} for it, of a cap of $${cap_usd ?? '?'}`)
  try {
    await api.chat(runId, { model, messages })
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    say(`   the same without max_tokens → ${error.status} ${printable(error.code)}: ${printable(error.message)}`)
  }
}

/** Shows the audit records of the calls; false where there are none. */
export async function showModelRecords({ api, say }: ChapterDeps, runId: string): Promise<boolean> {
  const records = await untilRecorded(api, runId)
  for (const { event } of records) {
    const { model, outcome, cost_usd, reserved_usd, request_digest } = event.data
    say(
      printable(
        `   ${event.action}: ${model} ${outcome}, $${cost_usd} of $${reserved_usd} reserved, request ${String(request_digest).slice(0, 19)}…`,
      ),
    )
  }
  return records.length > 0
}

async function untilRecorded(api: ChapterDeps['api'], runId: string): Promise<Schema<'AuditRecord'>[]> {
  const deadline = Date.now() + RECORDED_WITHIN_MS
  for (;;) {
    const records = await api.modelRecords(runId)
    if (records.length > 0 || Date.now() > deadline) return records
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
