import type { createClient, Schema } from '#client/create-client.ts'
import { bodyOf, once } from './api-answers.ts'
import { streamEvents } from './stream-events.ts'

/** An event of a running turn, by its name. */
export type TurnEvent =
  | { type: 'tool'; data: { id: string; name: string; ref: string; rows: number; ms: number } }
  | { type: 'text'; data: { text: string } }
  | { type: 'answer'; data: Schema<'AskAnswer'> }
  | { type: 'error'; data: Readonly<Record<string, unknown>> }

/** The API's operations before a start, and of the ask agent. */
export function createApiAsk(client: ReturnType<typeof createClient>) {
  const at = (pack: string, tpl: string) => ({ path: { pack, tpl } })
  return {
    contract: (pack: string, tpl: string, environment?: string) =>
      bodyOf(
        client.GET('/packs/{pack}/{tpl}/contract', {
          params: { ...at(pack, tpl), query: environment === undefined ? {} : { environment } },
        }),
      ),
    checkInputs: (pack: string, tpl: string, body: Schema<'InputsQuestion'>) =>
      bodyOf(client.POST('/packs/{pack}/{tpl}/validate', { params: at(pack, tpl), body })),
    preflight: (pack: string, tpl: string, body: Schema<'PreflightQuestion'>) =>
      bodyOf(client.POST('/packs/{pack}/{tpl}/preflight', { params: at(pack, tpl), body })),
    /** names that a call may use: roles and models */
    callableModels: () => bodyOf(client.GET('/v1/models')),
    resolvePlan: (body: Schema<'PlanQuestion'>) =>
      once(async (header) => {
        const { data } = await client.POST('/console/api/ask', { params: { header }, body })
        // the other form is a stream, which was not requested
        return data as Schema<'AskAnswer'>
      }),
    askThread: (id: string) => bodyOf(client.GET('/ask/thread/{id}', { params: { path: { id } } })),
    /** a cited source, by its path of this API */
    cited: (ref: string): Promise<unknown> => bodyOf(client.GET(ref as '/packs')),

    /** Streams one turn; `cut` when it broke before its end. */
    ask: (body: Schema<'AskRequest'>, onEvent: (event: TurnEvent) => void, signal?: AbortSignal) =>
      streamEvents<TurnEvent['data']>(
        (over) =>
          client.POST('/ask', {
            body,
            headers: { accept: 'text/event-stream' },
            signal: over,
            parseAs: 'stream',
          }),
        (data, type) => {
          onEvent({ type, data } as TurnEvent)
          return 'continue'
        },
        signal,
      ),
  }
}
